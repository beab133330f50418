#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/reference/packed_row.h"
#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

// log-sum-exp, stable by subtracting the maximum; -inf for an empty row.
template <class T>
T log_sum_exp(const std::vector<T>& x) {
  const T lowest = -std::numeric_limits<T>::infinity();
  const T largest = x.empty() ? lowest : *std::max_element(x.begin(), x.end());
  if (largest == lowest) return lowest;
  T sum = 0;
  for (const T value : x) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

template <class T>
void top_scores(const TopScores<T>& a) {
  const T lowest = -std::numeric_limits<T>::infinity();
  std::vector<T> logits(static_cast<std::size_t>(a.out));
  std::vector<std::int32_t> order(logits.size());
  for (Size r = 0; r < a.rows; ++r) {
    const PackedRow<T> row(a.format, a.in, a.x + r * a.in);
    for (Size o = 0; o < a.out; ++o) logits[o] = row.times(a.packed, o, a.bias ? a.bias[o] : T(0));
    a.log_sum[r] = log_sum_exp(logits);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto one, auto other) { return logits[one] > logits[other]; });
    for (Size i = 0; i < a.best; ++i) {
      const bool left = i < a.out && logits[order[i]] > lowest;
      a.scores[r * a.best + i] = left ? logits[order[i]] : lowest;
      a.ids[r * a.best + i] = left ? order[i] : -1;
    }
  }
}

}  // namespace

template <class T>
void fill_top_scores(Kernels<T>& kernels) {
  kernels.top_scores = top_scores<T>;
}

template void fill_top_scores(Kernels<float>&);
template void fill_top_scores(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
