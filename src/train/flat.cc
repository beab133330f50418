#include "train/flat.h"

namespace dragoman::train {

void combine(const Tensor& to, double alpha, const Tensor& a, double beta, const Tensor& b) {
  const auto arguments = [&]<class T>(const kernels::Kernels<T>& k) {
    k.combine({.count = to.count(), .alpha = alpha, .beta = beta, .a = a.ptr(), .b = b.ptr(), .y = to.ptr()});
  };
  if (to.dtype() == DType::f64)
    arguments(to.device().kernels<double>());
  else
    arguments(to.device().kernels<float>());
}

void copy(const Tensor& to, const Tensor& from) { combine(to, 1, from, 0, {}); }

}  // namespace dragoman::train
