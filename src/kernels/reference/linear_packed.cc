#include "kernels/reference/packed_row.h"
#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class T>
void pack_weight(const PackWeight<T>& a) {
  const Size step = a.in + 1;
  if (a.bytes) *a.bytes = step * a.out * Size{sizeof(T)};
  if (!a.packed) return;
  T* column = static_cast<T*>(a.packed);
  for (Size o = 0; o < a.out; ++o, column += step) {
    if (a.numbers) {
      std::copy_n(a.numbers + o * a.in, a.in, column);
      column[a.in] = a.scales[o];
      continue;
    }
    if (a.halves) {
      for (Size i = 0; i < a.in; ++i) column[i] = a.halves[o * a.in + i].value();
      column[a.in] = 1;
      continue;
    }
    for (Size i = 0; i < a.in; ++i) column[i] = a.transposed ? a.weight[o * a.in + i] : a.weight[i * a.out + o];
    column[a.in] = round_to(a.format, a.in, column);
  }
}

template <class T>
void pick_columns(const PickColumns<T>& a) {
  const Size step = a.in + 1;
  for (Size c = 0; c < a.count; ++c)
    std::copy_n(static_cast<const T*>(a.packed) + a.columns[c] * step, step, static_cast<T*>(a.picked) + c * step);
}

template <class T>
void unpack_columns(const UnpackColumns<T>& a) {
  for (Size c = 0; c < a.count; ++c) {
    const T* column = static_cast<const T*>(a.packed) + a.columns[c] * (a.in + 1);
    for (Size i = 0; i < a.in; ++i) a.y[c * a.in + i] = column[i] * column[a.in];
  }
}

template <class T>
void linear_packed(const LinearPacked<T>& a) {
  for (Size r = 0; r < a.rows; ++r) {
    const PackedRow<T> row(a.format, a.in, a.x + r * a.in);
    for (Size o = 0; o < a.out; ++o)
      a.y[r * a.out + o] = activate(a.activation, row.times(a.packed, o, a.bias ? a.bias[o] : T(0)));
  }
}

}  // namespace

template <class T>
void fill_linear_packed(Kernels<T>& kernels) {
  kernels.pack_weight = pack_weight<T>;
  kernels.pick_columns = pick_columns<T>;
  kernels.unpack_columns = unpack_columns<T>;
  kernels.linear_packed = linear_packed<T>;
}

template void fill_linear_packed(Kernels<float>&);
template void fill_linear_packed(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
