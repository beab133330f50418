#include "search/decode/scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/threads.h"

namespace dragoman::search {

double score(const SearchOptions& options, double sum, int length) {
  switch (options.ranking) {
    case Ranking::sum: return sum;
    case Ranking::mean: return sum / std::max(length, 1);
    case Ranking::gnmt: return sum / std::pow((5.0 + length) / 6.0, options.length_penalty);
    case Ranking::reward: return sum + options.word_reward * length;
  }
  return sum;
}

// Each ranking is monotonic in the length, so the maximum is at the current or at the longest length.
double best_possible(const SearchOptions& options, double sum, int length, int longest) {
  return std::max(score(options, sum, length + 1), score(options, sum, std::max(longest, length + 1)));
}

std::vector<float> mean_distribution(const std::vector<std::vector<float>>& logits,
                                     const std::vector<std::vector<float>>& log_sums) {
  const auto models = static_cast<float>(logits.size());
  const std::size_t rows = log_sums[0].size(), cols = logits[0].size() / std::max<std::size_t>(rows, 1);
  std::vector<float> mean(logits[0].size());
  threads::split(static_cast<std::int64_t>(rows), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row)
      for (std::size_t at = row * cols; at < (row + 1) * cols; ++at) {
        float largest = -INFINITY, sum = 0;
        for (std::size_t m = 0; m < logits.size(); ++m) largest = std::max(largest, logits[m][at] - log_sums[m][row]);
        for (std::size_t m = 0; m < logits.size(); ++m) sum += std::exp(logits[m][at] - log_sums[m][row] - largest);
        mean[at] = largest + std::log(sum / models);
      }
  });
  return mean;
}

std::vector<std::int32_t> best_tokens(std::span<const float> scores, std::size_t count) {
  std::vector<std::int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      const float x = scores[static_cast<std::size_t>(a)], y = scores[static_cast<std::size_t>(b)];
                      return x != y ? x > y : a < b;
                    });
  order.resize(count);
  return order;
}

}  // namespace dragoman::search
