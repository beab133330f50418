// Kernels of 256-bit vectors, for the sources that compile them with (narrow_avx_vnni.cc) and without VNNI
// (narrow_avx2.cc).
#include <immintrin.h>

#include "kernels/cpu/narrow.h"

namespace dragoman::kernels::cpu_filling {
namespace {

// Eight columns of a panel. Numbers within ±127 make the sum of two products fit 16 bits, so no instruction saturates.
struct Int8 {
  using Sum = __m256i;
  using Left = __m256i;
  struct Right {
    __m256i numbers, magnitudes;
  };
  static Sum zero() { return _mm256_setzero_si256(); }
  static Left left(const char* a) {
    int group;
    __builtin_memcpy(&group, a, sizeof group);
    return _mm256_set1_epi32(group);
  }
  static Right right(const char* b) {
    const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
    return {numbers, _mm256_abs_epi8(numbers)};
  }
  static Sum add(Sum sum, Left a, const Right& b) {
    const __m256i signed_a = _mm256_sign_epi8(a, b.numbers);
#if defined(__AVXVNNI__)
    return _mm256_dpbusd_avx_epi32(sum, b.magnitudes, signed_a);
#else
    const __m256i pairs = _mm256_maddubs_epi16(b.magnitudes, signed_a);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
#endif
  }
  static void store(const NarrowBlock& p, std::int64_t row, std::int64_t col, Sum sum) {
    const __m256 start = p.start ? _mm256_loadu_ps(p.start + row * p.start_stride + col) : _mm256_setzero_ps();
    const __m256 scale = _mm256_mul_ps(_mm256_loadu_ps(p.col_scales + col), _mm256_set1_ps(p.row_scales[row]));
    _mm256_storeu_ps(p.c + row * p.c_stride + col, _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), scale, start));
  }
};

template <class Format, int kRows>
void multiply_tile(const NarrowBlock& p, std::int64_t row, std::int64_t col) {
  constexpr std::int64_t kStep = 4 * kNarrowCols;
  typename Format::Sum sums[kRows][2];
  for (auto& line : sums)
    for (auto& sum : line) sum = Format::zero();
  const char* a = p.a + row * p.row_stride;
  const char* b = p.b + col / kNarrowCols * (kStep * p.groups);
  for (std::int64_t g = 0; g < p.groups; ++g, a += 4, b += kStep) {
    const auto first = Format::right(b), second = Format::right(b + kStep / 2);
    for (int r = 0; r < kRows; ++r) {
      const auto left = Format::left(a + r * p.row_stride);
      sums[r][0] = Format::add(sums[r][0], left, first);
      sums[r][1] = Format::add(sums[r][1], left, second);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    Format::store(p, row + r, col, sums[r][0]);
    Format::store(p, row + r, col + kNarrowCols / 2, sums[r][1]);
  }
}

template <class Format>
void multiply(const NarrowBlock& p) {
  for (std::int64_t col = 0; col < p.cols; col += kNarrowCols)
    for (std::int64_t row = 0; row < p.rows;) {
      switch (p.rows - row) {
        case 1: multiply_tile<Format, 1>(p, row, col), row += 1; break;
        case 2: multiply_tile<Format, 2>(p, row, col), row += 2; break;
        case 3: multiply_tile<Format, 3>(p, row, col), row += 3; break;
        default: multiply_tile<Format, 4>(p, row, col), row += 4; break;
      }
    }
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling
