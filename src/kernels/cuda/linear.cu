#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/columns.h"
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

// Both gradients by one product, where it can give both.
template <class T>
bool weight_and_bias(const LinearBackward<T>& a, const T* dz) {
  if constexpr (std::is_same_v<T, bf16>) {
    if (a.dweight == nullptr || a.dbias == nullptr) return false;
    ProductShape shape{.m = a.out, .n = a.in, .k = a.rows, .transposed_a = true, .accumulate = true};
    if (!a.transposed) std::swap(shape.m, shape.n);
    float* sums = scratch<float>(Scratch::partial_sums, a.out);
    const bool done = a.transposed ? multiply_with_sums(shape, dz, a.x, a.dweight, Summed::a, sums)
                                   : multiply_with_sums(shape, a.x, dz, a.dweight, Summed::b, sums);
    if (done) add_strips(1, a.out, sums, a.dbias);
    return done;
  }
  return false;
}

template <class T>
void linear_backward(const LinearBackward<T>& a) {
  const T* dz = a.dy;
  if (a.activation != Activation::none) {
    const Activation kind = a.activation;
    map<T, 2>("linear_backward", {a.rows * a.out, {a.saved, a.dy}, a.dz},
              [kind] __device__(const float(&x)[2]) { return x[1] * activation_slope(kind, x[0]); });
    dz = a.dz;
  }
  if (a.dx != nullptr)
    multiply_matrices<T, T>(
        {.m = a.rows, .n = a.in, .k = a.out, .transposed_b = !a.transposed, .accumulate = a.accumulate_dx}, dz,
        a.weight, a.dx);
  if (weight_and_bias(a, dz)) return;
  if (a.dweight != nullptr) {
    if (a.transposed)
      multiply_matrices<T, float>({.m = a.out, .n = a.in, .k = a.rows, .transposed_a = true, .accumulate = true}, dz,
                                  a.x, a.dweight);
    else
      multiply_matrices<T, float>({.m = a.in, .n = a.out, .k = a.rows, .transposed_a = true, .accumulate = true}, a.x,
                                  dz, a.dweight);
  }
  if (a.dbias != nullptr) add_columns(a.rows, a.out, dz, a.dbias);
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
