// For CPUs whose NEON multiplies 2 x 2 blocks: SMMLA (int8, eight values of k) and BFMMLA (bf16, four values of k).
#if defined(__aarch64__)
#include "kernels/cpu/narrow_neon.h"

namespace dragoman::kernels::cpu_filling {
namespace {

struct Int8 {
  using Operand = int8x16_t;
  using Sum = int32x4_t;
  static Operand load(const char* from) { return vld1q_s8(reinterpret_cast<const std::int8_t*>(from)); }
  static Sum zero() { return vdupq_n_s32(0); }
  static Sum add(Sum sum, Operand a, Operand b) { return vmmlaq_s32(sum, a, b); }
  static Sum first_row(Sum a, Sum b) {
    return vreinterpretq_s32_s64(vtrn1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
  }
  static Sum second_row(Sum a, Sum b) {
    return vreinterpretq_s32_s64(vtrn2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
  }
};

struct Bf16 {
  using Operand = bfloat16x8_t;
  using Sum = float32x4_t;
  static Operand load(const char* from) { return vld1q_bf16(reinterpret_cast<const bfloat16_t*>(from)); }
  static Sum zero() { return vdupq_n_f32(0); }
  static Sum add(Sum sum, Operand a, Operand b) { return vbfmmlaq_f32(sum, a, b); }
  static Sum first_row(Sum a, Sum b) {
    return vreinterpretq_f32_f64(vtrn1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
  }
  static Sum second_row(Sum a, Sum b) {
    return vreinterpretq_f32_f64(vtrn2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
  }
};

// kPairs pairs of rows from `row` on times kColumnPairs pairs of columns from `col` on, which lie in one panel.
template <class Format, int kPairs, int kColumnPairs>
void multiply_tile(const NarrowBlock& p, std::int64_t row, std::int64_t col) {
  typename Format::Sum sums[kPairs][kColumnPairs];
  for (auto& line : sums)
    for (auto& sum : line) sum = Format::zero();
  const std::int64_t pair_bytes = 16 * p.groups, step = 8 * kNarrowCols;
  const char* a = p.a + row / 2 * pair_bytes;
  const char* b = p.b + col / kNarrowCols * (step * p.groups) + col % kNarrowCols * 8;
  for (std::int64_t g = 0; g < p.groups; ++g, a += 16, b += step) {
    typename Format::Operand left[kPairs];
    for (int r = 0; r < kPairs; ++r) left[r] = Format::load(a + r * pair_bytes);
    for (int c = 0; c < kColumnPairs; ++c) {
      const auto right = Format::load(b + 16 * c);
      for (int r = 0; r < kPairs; ++r) sums[r][c] = Format::add(sums[r][c], left[r], right);
    }
  }
  for (int r = 0; r < kPairs; ++r)
    for (int c = 0; c < kColumnPairs; c += 2) {
      store_sums(p, row + 2 * r, col + 2 * c, Format::first_row(sums[r][c], sums[r][c + 1]));
      if (row + 2 * r + 1 < p.rows)
        store_sums(p, row + 2 * r + 1, col + 2 * c, Format::second_row(sums[r][c], sums[r][c + 1]));
    }
}

// The register file holds the sums of eight rows by eight columns or of six rows by sixteen.
template <class Format>
void multiply(const NarrowBlock& p) {
  for (std::int64_t col = 0; col < p.cols; col += kNarrowCols)
    for (std::int64_t row = 0; row < p.rows;) {
      const std::int64_t left = p.rows - row;
      if (left > 6) {
        multiply_tile<Format, 4, 4>(p, row, col);
        multiply_tile<Format, 4, 4>(p, row, col + 8);
        row += 8;
      } else if (left > 4) {
        multiply_tile<Format, 3, 8>(p, row, col);
        row += 6;
      } else if (left > 2) {
        multiply_tile<Format, 2, 8>(p, row, col);
        row += 4;
      } else {
        multiply_tile<Format, 1, 8>(p, row, col);
        row += 2;
      }
    }
}

}  // namespace

const NarrowKernel kInt8Matrix = {"NEON SMMLA", 8, 2, 8, 0, 0, multiply<Int8>};
const NarrowKernel kBf16Matrix = {"NEON BFMMLA", 8, 2, 8, 0, 0, multiply<Bf16>};

}  // namespace dragoman::kernels::cpu_filling
#endif
