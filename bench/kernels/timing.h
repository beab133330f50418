#pragma once

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "kernels/fillings.h"

// Shared by all measurements. Every figure is compared with a ceiling measured alternately in the same run, and the
// best time of each counts: on a machine with other work, it is the least disturbed one.
namespace dragoman::bench {

using kernels::Size;

struct Settings {
  bool quick = false;
  std::string filter;  // measure only kernels with this in their name

  bool wanted(const std::string& name) const { return filter.empty() || name.find(filter) != std::string::npos; }
};

using Work = std::function<void()>;

// Wall time, or, on a busy machine, the CPU time of this process. CPU time is meaningful for one thread only, because
// waiting threads spin.
inline clockid_t measured_clock = CLOCK_MONOTONIC;

inline double now() {
  timespec time{};
  clock_gettime(measured_clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
inline double seconds(const Work& work) {
  const double start = now();
  work();
  return now() - start;
}

// Best times of two functions, measured alternately; each turn repeats the function for about `turn` seconds.
struct Times {
  double first = 1e30, second = 1e30;
};
inline Times by_turns(int turns, double turn, const Work& first, const Work& second) {
  const auto repeats = [&](const Work& work) {
    const double once = seconds(work);
    return std::clamp(static_cast<int>(turn / std::max(once, 1e-9)), 1, 100000);
  };
  const auto mean = [](int count, const Work& work) {
    return seconds([&] {
             for (int i = 0; i < count; ++i) work();
           }) /
           count;
  };
  const int count1 = repeats(first), count2 = repeats(second);
  Times best;
  for (int i = 0; i < turns; ++i) {
    best.first = std::min(best.first, mean(count1, first));
    best.second = std::min(best.second, mean(count2, second));
  }
  return best;
}

// Memory in huge pages where the system has them, like the arrays of the program.
inline std::vector<float> random_floats(Size count, double low = -1, double high = 1) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count));
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = (reinterpret_cast<std::uintptr_t>(values.data()) + kPage - 1) / kPage * kPage;
  const auto end = reinterpret_cast<std::uintptr_t>(values.data() + count) / kPage * kPage;
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  values.resize(static_cast<std::size_t>(count));
  // A cheap sequence suffices: the values only have to differ and be harmless.
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  for (float& value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<float>(low + (high - low) * static_cast<double>(state >> 40) * 0x1.0p-24);
  }
  return values;
}

void measure_memory(const Settings& settings);
void measure_products(const Settings& settings);
void measure_attention(const Settings& settings);

}  // namespace dragoman::bench
