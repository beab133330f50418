#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class T>
void gather_rows(const GatherRows<T>& a) {
  for (Size r = 0; r < a.rows; ++r)
    for (Size c = 0; c < a.cols; ++c) {
      T value = static_cast<T>(a.scale) * a.table[a.index[r] * a.cols + c];
      if (a.positions) value += a.positions[a.position[r] * a.cols + c];
      a.y[r * a.cols + c] = value;
    }
}

template <class T>
void scatter_rows(const ScatterRows<T>& a) {
  for (Size r = 0; r < a.rows; ++r)
    for (Size c = 0; c < a.cols; ++c)
      a.dtable[a.index[r] * a.cols + c] += static_cast<Stat<T>>(a.scale) * a.dy[r * a.cols + c];
}

template <class T>
void copy_block(const CopyBlock<T>& a) {
  for (Size r = 0; r < a.rows; ++r)
    for (Size c = 0; c < a.cols; ++c) put(a.to[r * a.to_stride + c], a.from[r * a.from_stride + c], a.accumulate);
}

}  // namespace

template <class T>
void fill_rows(Kernels<T>& kernels) {
  kernels.gather_rows = gather_rows<T>;
  kernels.scatter_rows = scatter_rows<T>;
  kernels.copy_block = copy_block<T>;
}

template void fill_rows(Kernels<float>&);
template void fill_rows(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
