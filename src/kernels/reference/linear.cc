#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class T>
void linear(const Linear<T>& a) {
  for (Size r = 0; r < a.rows; ++r)
    for (Size o = 0; o < a.out; ++o) {
      T sum = a.bias ? a.bias[o] : T(0);
      for (Size i = 0; i < a.in; ++i)
        sum += a.x[r * a.in + i] * (a.transposed ? a.weight[o * a.in + i] : a.weight[i * a.out + o]);
      if (a.z) a.z[r * a.out + o] = sum;
      a.y[r * a.out + o] = activate(a.activation, sum);
    }
}

// dz = dy * act'(z);  dx = dz W^T;  dW += x^T dz;  db += sum of dz over rows.
template <class T>
void linear_backward(const LinearBackward<T>& a) {
  const T* dz = a.dy;
  if (a.activation != Activation::none) {
    for (Size e = 0; e < a.rows * a.out; ++e) a.dz[e] = a.dy[e] * activation_slope(a.activation, a.saved[e]);
    dz = a.dz;
  }
  const auto weight_at = [&](Size i, Size o) { return a.transposed ? o * a.in + i : i * a.out + o; };
  if (a.dx)
    for (Size r = 0; r < a.rows; ++r)
      for (Size i = 0; i < a.in; ++i) {
        T sum = 0;
        for (Size o = 0; o < a.out; ++o) sum += dz[r * a.out + o] * a.weight[weight_at(i, o)];
        put(a.dx[r * a.in + i], sum, a.accumulate_dx);
      }
  if (a.dweight)
    for (Size i = 0; i < a.in; ++i)
      for (Size o = 0; o < a.out; ++o) {
        Stat<T> sum = 0;
        for (Size r = 0; r < a.rows; ++r) sum += a.x[r * a.in + i] * dz[r * a.out + o];
        a.dweight[weight_at(i, o)] += sum;
      }
  if (a.dbias)
    for (Size o = 0; o < a.out; ++o) {
      Stat<T> sum = 0;
      for (Size r = 0; r < a.rows; ++r) sum += dz[r * a.out + o];
      a.dbias[o] += sum;
    }
}

template <class T>
void matmul(const Matmul<T>& g) {
  for (Size p = 0; p < g.count; ++p) {
    const Product& s = g.products[p];
    for (Size i = 0; i < s.m; ++i)
      for (Size j = 0; j < s.n; ++j) {
        T sum = 0;
        for (Size l = 0; l < s.k; ++l) {
          const T left = g.a[s.a + (g.transposed_a ? l * s.a_stride + i : i * s.a_stride + l)];
          const T right = g.b[s.b + (g.transposed_b ? j * s.b_stride + l : l * s.b_stride + j)];
          sum += left * right;
        }
        put(g.c[s.c + i * s.c_stride + j], static_cast<T>(g.alpha) * sum, g.accumulate);
      }
  }
}

}  // namespace

template <class T>
void fill_linear(Kernels<T>& kernels) {
  kernels.linear = linear<T>;
  kernels.linear_backward = linear_backward<T>;
  kernels.matmul = matmul<T>;
}

template void fill_linear(Kernels<float>&);
template void fill_linear(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
