#include <algorithm>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/linear_packed.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/narrow-inl.h"
#include "kernels/cpu/packed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

float round_line(WeightFormat format, Size k, const float* x, Size bytes, char* to) {
  return round_row(format, k, x, bytes, to);
}

void pack_weight(const PackWeight<float>& a) {
  if (a.format != WeightFormat::same) return pack_narrow_weight(a);
  const Size panels = column_panels(a.out);
  if (a.bytes) *a.bytes = panels * kMicroCols * a.in * Size{sizeof(float)};
  if (!a.packed) return;
  auto* packed = static_cast<float*>(a.packed);
  const Size stride = a.transposed ? a.in : a.out;
  threads::split(panels, row_grain(a.in * kMicroCols), [&](Size begin, Size end) {
    pack_column_panels(begin, end, a.in, a.out, a.weight, stride, a.transposed, packed);
  });
}

// A column of the packed weight is spread over a whole panel, a row of the plain one is contiguous.
void pick_columns(const PickColumns<float>& a) {
  if (a.format != WeightFormat::same) return pick_narrow_columns(a);
  threads::split(column_panels(a.count), row_grain(a.in * kMicroCols), [&](Size begin, Size end) HWY_ATTR {
    for (Size panel = begin; panel < end; ++panel) {
      const Size first = panel * kMicroCols, cols = std::min(kMicroCols, a.count - first);
      float* to = static_cast<float*>(a.picked) + first * a.in;
      for (Size c = 0; c < cols; ++c) {
        const float* from = a.weight + a.columns[first + c] * a.in;
        for (Size i = 0; i < a.in; ++i) to[i * kMicroCols + c] = from[i];
      }
      for (Size i = 0; i < a.in; ++i) std::fill(to + i * kMicroCols + cols, to + (i + 1) * kMicroCols, 0.0f);
    }
  });
}

void unpack_columns(const UnpackColumns<float>& a) {
  if (a.format != WeightFormat::same) return unpack_narrow_columns(a);
  threads::split(a.count, row_grain(a.in), [&](Size begin, Size end) HWY_ATTR {
    for (Size c = begin; c < end; ++c) {
      const Size panel = a.columns[c] / kMicroCols, place = a.columns[c] % kMicroCols;
      const float* from = static_cast<const float*>(a.packed) + panel * kMicroCols * a.in + place;
      for (Size i = 0; i < a.in; ++i) a.y[c * a.in + i] = from[i * kMicroCols];
    }
  });
}

template <Activation kind>
void activate_block(Size rows, Size cols, float* y, Size stride) {
  for (Size r = 0; r < rows; ++r, y += stride)
    each_vector(0, cols, [&](Size c, auto lanes) HWY_ATTR { lanes.store(activate<kind>(lanes.load(y + c)), y + c); });
}

// Computes a block of y; works on some columns at a time, so that the activation (the epilogue) finds them in the
// cache.
template <class Product>
void linear_block(const LinearPacked<float>& a, const Product& product, const Block& whole, float* y) {
  const Size step = a.activation == Activation::none ? whole.cols : 8 * Product::kCols;
  for (Size col = 0; col < whole.cols; col += step) {
    Block part = whole;
    part.col += col;
    part.cols = std::min(step, whole.cols - col);
    product.multiply(part, a.bias ? a.bias + part.col : nullptr, y + col, a.out);
    if (a.activation == Activation::none) continue;
    with_activation(a.activation, [&](auto kind) HWY_ATTR {
      activate_block<decltype(kind)::value>(part.rows, part.cols, y + col, a.out);
    });
  }
}

template <class Product>
void multiply_linear(const LinearPacked<float>& a) {
  for (Size first = 0; first < a.rows; first += Product::rows_at_once(a.in)) {
    const Size rows = std::min(Product::rows_at_once(a.in), a.rows - first);
    float* memory = scratch(Scratch::shared, Product::memory_size(a.format, rows, a.in));
    const Product product(a.format, rows, a.in, a.out, a.x + first * a.in, a.packed, memory);
    const Size unit = Product::panels_at_once(rows) * Product::kCols;
    const PackedGrid grid(rows, (a.out + unit - 1) / unit, unit, a.in, Product::rows_in_cache(a.in), Product::kSpeed,
                          Product::kReading);
    threads::each(grid.count(), [&](Size piece) HWY_ATTR {
      Block block{.row = grid.first_row(piece), .rows = grid.row_count(piece), .col = grid.first_unit(piece) * unit};
      block.cols = std::min(a.out, grid.last_unit(piece) * unit) - block.col;
      linear_block(a, product, block, a.y + (first + block.row) * a.out + block.col);
    });
  }
}

void linear_packed(const LinearPacked<float>& a) {
  if (a.out == 0) return;
  if (a.format == WeightFormat::same)
    multiply_linear<PlainProduct>(a);
  else
    multiply_linear<NarrowProduct>(a);
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(pack_weight);
HWY_EXPORT(pick_columns);
HWY_EXPORT(unpack_columns);
HWY_EXPORT(linear_packed);
HWY_EXPORT(round_line);

void fill_linear_packed(Kernels<float>& kernels) {
  kernels.pack_weight = [](const auto& a) { HWY_DYNAMIC_DISPATCH(pack_weight)(a); };
  kernels.pick_columns = [](const auto& a) { HWY_DYNAMIC_DISPATCH(pick_columns)(a); };
  kernels.unpack_columns = [](const auto& a) { HWY_DYNAMIC_DISPATCH(unpack_columns)(a); };
  kernels.linear_packed = [](const auto& a) { HWY_DYNAMIC_DISPATCH(linear_packed)(a); };
}

float round_line(WeightFormat format, Size k, const float* x, Size bytes, char* to) {
  return HWY_DYNAMIC_DISPATCH(round_line)(format, k, x, bytes, to);
}

}  // namespace dragoman::kernels::cpu_filling
#endif
