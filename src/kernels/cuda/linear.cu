#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/filling.h"
#include "kernels/cuda/map.cuh"
#include "kernels/cuda/product.h"

namespace dragoman::kernels::cuda {
namespace {

// Bias and relu are part of the product; other activations are a pass of their own.
template <class T>
void linear(const Linear<T>& a) {
  const bool plain = a.activation == Activation::none;
  const bool fused = plain || (a.activation == Activation::relu && a.z == nullptr);
  T* product = !fused && a.z != nullptr ? a.z : a.y;
  multiply_matrices<T, T>({.m = a.rows, .n = a.out, .k = a.in, .transposed_b = a.transposed}, a.x, a.weight, product,
                          {.bias = a.bias, .relu = fused && !plain});
  const Size count = a.rows * a.out;
  if (!fused) {
    const Activation kind = a.activation;
    map<T, 1>("linear", {count, {product}, a.y},
              [kind] __device__(const float(&x)[1]) { return activated(kind, x[0]); });
  } else if (a.z != nullptr) {
    map<T, 1>("linear", {count, {product}, a.z}, [] __device__(const float(&x)[1]) { return x[0]; });
  }
}

// dz = dy * the activation's slope, and its sums over rows on the way where the bias wants them.
template <class T>
void activation_backward(const LinearBackward<T>& a) {
  const Activation kind = a.activation;
  if (a.dbias != nullptr && a.out % 8 == 0 && aligned16(a.saved, a.dy, a.dz)) {
    const auto slope = [kind, cols = a.out, saved = a.saved, dy = a.dy, dz = a.dz] __device__(Size row, Size col,
                                                                                              float(&value)[8]) {
      const Size at = row * cols + col;
      float before[8];
      load8(saved + at, before), load8(dy + at, value);
      for (int e = 0; e < 8; ++e) value[e] *= activation_slope(kind, before[e]);
      store8(dz + at, value);
    };
    return add_sums<8>("linear_backward", a.rows, a.out, slope, a.dbias);
  }
  map<T, 2>("linear_backward", {a.rows * a.out, {a.saved, a.dy}, a.dz},
            [kind] __device__(const float(&x)[2]) { return x[1] * activation_slope(kind, x[0]); });
  if (a.dbias != nullptr) add_columns(a.rows, a.out, a.dz, a.dbias);
}

template <class T>
void linear_backward(const LinearBackward<T>& a) {
  const bool plain = a.activation == Activation::none;
  if (!plain)
    activation_backward(a);
  else if (a.dbias != nullptr)
    add_columns(a.rows, a.out, a.dy, a.dbias);
  const T* dz = plain ? a.dy : a.dz;
  if (a.dx != nullptr)
    multiply_matrices<T, T>(
        {.m = a.rows, .n = a.in, .k = a.out, .transposed_b = !a.transposed, .accumulate = a.accumulate_dx}, dz,
        a.weight, a.dx);
  if (a.dweight == nullptr) return;
  if (a.transposed)
    multiply_matrices<T, float>({.m = a.out, .n = a.in, .k = a.rows, .transposed_a = true, .accumulate = true}, dz, a.x,
                                a.dweight);
  else
    multiply_matrices<T, float>({.m = a.in, .n = a.out, .k = a.rows, .transposed_a = true, .accumulate = true}, a.x, dz,
                                a.dweight);
}

}  // namespace

template <class T>
void fill_linear(Kernels<T>& kernels) {
  kernels.linear = linear<T>;
  kernels.linear_backward = linear_backward<T>;
}

template void fill_linear(Kernels<float>&);
template void fill_linear(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
