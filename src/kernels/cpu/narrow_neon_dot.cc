// For CPUs whose NEON has SDOT, which adds up the products of four bytes for each of four columns.
#if defined(__aarch64__)
#include "kernels/cpu/narrow_neon.h"

namespace dragoman::kernels::cpu_filling {
namespace {

int8x16_t load(const char* from) { return vld1q_s8(reinterpret_cast<const std::int8_t*>(from)); }

// Group kLane of the left vectors times four vectors of the panel.
template <int kLane, int kRows>
inline void add_group(int32x4_t (&sums)[kRows][4], const int8x16_t (&left)[kRows], const char* b) {
  for (int c = 0; c < 4; ++c) {
    const int8x16_t right = load(b + 16 * c);
    for (int r = 0; r < kRows; ++r) sums[r][c] = vdotq_laneq_s32(sums[r][c], right, left[r], kLane);
  }
}

// kRows rows from `row` on times the panel of column `col`.
template <int kRows>
void multiply_tile(const NarrowBlock& p, std::int64_t row, std::int64_t col) {
  int32x4_t sums[kRows][4];
  for (auto& line : sums)
    for (auto& sum : line) sum = vdupq_n_s32(0);
  constexpr std::int64_t kStep = 4 * kNarrowCols;
  const char* a = p.a + row * p.row_stride;
  const char* b = p.b + col / kNarrowCols * (kStep * p.groups);
  for (std::int64_t g = 0; g < p.groups; g += 4, a += 16, b += 4 * kStep) {
    int8x16_t left[kRows];
    for (int r = 0; r < kRows; ++r) left[r] = load(a + r * p.row_stride);
    add_group<0>(sums, left, b);
    add_group<1>(sums, left, b + kStep);
    add_group<2>(sums, left, b + 2 * kStep);
    add_group<3>(sums, left, b + 3 * kStep);
  }
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < 4; ++c) store_sums(p, row + r, col + 4 * c, sums[r][c]);
}

void multiply(const NarrowBlock& p) {
  for (std::int64_t col = 0; col < p.cols; col += kNarrowCols)
    for (std::int64_t row = 0; row < p.rows;) {
      switch (p.rows - row) {
        case 1: multiply_tile<1>(p, row, col), row += 1; break;
        case 2: multiply_tile<2>(p, row, col), row += 2; break;
        case 3: multiply_tile<3>(p, row, col), row += 3; break;
        case 4: multiply_tile<4>(p, row, col), row += 4; break;
        default: multiply_tile<5>(p, row, col), row += 5; break;
      }
    }
}

}  // namespace

const NarrowKernel kInt8Dot = {
    .name = "NEON SDOT", .group = 4, .row_set = 1, .unit = 16, .padding = 0, .flip = 0, .multiply = multiply};

}  // namespace dragoman::kernels::cpu_filling
#endif
