#include <algorithm>

#include "base/threads.h"
#include "kernels/cpu/bf16_product.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/split_product.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/linear.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

// Epilogue: y = activation(z) for one block while it is in the cache. z may be y.
template <Activation kind>
void activate_block(const Linear<float>& a, const float* z, const Block& block) {
  for (Size r = block.row; r < block.row + block.rows; ++r) {
    const Size at = r * a.out;
    each_vector(at + block.col, at + block.col + block.cols,
                [&](Size i, auto lanes) HWY_ATTR { lanes.store(activate<kind>(lanes.load(z + i)), a.y + i); });
  }
}

// One block of the result. It is initialised with the bias, which costs nothing: BLAS adds products to the result and
// would clear it otherwise.
void linear_block(const Linear<float>& a, const MatrixProduct& whole, const Block& block) {
  MatrixProduct part = part_of(whole, block);
  if (a.bias) {
    for (Size r = 0; r < block.rows; ++r) std::copy_n(a.bias + block.col, block.cols, part.c + r * a.out);
    part.beta = 1;
  }
  multiply(part);
  if (a.activation == Activation::none) {
    if (a.z)
      for (Size r = 0; r < block.rows; ++r)
        std::copy_n(part.c + r * a.out, block.cols, a.y + (block.row + r) * a.out + block.col);
    return;
  }
  with_activation(a.activation, [&](auto kind) HWY_ATTR { activate_block<decltype(kind)::value>(a, whole.c, block); });
}

void linear(const Linear<float>& a) {
  const bool bf16 = bf16_products();
  MatrixProduct whole{.m = a.rows, .n = a.out, .k = a.in, .a = a.x, .a_stride = a.in, .b = a.weight};
  whole.b_stride = a.transposed ? a.in : a.out;
  whole.transposed_b = a.transposed;
  whole.c = a.z ? a.z : a.y;
  whole.c_stride = a.out;
  whole.bf16 = bf16;
  // Weights are packed again for every block, so blocks have many rows, but for BLAS not more than fit into the cache.
  const Size block_rows = bf16 || split_kernel_for(whole) ? 4096 : 512;
  const bool epilogue = a.activation != Activation::none || a.z;
  each_block(a.rows, a.out, a.in, [&](const Block& block) HWY_ATTR {
    if (!epilogue) return linear_block(a, whole, block);
    for (Size done = 0; done < block.rows; done += block_rows)
      linear_block(a, whole, {block.row + done, std::min(block_rows, block.rows - done), block.col, block.cols});
  });
}

// dz = dy * act'(saved) and dbias += its column sums, for blocks of columns and in the order of rows.
template <Activation kind>
void output_gradient(const LinearBackward<float>& a, Size begin, Size end) {
  constexpr Size kBlock = 1024;  // their sums stay in the L1 cache, and a block's row is read in one go
  const float* saved = kind == Activation::none ? a.dy : a.saved;
  alignas(64) float sums[kBlock];
  for (Size first = begin; first < end; first += kBlock) {
    const Size last = std::min(first + kBlock, end);
    std::fill(sums, sums + (last - first), 0.0f);
    for (Size r = 0; r < a.rows; ++r)
      each_vector(0, last - first, [&](Size c, auto lanes) HWY_ATTR {
        const Size i = r * a.out + first + c;
        const V dz = activate_backward<kind>(lanes.load(saved + i), lanes.load(a.dy + i));
        if (kind != Activation::none) lanes.store(dz, a.dz + i);
        lanes.store(hn::Add(lanes.load(sums + c), dz), sums + c);
      });
    if (a.dbias)
      each_vector(0, last - first, [&](Size c, auto lanes) HWY_ATTR {
        lanes.store(hn::Add(lanes.load(a.dbias + first + c), lanes.load(sums + c)), a.dbias + first + c);
      });
  }
}

