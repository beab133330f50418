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

// The rows of a set lie side by side: one stream of memory to read.
constexpr std::int64_t kRowSet = 8;

// kPairs pairs of rows of the set that starts at `row` times kColumnPairs pairs of columns from `col` on, which lie in
// one panel.
template <class Format, int kPairs, int kColumnPairs>
void multiply_tile(const NarrowBlock& block, std::int64_t row, std::int64_t col) {
  const NarrowBlock p = block;  // a copy that stores to the result cannot change
  typename Format::Sum sums[kPairs][kColumnPairs];
  for (auto& line : sums)
    for (auto& sum : line) sum = Format::zero();
  constexpr std::int64_t kSetStep = 8 * kRowSet, kStep = 8 * kNarrowCols;  // bytes per group of k
  const char* a = p.a + row / kRowSet * (kSetStep * p.groups);
  const char* b = p.b + col / kNarrowCols * (kStep * p.groups) + col % kNarrowCols * 8;
  for (std::int64_t g = 0; g < p.groups; ++g, a += kSetStep, b += kStep) {
    typename Format::Operand left[kPairs];
    for (int r = 0; r < kPairs; ++r) left[r] = Format::load(a + 16 * r);
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

// Fetches a panel from memory, a share for each set of rows that is multiplied by the one before it. A single set reads
// panels as fast as the CPU fetches them by itself.
class Fetcher {
 public:
  Fetcher(const char* panel, const NarrowBlock& p) : next_(panel), small_(8 * kNarrowCols * p.groups <= kSmall) {
    const std::int64_t sets = (p.rows + kRowSet - 1) / kRowSet, lines = 8 * kNarrowCols * p.groups / kLine;
    if (sets > 1) share_ = (lines + sets - 1) / sets;
  }
  void fetch() {
    for (std::int64_t i = 0; i < share_; ++i, next_ += kLine)
      if (small_)
        __builtin_prefetch(next_, 0, 3);  // into the L1 cache
      else
        __builtin_prefetch(next_, 0, 2);
  }

 private:
  static constexpr std::int64_t kLine = 64, kSmall = 16 * 1024;  // bytes
  const char* next_;
  bool small_;
  std::int64_t share_ = 0;
};

// The register file holds the sums of eight rows by eight columns or of six rows by sixteen.
template <class Format>
void multiply(const NarrowBlock& p) {
  for (std::int64_t col = 0; col < p.cols; col += kNarrowCols) {
    Fetcher next(p.b + (col / kNarrowCols + 1) * (8 * kNarrowCols * p.groups), p);
    for (std::int64_t row = 0; row < p.rows; row += kRowSet) {
      next.fetch();
      const std::int64_t left = p.rows - row;
      if (left > 6) {
        multiply_tile<Format, 4, 4>(p, row, col);
        multiply_tile<Format, 4, 4>(p, row, col + 8);
      } else if (left > 4) {
        multiply_tile<Format, 3, 8>(p, row, col);
      } else if (left > 2) {
        multiply_tile<Format, 2, 8>(p, row, col);
      } else {
        multiply_tile<Format, 1, 8>(p, row, col);
      }
    }
  }
}

}  // namespace

const NarrowKernel kInt8Matrix = {.name = "NEON SMMLA",
                                  .group = 8,
                                  .row_set = kRowSet,
                                  .unit = 8,
                                  .padding = 0,
                                  .flip = 0,
                                  .multiply = multiply<Int8>};
const NarrowKernel kBf16Matrix = {.name = "NEON BFMMLA",
                                  .group = 8,
                                  .row_set = kRowSet,
                                  .unit = 8,
                                  .padding = 0,
                                  .flip = 0,
                                  .multiply = multiply<Bf16>};

}  // namespace dragoman::kernels::cpu_filling
#endif
