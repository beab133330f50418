#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

// The packed layout is simply [out, in].
template <class T>
void pack_weight(const PackWeight<T>& a) {
  if (a.bytes) *a.bytes = a.in * a.out * Size{sizeof(T)};
  if (!a.packed) return;
  T* packed = static_cast<T*>(a.packed);
  for (Size o = 0; o < a.out; ++o)
    for (Size i = 0; i < a.in; ++i)
      packed[o * a.in + i] = a.transposed ? a.weight[o * a.in + i] : a.weight[i * a.out + o];
}

template <class T>
void linear_packed(const LinearPacked<T>& a) {
  const T* weight = static_cast<const T*>(a.packed);
  for (Size r = 0; r < a.rows; ++r)
    for (Size o = 0; o < a.out; ++o) {
      T sum = a.bias ? a.bias[o] : T(0);
      for (Size i = 0; i < a.in; ++i) sum += a.x[r * a.in + i] * weight[o * a.in + i];
      a.y[r * a.out + o] = activate(a.activation, sum);
    }
}

}  // namespace

template <class T>
void fill_linear_packed(Kernels<T>& kernels) {
  kernels.pack_weight = pack_weight<T>;
  kernels.linear_packed = linear_packed<T>;
}

template void fill_linear_packed(Kernels<float>&);
template void fill_linear_packed(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
