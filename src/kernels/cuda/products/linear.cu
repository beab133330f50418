#include "kernels/cuda/filling.h"
#include "kernels/cuda/products/product.h"
#include "kernels/cuda/rows/activation.cuh"
#include "kernels/cuda/rows/columns.cuh"
#include "kernels/cuda/rows/map.cuh"

namespace dragoman::kernels::cuda {
namespace {

template <class T>
__global__ void repeat(Size rows, Size cols, const T* row, Activation activation, bool add, T* y) {
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= rows * cols) return;
  const float value = (add ? to_float(y[e]) : 0.0f) + (row != nullptr ? to_float(row[e % cols]) : 0.0f);
  y[e] = rounded<T>(activated(activation, value));
}

template <class T>
void activate_all(Size count, Activation activation, const T* x, T* y) {
  map<T, 1>("linear", {count, {x}, y},
            [activation] __device__(const float(&value)[1]) { return activated(activation, value[0]); });
}

// Where the caller also asks for z, the values before the activation, the activation takes a separate pass.
template <class T>
void linear(const Linear<T>& a) {
  const bool keeps = a.z != nullptr;
  multiply_matrices<T, T>({.m = a.rows, .n = a.out, .k = a.in, .transposed_b = a.transposed}, a.x, a.weight,
                          keeps ? a.z : a.y, {.bias = a.bias, .activation = keeps ? Activation::none : a.activation});
  if (keeps) activate_all(a.rows * a.out, a.activation, a.z, a.y);
}

// dz = dy * the derivative of the activation. The same kernel adds up the rows of dz for the gradient of the bias.
template <class T>
struct RowsOfSlopes {
  static constexpr int kAcross = 32, kEach = 8;
  struct Loaded {
    Eight<T> saved, dy;
  };
  Activation activation;
  Size cols;
  const T *saved, *dy;
  T* dz;

  __device__ Loaded load(Size row, Size col) const {
    Loaded both;
    both.saved.load(saved + row * cols + col);
    both.dy.load(dy + row * cols + col);
    return both;
  }
  __device__ void use(const Loaded& both, Size row, Size col, float (&value)[8]) const {
    float before[8];
    both.saved.unpack(before), both.dy.unpack(value);
    for (int e = 0; e < 8; ++e) value[e] *= activation_slope(activation, before[e]);
    store8(dz + row * cols + col, value);
  }
};

template <class T>
void activation_backward(const LinearBackward<T>& a) {
  if (a.dbias != nullptr && a.out % 8 == 0 && aligned16(a.saved, a.dy, a.dz))
    return add_sums("linear_backward", a.rows, a.out, RowsOfSlopes<T>{a.activation, a.out, a.saved, a.dy, a.dz},
                    a.dbias);
  map<T, 2>("linear_backward", {a.rows * a.out, {a.saved, a.dy}, a.dz},
            [kind = a.activation] __device__(const float(&x)[2]) { return x[1] * activation_slope(kind, x[0]); });
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
void add_columns(Size rows, Size cols, const T* x, float* to) {
  constexpr const char* kName = "sum of columns";
  constexpr Size kNarrow = 4096;
  if (cols % 8 != 0 || !aligned16(x))
    add_sums(kName, rows, cols, RowsInOnes<T>{x, cols}, to);
  else if (cols <= kNarrow)
    add_sums(kName, rows, cols, RowsInEights<T, 8>{x, cols}, to);
  else
    add_sums(kName, rows, cols, RowsInEights<T, 32>{x, cols}, to);
}

template <class T>
void repeat_row(Size rows, Size cols, const T* row, Activation activation, T* y) {
  repeat<<<blocks_for(rows * cols, 256), 256, 0, stream()>>>(rows, cols, row, activation, false, y);
  check_launch("repeated row");
}

template <class T>
void finish_rows(Size rows, Size cols, const T* row, Activation activation, T* y) {
  if (row == nullptr) return activate_all(rows * cols, activation, y, y);
  repeat<<<blocks_for(rows * cols, 256), 256, 0, stream()>>>(rows, cols, row, activation, true, y);
  check_launch("row added");
}

template void finish_rows(Size, Size, const float*, Activation, float*);
template void finish_rows(Size, Size, const bf16*, Activation, bf16*);
template void repeat_row(Size, Size, const float*, Activation, float*);
template void repeat_row(Size, Size, const bf16*, Activation, bf16*);
template void add_columns(Size, Size, const float*, float*);
template void add_columns(Size, Size, const bf16*, float*);

template <class T>
void fill_linear(Kernels<T>& kernels) {
  kernels.linear = linear<T>;
  kernels.linear_backward = linear_backward<T>;
}

template void fill_linear(Kernels<float>&);
template void fill_linear(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
