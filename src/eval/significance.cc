#include "eval/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"

namespace dragoman::eval {
namespace {

enum Stream : std::uint64_t { kBootstrap = 1, kRandomization = 2 };

// How often each sentence occurs in one resample. The bias of multiplying a 32-bit number is below rows / 2^32.
std::vector<double> draw_counts(RandomKey key, std::size_t rows) {
  std::vector<double> counts(rows);
  for (std::size_t i = 0; i < rows; i += 4) {
    const Philox::Block block = key.block(i / 4);
    for (std::size_t k = 0; k < std::min<std::size_t>(4, rows - i); ++k)
      ++counts[static_cast<std::size_t>(std::uint64_t{block[k]} * rows >> 32)];
  }
  return counts;
}

// (trials at least as extreme + 1) / (trials + 1): never 0, because the actual outcome is one of the possible ones.
double p_value(std::size_t extreme, std::size_t trials) {
  return static_cast<double>(extreme + 1) / static_cast<double>(trials + 1);
}

// Sums of random subsets of rows. Rows are grouped by four: the sums of all 16 subsets of a group are computed once,
// and a trial adds one per group.
class SubsetSums {
 public:
  SubsetSums(const Statistics& a, const Statistics& b) : rows_(a.rows()), width_(a.width()) {
    sums_.assign((rows_ + 3) / 4 * 16 * width_, 0.0);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t subset = 0; subset < 16; ++subset)
        if ((subset >> (i % 4) & 1) != 0)
          for (std::size_t k = 0; k < width_; ++k)
            sums_[(i / 4 * 16 + subset) * width_ + k] += a.row(i)[k] - b.row(i)[k];
  }

  void add_random(RandomKey key, std::vector<double>& total) const {
    constexpr std::size_t kGroups = 32;  // groups per block of 128 random bits
    const std::size_t groups = (rows_ + 3) / 4;
    for (std::size_t begin = 0; begin < groups; begin += kGroups) {
      const Philox::Block block = key.block(begin / kGroups);
      for (std::size_t g = 0; g < std::min(kGroups, groups - begin); ++g) {
        const std::size_t subset = block[g / 8] >> (g % 8 * 4) & 15;
        const double* sum = sums_.data() + ((begin + g) * 16 + subset) * width_;
        for (std::size_t k = 0; k < width_; ++k) total[k] += sum[k];
      }
    }
  }

 private:
  std::size_t rows_, width_;
  std::vector<double> sums_;  // [groups, 16, width]
};

}  // namespace

std::vector<double> bootstrap_scores(const Metric& metric, const Statistics& statistics, int resamples,
                                     std::uint64_t seed) {
  check(statistics.rows() > 0, "bootstrap: expected sentences but got none");
  std::vector<double> scores(static_cast<std::size_t>(resamples));
  threads::split(resamples, 8, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> sums(statistics.width());
    for (std::int64_t trial = begin; trial < end; ++trial) {
      const RandomKey key{seed, mix(kBootstrap, static_cast<std::uint64_t>(trial))};
      const std::vector<double> counts = draw_counts(key, statistics.rows());
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t i = 0; i < statistics.rows(); ++i) {
        if (counts[i] == 0) continue;
        const std::span<const double> row = statistics.row(i);
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += counts[i] * row[k];
      }
      scores[static_cast<std::size_t>(trial)] = metric.score(sums);
    }
  });
  return scores;
}

Confidence confidence(std::vector<double> scores) {
  check(!scores.empty(), "confidence: expected resamples but got none");
  std::sort(scores.begin(), scores.end());
  const std::size_t cut = scores.size() / 40;  // 2.5 % on each side
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  return {mean, (scores[scores.size() - 1 - cut] - scores[cut]) / 2};
}

double paired_bootstrap(const std::vector<double>& baseline, const std::vector<double>& system, double difference) {
  check(baseline.size() == system.size() && !baseline.empty(), "paired bootstrap: {} and {} resamples", baseline.size(),
        system.size());
  std::vector<double> differences(baseline.size());
  for (std::size_t i = 0; i < baseline.size(); ++i) differences[i] = std::abs(system[i] - baseline[i]);
  const double mean =
      std::accumulate(differences.begin(), differences.end(), 0.0) / static_cast<double>(differences.size());
  const auto extreme = std::count_if(differences.begin(), differences.end(),
                                     [&](double value) { return value - mean > std::abs(difference); });
  return p_value(static_cast<std::size_t>(extreme), differences.size());
}

double approximate_randomization(const Metric& metric, const Statistics& baseline, const Statistics& system, int trials,
                                 std::uint64_t seed) {
  check(baseline.rows() == system.rows() && baseline.width() == system.width(),
        "approximate randomization: {} and {} sentences", baseline.rows(), system.rows());
  const std::vector<double> baseline_sum = baseline.sum(), system_sum = system.sum();
  const double difference = std::abs(metric.score(baseline_sum) - metric.score(system_sum));
  const SubsetSums subsets(baseline, system);
  std::vector<char> extreme(static_cast<std::size_t>(trials));
  threads::split(trials, 64, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> moved(baseline_sum.size()), a(moved.size()), b(moved.size());
    for (std::int64_t trial = begin; trial < end; ++trial) {
      std::fill(moved.begin(), moved.end(), 0.0);
      subsets.add_random({seed, mix(kRandomization, static_cast<std::uint64_t>(trial))}, moved);
      for (std::size_t k = 0; k < moved.size(); ++k) {
        a[k] = system_sum[k] + moved[k];
        b[k] = baseline_sum[k] - moved[k];
      }
      extreme[static_cast<std::size_t>(trial)] = std::abs(metric.score(a) - metric.score(b)) > difference;
    }
  });
  return p_value(static_cast<std::size_t>(std::count(extreme.begin(), extreme.end(), 1)), extreme.size());
}

}  // namespace dragoman::eval