void linear_backward(const LinearBackward<float>& a) {
  const float* dz = a.activation == Activation::none ? a.dy : a.dz;
  if (a.dbias || a.activation != Activation::none)
    with_activation(a.activation, [&](auto kind) HWY_ATTR {
      const Size grain = round_up(row_grain(a.rows), 8 * kLanes);
      threads::split(a.out, grain,
                     [&](Size begin, Size end) { output_gradient<decltype(kind)::value>(a, begin, end); });
    });
  if (a.dx) {
    MatrixProduct product{.m = a.rows, .n = a.in, .k = a.out, .a = dz, .a_stride = a.out, .b = a.weight};
    product.b_stride = a.transposed ? a.in : a.out;
    product.transposed_b = !a.transposed;
    product.c = a.dx;
    product.c_stride = a.in;
    product.beta = a.accumulate_dx ? 1 : 0;
    product.bf16 = bf16_products();
    multiply_in_parallel(product);
  }
  if (a.dweight) {
    // [out, in] += dz^T x, or [in, out] += x^T dz.
    const float* left = a.transposed ? dz : a.x;
    const float* right = a.transposed ? a.x : dz;
    MatrixProduct product{.m = a.transposed ? a.out : a.in, .n = a.transposed ? a.in : a.out, .k = a.rows};
    product.a = left, product.a_stride = product.m, product.transposed_a = true;
    product.b = right, product.b_stride = product.n;
    product.c = a.dweight, product.c_stride = product.n, product.beta = 1;
    product.bf16 = bf16_products();
    multiply_in_parallel(product);
  }
}

// Products are distributed one by one (dynamic scheduling); where they are few, each is split into several row ranges.
void matmul(const Matmul<float>& g) {
  const auto multiply_rows = [&](const Product& p, Size first, Size last) {
    MatrixProduct product{.m = p.m, .n = p.n, .k = p.k, .a = g.a + p.a, .a_stride = p.a_stride};
    product.transposed_a = g.transposed_a;
    product.b = g.b + p.b, product.b_stride = p.b_stride, product.transposed_b = g.transposed_b;
    product.c = g.c + p.c, product.c_stride = p.c_stride;
    product.alpha = static_cast<float>(g.alpha), product.beta = g.accumulate ? 1 : 0;
    multiply(part_of(product, {first, last - first, 0, p.n}));
  };
  Size work = 0;
  for (Size p = 0; p < g.count; ++p) work += g.products[p].m * g.products[p].n * g.products[p].k;
  const Size threads = std::min<Size>(threads::count(), work / kProductGrain);
  if (threads < 2) {
    for (Size p = 0; p < g.count; ++p) multiply_rows(g.products[p], 0, g.products[p].m);
    return;
  }
  constexpr Size kUnit = 16;
  const Size cuts = g.count >= 2 * threads ? 1 : (2 * threads + g.count - 1) / g.count;
  // Many products are distributed in batches to reduce the scheduling overhead.
  const Size lot = std::max<Size>(1, g.count / (8 * threads));
  threads::each((g.count + lot - 1) / lot * cuts, [&](Size item) {
    const Size first = item / cuts * lot, cut = item % cuts;
    for (Size i = first; i < std::min(first + lot, g.count); ++i) {
      const Product& p = g.products[i];
      const Size units = (p.m + kUnit - 1) / kUnit;
      const Size begin = units * cut / cuts * kUnit, end = std::min(p.m, units * (cut + 1) / cuts * kUnit);
      if (begin < end) multiply_rows(p, begin, end);
    }
  });
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(linear);
HWY_EXPORT(linear_backward);
HWY_EXPORT(matmul);

void fill_linear(Kernels<float>& kernels) {
  kernels.linear = [](const auto& a) { HWY_DYNAMIC_DISPATCH(linear)(a); };
  kernels.linear_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(linear_backward)(a); };
  kernels.matmul = [](const auto& a) { HWY_DYNAMIC_DISPATCH(matmul)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
