#include <cmath>
#include <numbers>

#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {

// gelu(x) = x Phi(x), where Phi is the standard normal distribution function (Hendrycks & Gimpel 2016).
template <class T>
T activate(Activation activation, T x) {
  switch (activation) {
    case Activation::none: return x;
    case Activation::relu: return x > 0 ? x : T(0);
    case Activation::gelu: return x * T(0.5) * std::erfc(-x * static_cast<T>(std::numbers::sqrt2 / 2));
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::tanh: return std::tanh(x);
    case Activation::sigmoid: return 1 / (1 + std::exp(-x));
  }
  return x;
}

template <class T>
T activation_slope(Activation activation, T saved) {
  switch (activation) {
    case Activation::none: return 1;
    case Activation::relu: return saved > 0 ? T(1) : T(0);
    case Activation::gelu: {
      const T below = T(0.5) * std::erfc(-saved * static_cast<T>(std::numbers::sqrt2 / 2));
      const T density = std::exp(-saved * saved / 2) * static_cast<T>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
      return below + saved * density;
    }
    case Activation::silu: {
      const T sigmoid = 1 / (1 + std::exp(-saved));
      return sigmoid * (1 + saved * (1 - sigmoid));
    }
    case Activation::tanh: return 1 - saved * saved;
    case Activation::sigmoid: return saved * (1 - saved);
  }
  return 1;
}

namespace {

template <class T>
void activate_all(const Activate<T>& a) {
  for (Size e = 0; e < a.count; ++e) a.y[e] = activate(a.activation, a.x[e]);
}

template <class T>
void activate_backward(const ActivateBackward<T>& a) {
  for (Size e = 0; e < a.count; ++e)
    put(a.dx[e], a.dy[e] * activation_slope(a.activation, a.saved[e]), a.accumulate_dx);
}

template <class T>
void combine(const Combine<T>& a) {
  for (Size e = 0; e < a.count; ++e)
    a.y[e] = static_cast<T>(a.alpha) * a.a[e] + (a.b ? static_cast<T>(a.beta) * a.b[e] : T(0));
}

template <class T>
void multiply(const Multiply<T>& a) {
  for (Size e = 0; e < a.count; ++e) put(a.y[e], a.a[e] * a.b[e], a.accumulate);
}

template <class T>
void dropout(const DropElements<T>& a) {
  for (Size r = 0; r < a.rows; ++r)
    for (Size c = 0; c < a.cols; ++c) {
      const Size e = r * a.cols + c;
      put(a.y[e], static_cast<T>(a.dropout.factor(r, c, a.cols)) * a.x[e], a.accumulate);
    }
}

template <class T>
void fill(const Fill<T>& a) {
  for (Size e = 0; e < a.count; ++e) a.y[e] = static_cast<T>(a.value);
}

template <class T>
void to_bf16(const ToBf16<T>& a) {
  for (Size e = 0; e < a.count; ++e) a.y[e] = bf16::from(static_cast<float>(a.x[e]));
}

template <class T>
void from_bf16(const FromBf16<T>& a) {
  for (Size e = 0; e < a.count; ++e) a.y[e] = a.x[e].value();
}

template <class T>
void all_finite(const AllFinite<T>& a) {
  *a.result = true;
  for (Size e = 0; e < a.count; ++e)
    if (!std::isfinite(a.x[e])) *a.result = false;
}

template <class T>
void rotate(const Rotate<T>& a) {
  const Size half = a.size / 2;
  for (Size r = 0; r < a.rows; ++r)
    for (Size h = 0; h < a.heads; ++h)
      for (Size i = 0; i < half; ++i) {
        const double turn = std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(a.size));
        const double angle = (a.inverse ? -1 : 1) * a.position[r] * turn;
        const T c = static_cast<T>(std::cos(angle)), s = static_cast<T>(std::sin(angle));
        const T first = a.x[r * a.x_stride + h * a.size + i], second = a.x[r * a.x_stride + h * a.size + half + i];
        T* y = a.y + r * a.y_stride + h * a.size;
        put(y[i], first * c - second * s, a.accumulate);
        put(y[half + i], first * s + second * c, a.accumulate);
      }
}

}  // namespace

template <class T>
void fill_elementwise(Kernels<T>& kernels) {
  kernels.rotate = rotate<T>;
  kernels.activate = activate_all<T>;
  kernels.activate_backward = activate_backward<T>;
  kernels.combine = combine<T>;
  kernels.multiply = multiply<T>;
  kernels.dropout = dropout<T>;
  kernels.fill = fill<T>;
  kernels.to_bf16 = to_bf16<T>;
  kernels.from_bf16 = from_bf16<T>;
  kernels.all_finite = all_finite<T>;
}

template void fill_elementwise(Kernels<float>&);
template void fill_elementwise(Kernels<double>&);
template float activate(Activation, float);
template double activate(Activation, double);
template float activation_slope(Activation, float);
template double activation_slope(Activation, double);

}  // namespace dragoman::kernels::reference_filling
