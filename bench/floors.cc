// The shortest time that this CPU could take for the rows of bench/compare_search: operations over the measured rate of
// the instruction, or bytes of weights over the measured rate of reading that many bytes, whichever is longer.
//
//   bench_floors [threads]
//
// The model is transformer-base with 32,000 words, 25 tokens in and out. Attention, norms, and search are not counted,
// so a floor can be approached but not reached.
#include <fmt/core.h>
#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <thread>

#include "base/threads.h"
#include "bench/floors.h"
#include "bench/kernels/timing.h"

namespace dragoman::bench {
namespace {

constexpr int kRounds = 31;

// The best rate of several rounds in which all threads work: `amount` is what one thread does in a round. Each thread's
// own CPU time counts, so that other work on the machine disturbs this little.
double best_rate(int count, double amount, const std::function<void(int)>& work) {
  measured_clock = CLOCK_THREAD_CPUTIME_ID;
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> rates(static_cast<std::size_t>(count));
    {
      std::vector<std::jthread> workers;
      for (int thread = 0; thread < count; ++thread)
        workers.emplace_back(
            [&, thread] { rates[static_cast<std::size_t>(thread)] = amount / seconds([&] { work(thread); }); });
    }
    best = std::max(best, std::accumulate(rates.begin(), rates.end(), 0.0));
  }
  return best;
}

// Memory with large pages where the system has them, as tensors have.
class LargePages {
 public:
  explicit LargePages(std::size_t bytes)
      : memory_(std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage), std::free) {
    if (!memory_) throw std::bad_alloc();
    madvise(memory_.get(), bytes, MADV_HUGEPAGE);
    std::memset(memory_.get(), 1, bytes);
  }
  const std::uint64_t* words() const { return static_cast<const std::uint64_t*>(memory_.get()); }

 private:
  static constexpr std::size_t kPage = 2 << 20;
  std::unique_ptr<void, decltype(&std::free)> memory_;
};

// Reads `count` words from kStreams places at a time.
template <std::size_t kStreams>
std::uint64_t read(const std::uint64_t* words, std::size_t count) {
  constexpr std::size_t kPiece = 16;  // words that are read in one place
  const std::size_t stream = count / kStreams;
  std::array<std::uint64_t, kPiece> sum{};
  for (std::size_t i = 0; i + kPiece <= stream; i += kPiece)
    for (std::size_t s = 0; s < kStreams; ++s) {
      const std::uint64_t* const at = words + s * stream + i;
#if defined(__x86_64__)  // the kernels for f32 also fetch this far ahead; NEON's own prefetching is better without
      constexpr std::size_t kAhead = 512 / kStreams, kLine = 8;
      __builtin_prefetch(at + kAhead);
      __builtin_prefetch(at + kAhead + kLine);
#endif
      for (std::size_t j = 0; j < kPiece; ++j) sum[j] ^= at[j];
    }
  return std::accumulate(sum.begin(), sum.end(), std::uint64_t{0});
}

// Bytes per second of reading `bytes` bytes again and again, from one place or from four at a time; each thread reads
// its own part.
double reading_rate(int count, std::size_t bytes) {
  const std::size_t words = bytes / sizeof(std::uint64_t) / static_cast<std::size_t>(count);
  const LargePages memory(bytes);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(count) * 16);
  constexpr int kPasses = 3;
  const auto rate_of = [&](std::uint64_t (*read_all)(const std::uint64_t*, std::size_t)) {
    return best_rate(count, static_cast<double>(kPasses * words * sizeof(std::uint64_t)), [&](int thread) {
      for (int pass = 0; pass < kPasses; ++pass)
        sums[static_cast<std::size_t>(thread) * 16] +=
            read_all(memory.words() + static_cast<std::size_t>(thread) * words, words);
    });
  };
  const double rate = std::max(rate_of(read<1>), rate_of(read<4>));
  volatile std::uint64_t result = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  static_cast<void>(result);
  return rate;
}

// Multiply-adds per second.
double rate_of(const Instruction& instruction, int count) {
  constexpr std::int64_t kRepetitions = 500'000;
  return best_rate(count, instruction.products * static_cast<double>(kRepetitions),
                   [&](int) { instruction.run(kRepetitions); });
}

// transformer-base: what a token costs in multiply-adds, which is also the number of weights that it reads.
struct Costs {
  static constexpr double kSize = 512, kInner = 2048, kLayers = 6, kWords = 32000, kLength = 25;
  static constexpr double kFeedForward = 2 * kSize * kInner;
  static constexpr double kEncoder = kLayers * (4 * kSize * kSize + kFeedForward + 2 * kSize * kSize);
  static constexpr double kStep = kLayers * (6 * kSize * kSize + kFeedForward) + kSize * kWords;

  // Per target token. The encoder, with the keys and values of its result, runs once per sentence.
  static double products(int beam) { return beam * kStep + kEncoder; }
  static double weights(int sentences) { return (kStep + kEncoder / kLength) / sentences; }
};

void print_floors(const char* format, double rate, double bytes_per_weight, int count) {
  const double step_bytes = Costs::kStep * bytes_per_weight;
  const double reading = reading_rate(count, static_cast<std::size_t>(step_bytes));
  fmt::print("{}: {:.1f} GB/s reading the {:.0f} MB of a step\n", format, 1e-9 * reading, 1e-6 * step_bytes);
  for (const int batch : {32, 1})
    for (const int beam : {4, 1}) {
      const double by_products = rate / Costs::products(beam);
      const double by_bytes = reading / (Costs::weights(batch) * bytes_per_weight);
      fmt::print("{:<28} {:>10.0f} {:>10.0f} {:>10.0f}\n", fmt::format("{}, beam {}, batch {}", format, beam, batch),
                 by_products, by_bytes, std::min(by_products, by_bytes));
    }
}

void run(int count) {
  double f32 = 0, int8 = 0;
  for (const Instruction& instruction : instructions()) {
    if (!instruction.available) continue;
    const double rate = rate_of(instruction, count);
    fmt::print("{:<24} {:>8.1f} billion multiply-adds per second\n", instruction.name, 1e-9 * rate);
    const std::string_view name = instruction.name;
    if (name.starts_with("f32")) f32 = rate;
    if (name.starts_with("int8")) int8 = rate;
  }
  fmt::print("\n{:<28} {:>10} {:>10} {:>10}\n", "target tokens per second", "products", "bytes", "floor");
  if (f32 > 0) print_floors("f32", f32, 4, count);
  if (int8 > 0) print_floors("int8", int8, 1, count);
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  const int given = argc > 1 ? std::atoi(argv[1]) : 0;
  dragoman::bench::run(given > 0 ? given : dragoman::threads::count());
  return 0;
}
