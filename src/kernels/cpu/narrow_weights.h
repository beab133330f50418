#pragma once

#include <span>

#include "kernels/arguments/products.h"
#include "kernels/cpu/narrow.h"

namespace dragoman::kernels::cpu_filling {

// All kernels of a narrow format that this CPU supports, the best first.
std::span<const NarrowKernel* const> narrow_kernels(WeightFormat format);
// The kernel in use: the best, unless a test chose another one.
const NarrowKernel& narrow_kernel(WeightFormat format);
void use_narrow_kernel(WeightFormat format, const NarrowKernel& kernel);

// A packed weight of a narrow format: scales of the columns (int8 only), then panels.
struct NarrowWeights {
  Size groups = 0, panels = 0;
  const float* scales = nullptr;  // [panels * kNarrowCols]
  const char* data = nullptr;

  // `packed` may be null, to ask for sizes only.
  NarrowWeights(WeightFormat format, Size in, Size out, const void* packed);
  Size panel_bytes() const { return group_ * groups * kNarrowCols; }
  Size bytes() const { return scale_bytes_ + panels * panel_bytes(); }

 private:
  Size group_, scale_bytes_;
};

// Rounds k numbers to a narrow format in `bytes` bytes at `to`, which is padded with zeros; returns the scale.
float round_line(WeightFormat format, Size k, const float* x, Size bytes, char* to);

void pack_narrow_weight(const PackWeight<float>& a);
void pick_narrow_columns(const PickColumns<float>& a);
void unpack_narrow_columns(const UnpackColumns<float>& a);

}  // namespace dragoman::kernels::cpu_filling
