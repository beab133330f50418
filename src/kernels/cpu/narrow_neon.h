#pragma once

#include <arm_neon.h>

#include "kernels/cpu/narrow.h"

// What the kernels for NEON have in common: how sums become results. Included by files that are compiled for one CPU
// alone, so all of it has internal linkage.
namespace dragoman::kernels::cpu_filling {
namespace {

// bias + sum * (row scale * column scale), for four columns from `col` on.
inline void store_sums(const NarrowBlock& p, std::int64_t row, std::int64_t col, int32x4_t sums) {
  const float32x4_t start = p.start ? vld1q_f32(p.start + row * p.start_stride + col) : vdupq_n_f32(0);
  const float32x4_t scale = vmulq_n_f32(vld1q_f32(p.col_scales + col), p.row_scales[row]);
  vst1q_f32(p.c + row * p.c_stride + col, vfmaq_f32(start, vcvtq_f32_s32(sums), scale));
}
inline void store_sums(const NarrowBlock& p, std::int64_t row, std::int64_t col, float32x4_t sums) {
  const float32x4_t start = p.start ? vld1q_f32(p.start + row * p.start_stride + col) : vdupq_n_f32(0);
  vst1q_f32(p.c + row * p.c_stride + col, vaddq_f32(start, sums));
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling
