#include <cmath>

#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class T>
void norm(const Norm<T>& a) {
  for (Size r = 0; r < a.rows; ++r) {
    const T* source = a.x + r * a.cols;
    if (a.branch) {
      for (Size c = 0; c < a.cols; ++c)
        a.sum[r * a.cols + c] = source[c] + static_cast<T>(a.dropout.factor(r, c, a.cols)) * a.branch[r * a.cols + c];
      source = a.sum + r * a.cols;
    }
    Stat<T> mean = 0, variance = 0;
    for (Size c = 0; c < a.cols; ++c) mean += source[c];
    mean /= static_cast<Stat<T>>(a.cols);
    for (Size c = 0; c < a.cols; ++c) variance += (source[c] - mean) * (source[c] - mean);
    variance /= static_cast<Stat<T>>(a.cols);
    const Stat<T> rstd = 1 / std::sqrt(variance + static_cast<Stat<T>>(a.epsilon));
    for (Size c = 0; c < a.cols; ++c) a.y[r * a.cols + c] = (source[c] - mean) * rstd * a.gain[c] + a.bias[c];
    a.mean[r] = mean;
    a.rstd[r] = rstd;
  }
}

// With n = (s - mean) * rstd and g = dy * gain:  ds = rstd * (g - mean(g) - n * mean(g * n)) + dsum.
template <class T>
void norm_backward(const NormBackward<T>& a) {
  for (Size r = 0; r < a.rows; ++r) {
    const T* sum = a.sum + r * a.cols;
    const T* dy = a.dy + r * a.cols;
    const auto normalised = [&](Size c) { return (sum[c] - a.mean[r]) * a.rstd[r]; };
    Stat<T> mean_g = 0, mean_gn = 0;
    for (Size c = 0; c < a.cols; ++c) {
      mean_g += dy[c] * a.gain[c];
      mean_gn += dy[c] * a.gain[c] * normalised(c);
    }
    mean_g /= static_cast<Stat<T>>(a.cols);
    mean_gn /= static_cast<Stat<T>>(a.cols);
    for (Size c = 0; c < a.cols; ++c) {
      T ds = a.rstd[r] * (dy[c] * a.gain[c] - mean_g - normalised(c) * mean_gn);
      if (a.dsum) ds += a.dsum[r * a.cols + c];
      if (a.dx) put(a.dx[r * a.cols + c], ds, a.accumulate_dx);
      if (a.dbranch)
        put(a.dbranch[r * a.cols + c], static_cast<T>(a.dropout.factor(r, c, a.cols)) * ds, a.accumulate_dbranch);
      if (a.dgain) a.dgain[c] += dy[c] * normalised(c);
      if (a.dbias) a.dbias[c] += dy[c];
    }
  }
}

}  // namespace

template <class T>
void fill_norm(Kernels<T>& kernels) {
  kernels.norm = norm<T>;
  kernels.norm_backward = norm_backward<T>;
}

template void fill_norm(Kernels<float>&);
template void fill_norm(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
