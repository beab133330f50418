// The kernel for products of split factors in an emulation (immintrin.h) against the definition of its result. On a CPU
// with AMX, test_kernels runs it.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "immintrin.h"
#include "kernels/cpu/split.h"

namespace dragoman::kernels::cpu_filling {
namespace {

using Size = std::int64_t;
constexpr float kUntouched = -7.5f;

// All numbers are small and whole, so that sums are exact in f32, too.
std::vector<char> draw_sets(Size sets, Size chunks, std::mt19937& random) {
  std::vector<char> bytes(static_cast<std::size_t>(sets * chunks * kSplitChunk));
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const auto value = static_cast<float>(std::uniform_int_distribution(-8, 8)(random));
    std::memcpy(bytes.data() + i, reinterpret_cast<const char*>(&value) + 2, 2);  // the upper half
  }
  return bytes;
}

float number_at(const char* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return widen_bf16(bits);
}

// The product of a row and a column in all pairs of parts but the three smallest.
float expected(const SplitStripe& s, Size row, Size col) {
  const char* a = s.a + row / 16 * s.chunks * kSplitChunk + row % 16 * 64;
  const char* b = s.b + col / 16 * s.chunks * kSplitChunk + col % 16 * 4;
  float sum = 0;
  for (Size chunk = 0; chunk < s.chunks; ++chunk, a += kSplitChunk, b += kSplitChunk)
    for (Size left = 0; left < kSplitParts; ++left)
      for (Size right = 0; left + right < kSplitParts; ++right)
        for (Size k = 0; k < kSplitDepth; ++k)
          sum += number_at(a + left * kSplitTile + 2 * k) * number_at(b + right * kSplitTile + k / 2 * 64 + k % 2 * 2);
  return sum;
}

void check(Size rows, Size cols, Size chunks, bool add) {
  SCOPED_TRACE(testing::Message() << rows << " by " << cols << ", " << chunks << " chunks, adding: " << add);
  std::mt19937 random(static_cast<unsigned>(1000 * rows + 10 * cols + chunks));
  const std::vector<char> a = draw_sets((rows + 31) / 32 * 2, chunks, random), b = draw_sets(2, chunks, random);
  SplitStripe stripe{.rows = rows, .cols = cols, .chunks = chunks, .a = a.data(), .b = b.data(), .add = add};
  stripe.c_stride = cols + 5;
  std::vector<float> c(static_cast<std::size_t>(rows * stripe.c_stride), kUntouched);
  stripe.c = c.data();
  multiply_split_amx(stripe);
  for (Size r = 0; r < rows; ++r)
    for (Size col = 0; col < stripe.c_stride; ++col)
      ASSERT_EQ(c[static_cast<std::size_t>(r * stripe.c_stride + col)],
                col >= cols ? kUntouched : expected(stripe, r, col) + (add ? kUntouched : 0))
          << "row " << r << ", column " << col;
}

TEST(AmxSplitKernel, MultipliesTheLargerParts) {
  for (const Size rows : {1, 16, 17, 31, 32, 33, 64, 95})
    for (const Size cols : {1, 15, 16, 17, 31, 32})
      for (const bool add : {false, true}) check(rows, cols, 1 + (rows + cols) % 3, add);
}

TEST(AmxSplitKernel, MultipliesMoreChunksThanABlockHasRows) {
  for (const bool add : {false, true}) check(40, 20, 35, add);
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling
