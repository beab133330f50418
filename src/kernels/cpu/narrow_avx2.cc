// For x86-64 CPUs with AVX2 and FMA.
#if defined(__x86_64__)
#include "kernels/cpu/narrow_avx2-inl.h"

namespace dragoman::kernels::cpu_filling {
namespace {

// Each group holds two bf16, which are the upper halves of floats.
struct Bf16 {
  using Sum = __m256;
  struct Left {
    __m256 first, second;
  };
  using Right = Left;
  static Sum zero() { return _mm256_setzero_ps(); }
  static Left halves(__m256i groups) {
    return {_mm256_castsi256_ps(_mm256_slli_epi32(groups, 16)),
            _mm256_castsi256_ps(_mm256_and_si256(groups, _mm256_set1_epi32(-65536)))};
  }
  static Left left(const char* a) { return halves(Int8::left(a)); }
  static Right right(const char* b) { return halves(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(b))); }
  static Sum add(Sum sum, const Left& a, const Right& b) {
    return _mm256_fmadd_ps(a.second, b.second, _mm256_fmadd_ps(a.first, b.first, sum));
  }
  static void store(const NarrowBlock& p, std::int64_t row, std::int64_t col, Sum sum) {
    const __m256 start = p.start ? _mm256_loadu_ps(p.start + row * p.start_stride + col) : _mm256_setzero_ps();
    _mm256_storeu_ps(p.c + row * p.c_stride + col, _mm256_add_ps(start, sum));
  }
};

}  // namespace

const NarrowKernel kInt8Avx2 = {
    .name = "AVX2", .group = 4, .row_set = 1, .unit = 4, .padding = 0, .flip = 0, .multiply = multiply<Int8>};
const NarrowKernel kBf16Avx2 = {.name = "AVX2",
                                .group = 4,
                                .row_set = 1,
                                .unit = 4,
                                .padding = 0,
                                .flip = 0,
                                .multiply = multiply<Bf16>,
                                .emulated = true};

}  // namespace dragoman::kernels::cpu_filling
#endif
