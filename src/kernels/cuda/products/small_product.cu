#include "kernels/cuda/products/product.h"
#include "kernels/cuda/products/product_end.cuh"
#include "kernels/cuda/products/sums_tiles.cuh"

namespace dragoman::kernels::cuda {
namespace {

template <bool kTransposed, bool kIndependent>
bool multiply(const ProductShape& s, const sums::Work& work, bf16* c, const ProductEnd& end) {
  using End = sums::Put<kTransposed, kIndependent>;
  const End put{.alpha = static_cast<float>(s.alpha),
                .activation = end.activation,
                .accumulate = s.accumulate,
                .bias = static_cast<const bf16*>(end.bias),
                .c = c,
                .c_stride = s.c_stride > 0 ? s.c_stride : s.n};
  if (!sums::fits<End>(work) || put.c_stride % 8 != 0 || !aligned16(put.bias, c)) return false;
  sums::launch("product", work, put);
  return true;
}

}  // namespace

bool multiply_small(const ProductShape& s, const bf16* a, const bf16* b, bf16* c, const ProductEnd& end) {
  constexpr Size kMost = Size{1} << 28;  // multiplications
  constexpr Size kMostRows = Size{65535} * kTile;
  if (s.transposed_a || s.m > kMostRows || s.m * s.n * s.k > kMost) return false;
  sums::Work work{.rows = static_cast<int>(s.m), .cols = static_cast<int>(s.n)};
  work.terms[0] = {.x = a,
                   .weight = b,
                   .x_stride = s.a_stride > 0 ? s.a_stride : s.k,
                   .weight_stride = s.b_stride > 0   ? s.b_stride
                                    : s.transposed_b ? s.k
                                                     : s.n,
                   .rows = static_cast<int>(s.m),
                   .size = static_cast<int>(s.k)};
  if (!s.transposed_b) return multiply<false, false>(s, work, c, end);
  return s.independent_b ? multiply<true, true>(s, work, c, end) : multiply<true, false>(s, work, c, end);
}

}  // namespace dragoman::kernels::cuda
