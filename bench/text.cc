// Measures tokenizers on one core, in ids per second of CPU time: bench_text FILE TOKENIZER...
// FILE is plain text; the tokenizers are files written by `dragoman vocab`.
#include <time.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "base/error.h"
#include "text/tokenizer_file.h"

namespace {

using namespace dragoman;

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  check(in.good(), "cannot read '{}'", path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// CPU time of this thread; on a shared machine, waiting for a core does not count.
double seconds_computed() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// CPU time of one pass over all lines, and the number of ids.
template <class Encode>
std::pair<double, std::int64_t> time_pass(const std::vector<std::string>& lines, Encode encode) {
  std::vector<std::int32_t> ids;
  std::int64_t count = 0;
  const double start = seconds_computed();
  for (const std::string& line : lines) {
    ids.clear();
    encode(line, ids);
    count += static_cast<std::int64_t>(ids.size());
  }
  return {seconds_computed() - start, count};
}

template <class Encode>
void report(const std::string& name, const std::vector<std::string>& lines, Encode encode) {
  constexpr int kPasses = 7;
  std::vector<double> seconds;
  std::int64_t count = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto [time, ids] = time_pass(lines, encode);
    seconds.push_back(time);
    count = ids;
  }
  std::sort(seconds.begin(), seconds.end());
  const double bytes = std::accumulate(lines.begin(), lines.end(), 0.0, [](double sum, const std::string& line) {
    return sum + static_cast<double>(line.size());
  });
  const auto million = [&](double time) { return static_cast<double>(count) / time / 1e6; };
  fmt::print("{:<32} {:>10} ids  median {:6.2f} M/s  best {:6.2f} M/s  {:6.1f} MB/s\n", name, count,
             million(seconds[kPasses / 2]), million(seconds[0]), bytes / seconds[0] / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: bench_text FILE TOKENIZER...\n");
    return 2;
  }
  try {
    const std::vector<std::string> lines = read_lines(argv[1]);
    for (int i = 2; i < argc; ++i) {
      const auto tokenizer = text::load_tokenizer(argv[i]);
      report(argv[i], lines,
             [&](const std::string& line, std::vector<std::int32_t>& ids) { tokenizer->encode(line, ids); });
      Random random(1);
      report(std::string(argv[i]) + " (sampled)", lines, [&](const std::string& line, std::vector<std::int32_t>& ids) {
        tokenizer->encode_sampled(line, 0.1, random, ids);
      });
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
