// A few seconds of measurements for continuous integration: bench_quick bench/quick.json
//
// Each figure is a ratio of two times from the same run: our code over a yardstick whose speed we do not control (a
// matrix product by OpenBLAS, a copy of memory, a plain loop over bytes). A ratio says little about the machine and
// much about a change of our code. Ratios well above those stored for the same kind of CPU print a warning; nothing
// fails. `bench_quick` without a file prints the ratios in the form that quick.json keeps.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "base/threads.h"
#include "bench/kernels/timing.h"
#include "kernels/cpu/blas.h"
#include "text/build.h"

namespace dragoman::bench {
namespace {

using namespace kernels;

// Ratios repeat within a few per cent, on a busy machine as well; more than this is a change of speed, if it persists.
constexpr double kTolerance = 1.25;
constexpr int kAttempts = 4;
constexpr int kTurns = 7;
constexpr double kTurn = 0.02;  // seconds

struct Ratio {
  std::string name;
  Times best;  // ours and the yardstick's

  double value() const { return best.first / best.second; }
};

Ratio ratio(std::string name, const Work& ours, const Work& yardstick) {
  return {std::move(name), by_turns(kTurns, kTurn, ours, yardstick)};
}

// Linear layers, from training weights and from packed ones, against the bare product by OpenBLAS.
void measure_products(Size rows, std::vector<Ratio>& ratios) {
  constexpr Size kIn = 512, kOut = 512;
  const std::vector<float> x = random_floats(rows * kIn), weight = random_floats(kIn * kOut),
                           bias = random_floats(kOut);
  std::vector<float> y(static_cast<std::size_t>(rows * kOut));
  Size bytes = 0;
  cpu().pack_weight({.in = kIn, .out = kOut, .bytes = &bytes});
  std::vector<float> packed(static_cast<std::size_t>(bytes) / sizeof(float));
  cpu().pack_weight({.in = kIn, .out = kOut, .weight = weight.data(), .packed = packed.data()});
  Linear<float> linear{.rows = rows, .in = kIn, .out = kOut, .activation = Activation::relu, .x = x.data()};
  linear.weight = weight.data(), linear.bias = bias.data(), linear.y = y.data();
  LinearPacked<float> multiply{.rows = rows, .in = kIn, .out = kOut, .x = x.data(), .packed = packed.data()};
  multiply.bias = bias.data(), multiply.y = y.data();
  const auto m = static_cast<blasint>(rows);
  const Work library = [&] {
    cpu_filling::blas().sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, kOut, kIn, 1, x.data(), kIn, weight.data(),
                              kIn, 0, y.data(), kOut);
  };
  ratios.push_back(ratio(
      fmt::format("linear+bias+relu, {} rows / sgemm", rows), [&] { cpu().linear(linear); }, library));
  ratios.push_back(ratio(
      fmt::format("packed linear, {} rows / sgemm", rows), [&] { cpu().linear_packed(multiply); }, library));
}

// Kernels that are limited by memory, in the cache, against a copy of the same bytes.
void measure_rows(std::vector<Ratio>& ratios) {
  constexpr Size kRows = 64, kCols = 512;
  const std::vector<float> x = random_floats(kRows * kCols), gain = random_floats(kCols), bias = random_floats(kCols);
  std::vector<float> y(x.size()), mean(kRows), rstd(kRows);
  const Work copy = [&] { std::memcpy(y.data(), x.data(), x.size() * sizeof(float)); };
  Norm<float> norm{.rows = kRows, .cols = kCols, .x = x.data()};
  norm.gain = gain.data(), norm.bias = bias.data(), norm.y = y.data();
  norm.mean = mean.data(), norm.rstd = rstd.data();
  ratios.push_back(ratio(
      "layer norm / memcpy", [&] { cpu().norm(norm); }, copy));
  const Softmax<float> softmax{.rows = kRows, .cols = kCols, .x = x.data(), .y = y.data()};
  ratios.push_back(ratio(
      "softmax / memcpy", [&] { cpu().softmax(softmax); }, copy));
}

// Tokenizers against a loop that hashes every byte of the text.
void measure_tokenizers(std::vector<Ratio>& ratios) {
  std::vector<std::string> lines;
  for (int i = 0; i < 200; ++i)
    lines.push_back(fmt::format("The teacher's {} old friends, who came from town {}, read \"{} books\" again.", i,
                                i * 7919 % 1000, i % 13));
  volatile std::uint64_t result = 0;
  const Work hash = [&] {
    std::uint64_t sum = 0;
    for (const std::string& line : lines)
      for (const char c : line) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    result = sum;
  };
  std::size_t next = 0;
  const text::LineSource source = [&](std::string& line) {
    if (next == lines.size()) return false;
    line = lines[next++];
    return true;
  };
  const auto words = text::build_words(source, {}, {});
  std::vector<std::int32_t> ids;
  ratios.push_back(ratio(
      "word tokenizer / byte hash",
      [&] {
        for (const std::string& line : lines) {
          ids.clear();
          words->encode(line, ids);
        }
      },
      hash));
}

std::vector<Ratio> measure() {
  std::vector<Ratio> ratios;
  for (const Size rows : {Size{1}, Size{8}, Size{256}}) measure_products(rows, ratios);
  measure_rows(ratios);
  measure_tokenizers(ratios);
  return ratios;
}

// The ratios stored for this CPU, or for another of the same architecture; null where there are none.
nlohmann::json stored_ratios(const nlohmann::json& file, const Machine& machine) {
  nlohmann::json similar;
  for (const nlohmann::json& entry : file) {
    if (entry.at("cpu") == machine.cpu) return entry;
    if (entry.at("architecture") == machine.architecture) similar = entry;
  }
  return similar;
}

double stored_ratio(const nlohmann::json& stored, const std::string& name) {
  return stored.is_null() ? 0.0 : stored.at("ratios").value(name, 0.0);
}

bool is_slower(const Ratio& ratio, const nlohmann::json& stored) {
  const double before = stored_ratio(stored, ratio.name);
  return before > 0 && ratio.value() > before * kTolerance;
}

// Other work on the machine can disturb one figure for as long as it is measured. What looks slower is therefore
// measured again, and the best times count.
void repeat_slower_ones(std::vector<Ratio>& ratios, const nlohmann::json& stored) {
  const auto any = [&] {
    return std::any_of(ratios.begin(), ratios.end(), [&](const Ratio& one) { return is_slower(one, stored); });
  };
  for (int attempt = 1; attempt < kAttempts && any(); ++attempt) {
    const std::vector<Ratio> again = measure();
    for (std::size_t i = 0; i < ratios.size(); ++i)
      ratios[i].best = {std::min(ratios[i].best.first, again[i].best.first),
                        std::min(ratios[i].best.second, again[i].best.second)};
  }
}

void compare(std::vector<Ratio> ratios, const nlohmann::json& stored, const Machine& machine) {
  if (stored.is_null()) fmt::print("no ratios are stored for {} ({})\n", machine.cpu, machine.architecture);
  const bool same_cpu = !stored.is_null() && stored.at("cpu") == machine.cpu;
  fmt::print("{:<40} {:>8} {:>8}  {}\n", "ratio of times (less is better)", "here", "stored",
             same_cpu ? "same CPU" : "another CPU: no warnings");
  if (same_cpu) repeat_slower_ones(ratios, stored);
  for (const Ratio& one : ratios)
    fmt::print("{:<40} {:>8.2f} {:>8.2f}{}\n", one.name, one.value(), stored_ratio(stored, one.name),
               same_cpu && is_slower(one, stored) ? "  WARNING: slower than before" : "");
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  using namespace dragoman;
  try {
    // One thread, and its CPU time: other work on the machine disturbs this less than wall time.
    bench::measured_clock = CLOCK_PROCESS_CPUTIME_ID;
    threads::set_count(1);
    const std::vector<bench::Ratio> ratios = bench::measure();
    const Machine machine = inspect_machine();
    if (argc > 1) {
      bench::compare(ratios, bench::stored_ratios(nlohmann::json::parse(std::ifstream(argv[1])), machine), machine);
      return 0;
    }
    nlohmann::ordered_json entry = {{"cpu", machine.cpu}, {"architecture", machine.architecture}};
    for (const bench::Ratio& one : ratios) entry["ratios"][one.name] = std::round(one.value() * 100) / 100;
    fmt::print("{}\n", entry.dump(2));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
