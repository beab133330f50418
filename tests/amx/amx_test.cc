// The kernel for AMX in an emulation (immintrin.h) against the definition of its result. On a CPU with AMX,
// test_kernels compares it with the reference.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "immintrin.h"
#include "kernels/cpu/narrow.h"

namespace dragoman::kernels::cpu_filling {

// The kernel leaves few rows to VNNI.
static int rows_left_to_vnni = 0;
void multiply_few_rows_avx512(const NarrowBlock& block) { rows_left_to_vnni += static_cast<int>(block.rows); }

namespace {

using Size = std::int64_t;

enum class Start { none, by_column, by_row };

struct Shape {
  Size rows, panels, chunks;  // chunks of 64 bytes of k
  Start start = Start::none;
};

// Operands in the layout of narrow.h. All numbers are small and whole, so that sums are exact in f32, too.
class Operands {
 public:
  Operands(const Shape& shape, bool is_bf16, unsigned seed)
      : shape_(shape), is_bf16_(is_bf16), random_(seed), cols_(shape.panels * kNarrowCols), groups_(16 * shape.chunks) {
    a_ = draw_bytes(shape.rows * row_stride());
    b_ = draw_bytes(cols_ * 4 * groups_);
    row_scales_ = draw_floats(shape.rows, 1, 9);
    col_scales_ = draw_floats(cols_, 1, 9);
    start_ = draw_floats(shape.rows * start_stride(), -99, 99);
    c_.assign(static_cast<std::size_t>(shape.rows * c_stride()), kUntouched);
  }

  void multiply(const NarrowKernel& kernel) {
    NarrowBlock block{.rows = shape_.rows, .cols = cols_, .groups = groups_, .a = a_.data()};
    block.row_stride = row_stride();
    block.b = b_.data();
    if (!is_bf16_) block.row_scales = row_scales_.data(), block.col_scales = col_scales_.data();
    if (shape_.start != Start::none) block.start = start_.data();
    if (shape_.start == Start::by_row) block.start_stride = start_stride();
    block.c = c_.data(), block.c_stride = c_stride();
    kernel.multiply(block);
  }

  void check() const {
    for (Size r = 0; r < shape_.rows; ++r)
      for (Size c = 0; c < c_stride(); ++c)
        ASSERT_EQ(c_[static_cast<std::size_t>(r * c_stride() + c)], c < cols_ ? expected(r, c) : kUntouched)
            << "row " << r << ", column " << c << " of " << shape_.rows << " by " << cols_ << ", " << 64 * shape_.chunks
            << " bytes";
  }

 private:
  static constexpr float kUntouched = -7.5f;

  Size row_stride() const { return 64 * shape_.chunks + 64; }
  Size start_stride() const { return cols_ + 3; }
  Size c_stride() const { return cols_ + 5; }

  int draw(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  std::vector<float> draw_floats(Size count, int least, int most) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(draw(least, most));
    return values;
  }
  std::vector<char> draw_bytes(Size count) {
    std::vector<char> bytes(static_cast<std::size_t>(count));
    if (!is_bf16_) {
      for (char& byte : bytes) byte = static_cast<char>(draw(-127, 127));
      return bytes;
    }
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      const auto value = static_cast<float>(draw(-8, 8));
      std::memcpy(bytes.data() + i, reinterpret_cast<const char*>(&value) + 2, 2);  // the upper half
    }
    return bytes;
  }

  // Element k of row r, and of column c.
  template <class T>
  static T element(const char* from, Size k) {
    T value;
    std::memcpy(&value, from + k * Size{sizeof(T)}, sizeof value);
    return value;
  }
  template <class T>
  T left(Size r, Size k) const {
    return element<T>(a_.data() + r * row_stride(), k);
  }
  template <class T>
  T right(Size c, Size k) const {
    constexpr Size kGroup = 4 / sizeof(T);
    const char* panel = b_.data() + c / kNarrowCols * 64 * groups_;
    return element<T>(panel + k / kGroup * 64 + c % kNarrowCols * 4, k % kGroup);
  }

  float expected(Size r, Size c) const {
    const Size start_row = shape_.start == Start::by_row ? r * start_stride() : 0;
    const float start = shape_.start == Start::none ? 0 : start_[static_cast<std::size_t>(start_row + c)];
    if (is_bf16_) {
      float sum = start;
      for (Size k = 0; k < 2 * groups_; ++k)
        sum += widen_bf16(left<std::uint16_t>(r, k)) * widen_bf16(right<std::uint16_t>(c, k));
      return sum;
    }
    int sum = 0;
    for (Size k = 0; k < 4 * groups_; ++k) sum += int{left<std::int8_t>(r, k)} * right<std::int8_t>(c, k);
    const float scale = col_scales_[static_cast<std::size_t>(c)] * row_scales_[static_cast<std::size_t>(r)];
    return std::fma(static_cast<float>(sum), scale, start);
  }

  Shape shape_;
  bool is_bf16_;
  std::mt19937 random_;
  Size cols_, groups_;
  std::vector<char> a_, b_;
  std::vector<float> row_scales_, col_scales_, start_, c_;
};

void check_both(const Shape& shape) {
  for (const bool is_bf16 : {false, true}) {
    if (!is_bf16 && shape.rows <= kFewRows) continue;
    Operands operands(shape, is_bf16, static_cast<unsigned>(1000 * shape.rows + 10 * shape.panels + shape.chunks));
    operands.multiply(is_bf16 ? kBf16Amx : kInt8Amx);
    operands.check();
  }
}

TEST(AmxKernel, MultipliesAllNumbersOfRowsAndPanels) {
  for (const Size rows : {1, 5, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 81})
    for (const Size panels : {1, 2, 3, 4, 5, 7}) check_both({rows, panels, 1 + (rows + panels) % 3});
}

TEST(AmxKernel, AddsTheProductsToWhatItStartsWith) {
  for (const Start start : {Start::by_column, Start::by_row})
    for (const Size rows : {4, 16, 20, 32, 40, 104}) check_both({rows, 5, 2, start});
}

// Columns are multiplied in blocks whose weights fit into the L2 cache.
TEST(AmxKernel, MultipliesSeveralBlocksOfColumns) {
  for (const Size rows : {20, 32, 72}) check_both({rows, 47, 12, Start::by_row});
  check_both({40, 3, 140});
}

TEST(AmxKernel, WithoutInputsTheResultIsTheStart) { check_both({40, 3, 0, Start::by_column}); }

TEST(AmxKernel, LeavesFewRowsToVnni) {
  for (const Size rows : {1, 4, 5}) {
    rows_left_to_vnni = 0;
    Operands({rows, 2, 1}, false, 1).multiply(kInt8Amx);
    EXPECT_EQ(rows_left_to_vnni, rows <= kFewRows ? rows : 0);
  }
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling
