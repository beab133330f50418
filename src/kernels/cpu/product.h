#pragma once

#include <algorithm>

#include "base/threads.h"
#include "kernels/types.h"

namespace dragoman::kernels::cpu_filling {

// c[m, n] = alpha op(a) op(b) + beta c. A transposed a is stored [k, m], a transposed b [n, k]. Strides are between
// rows.
struct MatrixProduct {
  Size m = 0, n = 0, k = 0;
  const float* a = nullptr;
  Size a_stride = 0;
  bool transposed_a = false;
  const float* b = nullptr;
  Size b_stride = 0;
  bool transposed_b = false;
  float* c = nullptr;
  Size c_stride = 0;
  float alpha = 1, beta = 0;
  bool bf16 = false;  // factors are rounded to bf16; then alpha is 1 and beta 0 or 1
};

// One operand of a product, seen as lines of length k: those of the left one are rows, those of the right one columns
// of the result. They are contiguous or have k as the slow index.
struct Lines {
  const float* data = nullptr;
  Size count = 0, k = 0, stride = 0;
  bool contiguous = true;

  static Lines left(const MatrixProduct& p) { return {p.a, p.m, p.k, p.a_stride, !p.transposed_a}; }
  static Lines right(const MatrixProduct& p) { return {p.b, p.n, p.k, p.b_stride, p.transposed_b}; }
  // `lines` lines from line `first` on, with `depth` values of k from `at` on.
  Lines part(Size first, Size lines, Size at, Size depth) const {
    return {data + (contiguous ? first * stride + at : first + at * stride), lines, depth, stride, contiguous};
  }
};

// A block of the result of a product.
struct Block {
  Size row = 0, rows = 0, col = 0, cols = 0;
};

// The product that computes one block of the result.
MatrixProduct part_of(const MatrixProduct& whole, const Block& block);

// On the calling thread.
void multiply(const MatrixProduct& product);

// Parallel over blocks of the result.
void multiply_in_parallel(const MatrixProduct& product);

// Multiply-adds that justify one more thread: several microseconds.
constexpr Size kProductGrain = 256 * 1024;

// Partition of an [m, n] result into a grid of blocks, one per thread. Minimises rows + columns of a block, because a
// block reads its rows of one operand and its columns of the other.
struct BlockGrid {
  Size rows = 1, cols = 1;

  static BlockGrid of(Size m, Size n, Size k, Size threads) {
    threads = std::min(threads, m * n * k / kProductGrain);
    BlockGrid best;
    Size shortest = m + n;
    for (Size count = threads; count > 1 && best.rows * best.cols == 1; --count)
      for (Size rows = 1; rows <= count; ++rows) {
        if (count % rows != 0 || rows * kUnit > m + kUnit - 1 || count / rows * kUnit > n + kUnit - 1) continue;
        const Size side = (m + rows - 1) / rows + (n * rows + count - 1) / count;
        if (side < shortest) shortest = side, best = {rows, count / rows};
      }
    return best;
  }

  // Boundaries are multiples of kUnit, to fit the register tiles.
  static constexpr Size kUnit = 16;
  static Size border(Size size, Size parts, Size index) {
    const Size units = (size + kUnit - 1) / kUnit;
    return std::min(size, units * index / parts * kUnit);
  }
};

// Calls f(block) for every block of a result, on as many threads as the work justifies.
template <class F>
void each_block(Size m, Size n, Size k, F&& f) {
  if (m == 0 || n == 0) return;
  const BlockGrid grid = BlockGrid::of(m, n, k, threads::count());
  threads::each(grid.rows * grid.cols, [&](Size i) {
    const Size row = BlockGrid::border(m, grid.rows, i / grid.cols);
    const Size col = BlockGrid::border(n, grid.cols, i % grid.cols);
    f(Block{row, BlockGrid::border(m, grid.rows, i / grid.cols + 1) - row, col,
            BlockGrid::border(n, grid.cols, i % grid.cols + 1) - col});
  });
}

}  // namespace dragoman::kernels::cpu_filling
