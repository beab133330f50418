#include <algorithm>
#include <cmath>

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

}  // namespace

template <class T>
void fill_softmax(Kernels<T>& kernels) {
  kernels.softmax = softmax<T>;
  kernels.softmax_backward = softmax_backward<T>;
  kernels.cross_entropy = cross_entropy<T>;
}

template void fill_softmax(Kernels<float>&);
template void fill_softmax(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
