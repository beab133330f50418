#include "kernels/cuda/columns.cuh"

namespace dragoman::kernels::cuda {
namespace {

template <class T>
__global__ void repeat(Size rows, Size cols, const T* row, bool relu, bool add, T* y) {
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= rows * cols) return;
  const float value = (add ? to_float(y[e]) : 0.0f) + (row != nullptr ? to_float(row[e % cols]) : 0.0f);
  y[e] = rounded<T>(relu ? fmaxf(value, 0.0f) : value);
}

}  // namespace

template <class T>
void add_columns(Size rows, Size cols, const T* x, float* to) {
  constexpr const char* kName = "sum of columns";
  if (cols % 8 == 0 && aligned16(x))
    add_sums<8>(
        kName, rows, cols,
        [x, cols] __device__(Size row, Size col, float(&value)[8]) { load8(x + row * cols + col, value); }, to);
  else
    add_sums<1>(
        kName, rows, cols,
        [x, cols] __device__(Size row, Size col, float(&value)[1]) { value[0] = to_float(x[row * cols + col]); }, to);
}

template <class T>
void repeat_row(Size rows, Size cols, const T* row, bool relu, T* y) {
  repeat<<<blocks_for(rows * cols, 256), 256, 0, stream()>>>(rows, cols, row, relu, false, y);
  check_launch("repeated row");
}

template <class T>
void finish_rows(Size rows, Size cols, const T* row, bool relu, T* y) {
  repeat<<<blocks_for(rows * cols, 256), 256, 0, stream()>>>(rows, cols, row, relu, true, y);
  check_launch("row added");
}

template void finish_rows(Size, Size, const float*, bool, float*);
template void finish_rows(Size, Size, const bf16*, bool, bf16*);

template void repeat_row(Size, Size, const float*, bool, float*);
template void repeat_row(Size, Size, const bf16*, bool, bf16*);
template void add_columns(Size, Size, const float*, float*);
template void add_columns(Size, Size, const bf16*, float*);

}  // namespace dragoman::kernels::cuda
