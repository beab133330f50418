#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class Arguments>
Size row_begin(const Arguments& a, Size row) {
  return a.starts ? a.starts[row] : row * a.cols;
}

template <class T>
void softmax(const Softmax<T>& a) {
  for (Size r = 0; r < a.rows; ++r) {
    const Size begin = row_begin(a, r), end = row_begin(a, r + 1);
    if (begin == end) continue;
    const T largest = *std::max_element(a.x + begin, a.x + end);
    T sum = 0;
    for (Size e = begin; e < end; ++e) sum += a.y[e] = std::exp(a.x[e] - largest);
    for (Size e = begin; e < end; ++e) a.y[e] /= sum;
  }
}

template <class T>
void softmax_backward(const SoftmaxBackward<T>& a) {
  for (Size r = 0; r < a.rows; ++r) {
    const Size begin = row_begin(a, r), end = row_begin(a, r + 1);
    T dot = 0;
    for (Size e = begin; e < end; ++e) dot += a.y[e] * a.dy[e];
    for (Size e = begin; e < end; ++e) put(a.dx[e], a.y[e] * (a.dy[e] - dot), a.accumulate_dx);
  }
}

template <class T>
void cross_entropy(const CrossEntropy<T>& a) {
  for (Size r = 0; r < a.rows; ++r) {
    T* logits = a.logits + r * a.classes;
    const T largest = *std::max_element(logits, logits + a.classes);
    Stat<T> sum = 0, total = 0;
    for (Size c = 0; c < a.classes; ++c) {
      sum += std::exp(logits[c] - largest);
      total += logits[c] - largest;
    }
    const Stat<T> log_sum = std::log(sum);
    const Stat<T> nll = log_sum - (logits[a.targets[r]] - largest);
    const Stat<T> uniform = log_sum - total / static_cast<Stat<T>>(a.classes);
    const auto smoothing = static_cast<Stat<T>>(a.smoothing);
    a.nll[r] = nll;
    a.loss[r] = (1 - smoothing) * nll + smoothing * uniform;
    if (a.gradient_scale == 0) continue;
    for (Size c = 0; c < a.classes; ++c) {
      const Stat<T> p = std::exp(logits[c] - largest - log_sum);
      const Stat<T> q = smoothing / static_cast<Stat<T>>(a.classes) + (c == a.targets[r] ? 1 - smoothing : 0);
      logits[c] = static_cast<T>(a.gradient_scale) * (p - q);
    }
  }
}

template <class T>
void best_of_rows(const BestOfRows<T>& a) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(a.cols));
  for (Size r = 0; r < a.rows; ++r) {
    const T* x = a.x + r * a.cols;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [x](std::int32_t p, std::int32_t q) { return x[p] > x[q]; });
    const T largest = x[order[0]];
    T sum = 0;
    for (Size c = 0; c < a.cols; ++c) sum += std::exp(x[c] - largest);
    a.log_sum[r] = largest + std::log(sum);
    for (Size b = 0; b < a.best; ++b) {
      a.columns[r * a.best + b] = order[static_cast<std::size_t>(b)];
      a.values[r * a.best + b] = x[order[static_cast<std::size_t>(b)]];
    }
  }
}

}  // namespace

template <class T>
void fill_softmax(Kernels<T>& kernels) {
  kernels.softmax = softmax<T>;
  kernels.softmax_backward = softmax_backward<T>;
  kernels.cross_entropy = cross_entropy<T>;
  kernels.best_of_rows = best_of_rows<T>;
}

template void fill_softmax(Kernels<float>&);
template void fill_softmax(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
