#pragma once

#include <algorithm>

#include "base/threads.h"
#include "kernels/types.h"

namespace dragoman::kernels::cpu_filling {

// c[m, n] = alpha op(a) op(b) + beta c. A transposed a is stored [k, m], a transposed b [n, k]; strides are of rows.
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
};

// A block of the result of a product.
struct Panel {
  Size row = 0, rows = 0, col = 0, cols = 0;
};

// The part of a product that gives one panel of its result.
MatrixProduct part_of(const MatrixProduct& whole, const Panel& panel);

// On the calling thread.
void multiply(const MatrixProduct& product);

// Split over the pool by blocks of the result.
void multiply_in_parallel(const MatrixProduct& product);

// Multiplications that are worth a second thread.
constexpr Size kProductGrain = 64 * 1024;

// Cuts an [m, n] result with inner size k into panels, one a thread, and calls f(panel). The longer side is cut: each
// thread then reads all of the smaller operand and its own share of the larger one.
template <class F>
void each_panel(Size m, Size n, Size k, F&& f) {
  constexpr Size kUnit = 16;  // borders that suit the register tiles
  const bool by_columns = n > m;
  const Size side = by_columns ? n : m;
  if (m == 0 || n == 0) return;
  const Size other = std::max<Size>(1, (by_columns ? m : n) * k);
  const Size grain = ((kProductGrain + other - 1) / other + kUnit - 1) / kUnit * kUnit;
  threads::split(side, grain, [&](Size begin, Size end) {
    f(by_columns ? Panel{0, m, begin, end - begin} : Panel{begin, end - begin, 0, n});
  });
}

}  // namespace dragoman::kernels::cpu_filling
