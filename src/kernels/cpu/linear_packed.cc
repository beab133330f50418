#include <algorithm>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/linear_packed.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/packed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

void pack_weight(const PackWeight<float>& a) {
  const Size panels = column_panels(a.out);
  if (a.bytes) *a.bytes = panels * kMicroCols * a.in * Size{sizeof(float)};
  if (!a.packed) return;
  auto* packed = static_cast<float*>(a.packed);
  const Size stride = a.transposed ? a.in : a.out;
  threads::split(panels, row_grain(a.in * kMicroCols), [&](Size begin, Size end) {
    pack_column_panels(begin, end, a.in, a.out, a.weight, stride, a.transposed, packed);
  });
}

template <Activation kind>
void activate_block(Size rows, Size cols, float* y, Size stride) {
  for (Size r = 0; r < rows; ++r, y += stride)
    each_vector(0, cols, [&](Size c, auto lanes) HWY_ATTR { lanes.store(activate<kind>(lanes.load(y + c)), y + c); });
}

// Works on some columns at a time, so that the activation (the epilogue) finds them in the cache.
void linear_block(const PackedBlock& whole, Activation activation) {
  constexpr Size kCols = 8 * kMicroCols;
  if (activation == Activation::none) return multiply_block(whole);
  for (Size col = 0; col < whole.cols; col += kCols) {
    PackedBlock part = whole;
    part.cols = std::min(kCols, whole.cols - col);
    part.b += col * whole.k;
    if (whole.start) part.start += col;
    part.c += col;
    multiply_block(part);
    with_activation(activation, [&](auto kind) HWY_ATTR {
      activate_block<decltype(kind)::value>(part.rows, part.cols, part.c, part.c_stride);
    });
  }
}

void linear_packed(const LinearPacked<float>& a) {
  if (a.out == 0) return;
  const auto* weights = static_cast<const float*>(a.packed);
  for (Size first = 0; first < a.rows; first += rows_at_once(a.in)) {
    const Size rows = std::min(rows_at_once(a.in), a.rows - first);
    float* memory = scratch(Scratch::shared, rows == 1 ? 0 : row_panels_size(rows, a.in));
    const float* panels = pack_rows(rows, a.in, a.x + first * a.in, memory);
    const PackedGrid grid(rows, column_panels(a.out), kMicroCols, a.in, rows_in_cache(a.in));
    threads::each(grid.count(), [&](Size piece) HWY_ATTR {
      const Size row = grid.first_row(piece), col = grid.first_unit(piece) * kMicroCols;
      PackedBlock block{.rows = grid.row_count(piece), .k = a.in};
      block.cols = std::min(a.out, grid.last_unit(piece) * kMicroCols) - col;
      block.a = panels + row_panels_size(row, a.in);
      block.b = weights + col * a.in;
      block.start = a.bias ? a.bias + col : nullptr;
      block.c = a.y + (first + row) * a.out + col;
      block.c_stride = a.out;
      linear_block(block, a.activation);
    });
  }
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(pack_weight);
HWY_EXPORT(linear_packed);

void fill_linear_packed(Kernels<float>& kernels) {
  kernels.pack_weight = [](const auto& a) { HWY_DYNAMIC_DISPATCH(pack_weight)(a); };
  kernels.linear_packed = [](const auto& a) { HWY_DYNAMIC_DISPATCH(linear_packed)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
