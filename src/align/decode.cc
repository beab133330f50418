#include "align/decode.h"

#include <algorithm>
#include <cmath>

namespace dragoman::align {

float PairPosteriors::both(int source, int target) const {
  return std::sqrt(forward.row(target)[source] * backward.row(source)[target]);
}

Links best_links(const PairMatrix& posteriors) {
  Links links;
  for (int r = 0; r < posteriors.rows; ++r) {
    const float* const row = posteriors.row(r);
    const float* const best = std::max_element(row, row + posteriors.columns);
    if (*best > posteriors.null[r]) links.push_back({r, static_cast<int>(best - row)});
  }
  return links;
}

Links decode(const PairPosteriors& posteriors, const DecodingOptions& options) {
  if (options.symmetrise != Symmetrisation::product)
    return symmetrise(swap_sides(best_links(posteriors.forward)), best_links(posteriors.backward), options.symmetrise);
  Links links;
  for (int i = 0; i < posteriors.backward.rows; ++i)
    for (int j = 0; j < posteriors.forward.rows; ++j)
      if (posteriors.both(i, j) >= static_cast<float>(options.threshold)) links.push_back({i, j});
  return links;
}

}  // namespace dragoman::align
