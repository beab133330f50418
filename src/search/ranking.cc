#include "search/ranking.h"

#include <algorithm>
#include <cmath>

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

}  // namespace dragoman::search
