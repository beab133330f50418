#include <cmath>
#include <cstring>

#include "kernels/cpu/narrow.h"
#include "kernels/types.h"

// For every CPU: plain loops over the columns of a panel, which compilers turn into vectors of the least common
// instruction set.
namespace dragoman::kernels::cpu_filling {
namespace {

float start_of(const NarrowBlock& p, Size row, Size col) { return p.start ? p.start[row * p.start_stride + col] : 0; }
void store_sums(const NarrowBlock& p, Size row, Size col, const std::int32_t (&sums)[kNarrowCols]) {
  for (Size c = 0; c < kNarrowCols; ++c)
    p.c[row * p.c_stride + col + c] =
        std::fma(static_cast<float>(sums[c]), p.row_scales[row] * p.col_scales[col + c], start_of(p, row, col + c));
}
void store_sums(const NarrowBlock& p, Size row, Size col, const float (&sums)[kNarrowCols]) {
  for (Size c = 0; c < kNarrowCols; ++c) p.c[row * p.c_stride + col + c] = start_of(p, row, col + c) + sums[c];
}

// Each group of four bytes holds four numbers.
struct Int8 {
  using Sum = std::int32_t;
  static void add(const char* a, const char* b, std::int32_t (&sums)[kNarrowCols]) {
    const auto* left = reinterpret_cast<const std::int8_t*>(a);
    const auto* right = reinterpret_cast<const std::int8_t*>(b);
    for (Size c = 0; c < kNarrowCols; ++c)
      sums[c] +=
          left[0] * right[4 * c] + left[1] * right[4 * c + 1] + left[2] * right[4 * c + 2] + left[3] * right[4 * c + 3];
  }
};

// Each group of four bytes holds two numbers.
struct Bf16 {
  using Sum = float;
  static void add(const char* a, const char* b, float (&sums)[kNarrowCols]) {
    bf16 left[2], right[2 * kNarrowCols];
    std::memcpy(left, a, sizeof left);
    std::memcpy(right, b, sizeof right);
    for (Size c = 0; c < kNarrowCols; ++c)
      sums[c] += left[0].value() * right[2 * c].value() + left[1].value() * right[2 * c + 1].value();
  }
};

template <class Format>
void multiply(const NarrowBlock& p) {
  constexpr Size kGroup = 4, kStep = kGroup * kNarrowCols;
  for (Size col = 0; col < p.cols; col += kNarrowCols)
    for (Size row = 0; row < p.rows; ++row) {
      typename Format::Sum sums[kNarrowCols] = {};
      const char* a = p.a + row * p.row_stride;
      const char* b = p.b + col / kNarrowCols * (kStep * p.groups);
      for (Size g = 0; g < p.groups; ++g) Format::add(a + kGroup * g, b + kStep * g, sums);
      store_sums(p, row, col, sums);
    }
}

}  // namespace

const NarrowKernel kInt8Portable = {
    .name = "portable int8", .group = 4, .row_set = 1, .unit = 4, .padding = 0, .flip = 0, .multiply = multiply<Int8>};
const NarrowKernel kBf16Portable = {.name = "portable bf16",
                                    .group = 4,
                                    .row_set = 1,
                                    .unit = 4,
                                    .padding = 0,
                                    .flip = 0,
                                    .multiply = multiply<Bf16>,
                                    .emulated = true};

}  // namespace dragoman::kernels::cpu_filling
