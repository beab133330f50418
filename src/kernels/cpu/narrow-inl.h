// Products of activations in f32 and weights in a narrow format (narrow.h): the rows are rounded, then multiplied by
// the kernel for this CPU.
#if defined(DRAGOMAN_KERNELS_CPU_NARROW_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_NARROW_INL
#undef DRAGOMAN_KERNELS_CPU_NARROW_INL
#else
#define DRAGOMAN_KERNELS_CPU_NARROW_INL
#endif

#include <cstring>
#include <limits>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/narrow_weights.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {

using IntTag = hn::RebindToSigned<Tag>;
constexpr IntTag kIntTag;

// The bits of |value|. Among them NaN is larger than infinity, and infinity larger than every number.
HWY_INLINE hn::Vec<IntTag> magnitude_bits(V value) {
  return hn::And(hn::BitCast(kIntTag, value), hn::Set(kIntTag, std::numeric_limits<std::int32_t>::max()));
}

// The largest |x|; NaN if there is one.
HWY_INLINE float largest_magnitude(Size count, const float* x) {
  hn::Vec<IntTag> largest[4] = {hn::Zero(kIntTag), hn::Zero(kIntTag), hn::Zero(kIntTag), hn::Zero(kIntTag)};
  each_vector_of_four(0, count, [&](Size i, auto lanes, int w) DRAGOMAN_BODY {
    largest[w] = hn::Max(largest[w], magnitude_bits(lanes.load(x + i)));
  });
  const auto any = hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3]));
  return std::bit_cast<float>(hn::GetLane(hn::MaxOfLanes(kIntTag, any)));
}

// Rounds kLanes numbers, whose magnitude is at most 127, to whole ones. Adding 1.5 * 2^23 rounds to an integer in the
// low bits, whose lowest byte is the result.
HWY_INLINE void store_int8(V value, std::int8_t* to) {
  const hn::Rebind<std::uint8_t, Tag> bytes;
  const hn::RebindToUnsigned<Tag> words;
  const auto shifted = hn::BitCast(words, hn::Add(value, splat(12582912)));
  hn::StoreU(hn::TruncateTo(bytes, shifted), bytes, reinterpret_cast<std::uint8_t*>(to));
}

// Rounds kLanes numbers to bf16, as bf16::from does; the upper halves of the words are the result.
HWY_INLINE auto bf16_word(V value) {
  const hn::RebindToUnsigned<Tag> words;
  const auto bits = hn::BitCast(words, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7FFF)));
  const auto quiet = hn::Or(bits, hn::Set(words, 0x400000));
  const auto nan = hn::Gt(magnitude_bits(value), hn::Set(kIntTag, 0x7F800000));
  return hn::IfThenElse(hn::RebindMask(words, nan), quiet, rounded);
}

HWY_INLINE void store_bf16(V value, std::uint16_t* to) {
  const hn::Rebind<std::uint16_t, Tag> halves;
  hn::StoreU(hn::DemoteTo(halves, hn::BitCast(kIntTag, hn::ShiftRight<16>(bf16_word(value)))), halves, to);
}

// Rounds a row of k numbers to `bytes` bytes at `to`, which is padded with zeros; returns the scale.
HWY_INLINE float round_row(WeightFormat format, Size k, const float* x, Size bytes, char* to) {
  if (format == WeightFormat::bf16) {
    auto* halves = reinterpret_cast<std::uint16_t*>(to);
    Size i = 0;
    for (; i + kLanes <= k; i += kLanes) store_bf16(Whole::load(x + i), halves + i);
    for (; i < k; ++i) halves[i] = bf16::from(x[i]).bits;
    std::fill_n(to + 2 * k, bytes - 2 * k, '\0');
    return 1;
  }
  auto* numbers = reinterpret_cast<std::int8_t*>(to);
  const float largest = largest_magnitude(k, x);
  if (!(largest > 0) || largest > std::numeric_limits<float>::max()) {
    std::fill_n(to, bytes, '\0');
    return largest == 0 ? 0 : std::numeric_limits<float>::quiet_NaN();
  }
  const V factor = hn::Set(kTag, kInt8Steps / largest);
  Size i = 0;
  for (; i + kLanes <= k; i += kLanes) {
    __builtin_prefetch(x + k + i);  // software prefetch of the next row
    store_int8(hn::Mul(Whole::load(x + i), factor), numbers + i);
  }
  HWY_ALIGN std::int8_t last[kLanes];
  if (i < k) {
    store_int8(hn::Mul(Rest{k - i}.load(x + i), factor), last);
    std::memcpy(to + i, last, static_cast<std::size_t>(k - i));
  }
  std::fill_n(to + k, bytes - k, '\0');
  return largest / kInt8Steps;
}

HWY_INLINE void flip_bytes(Size count, int bits, char* bytes) {
  for (Size i = 0; i < count; ++i) bytes[i] = static_cast<char>(bytes[i] ^ bits);
}

// A set of lines (rows of the left operand, columns of the right one) is [groups of k][line][group bytes]: stores the
// bytes of one line.
HWY_INLINE void store_line(Size group, Size lines, Size place, Size bytes, const char* line, char* set) {
  const auto copy = [&](auto size) HWY_ATTR {
    constexpr Size kSize = decltype(size)::value;
    for (Size i = 0, to = place * kSize; i < bytes; i += kSize, to += lines * kSize)
      std::memcpy(set + to, line + i, kSize);
  };
  if (group == 4)
    copy(std::integral_constant<Size, 4>{});
  else
    copy(std::integral_constant<Size, 8>{});
}

// Clears the lines of a set from `place` on, which it lacks.
HWY_INLINE void clear_lines(Size group, Size lines, Size place, Size bytes, char* set) {
  for (Size g = 0; g < bytes / group; ++g)
    std::memset(set + (g * lines + place) * group, 0, static_cast<std::size_t>((lines - place) * group));
}

// As PlainProduct, for a narrow format.
class NarrowProduct {
 public:
  static constexpr Size kCols = kNarrowCols, kRows = 8;
  static constexpr Size kSpeed = 8, kReading = 32;

  static constexpr Size rows_at_once(Size k) { return rows_of(Size{1} << 22, k, 64); }
  static constexpr Size rows_in_cache(Size k) { return rows_of(256 * 1024, k, 16); }
  static constexpr Size panels_at_once(Size) { return 1; }  // the kernels choose how many
  static Size memory_size(WeightFormat format, Size rows, Size k) {
    return scales_size(rows) +
           round_up(rows, kRows) * (row_bytes(format, k) + narrow_kernel(format).padding) / Size{sizeof(float)};
  }

  NarrowProduct(WeightFormat format, Size rows, Size k, Size out, const float* x, const void* packed, float* memory)
      : kernel_(&narrow_kernel(format)), weights_(format, k, out, packed) {
    scales_ = memory;
    rows_ = reinterpret_cast<char*>(memory + scales_size(rows));
    row_bytes_ = row_bytes(format, k);
    row_stride_ = row_bytes_ + kernel_->padding;
    threads::split((rows + kRows - 1) / kRows, row_grain(k * kRows), [&](Size begin, Size end) HWY_ATTR {
      for (Size r = begin * kRows; r < std::min(rows, end * kRows); ++r) round(format, r, rows, k, x + r * k);
    });
  }

  void multiply(const Block& block, const float* bias, float* c, Size c_stride) const {
    const Size whole = block.cols / kCols * kCols;
    NarrowBlock p{.rows = block.rows, .cols = whole, .groups = weights_.groups, .row_stride = row_stride_};
    p.a = rows_ + block.row * row_stride_;
    p.b = weights_.data + block.col / kCols * weights_.panel_bytes();
    p.row_scales = scales_ + block.row;
    p.col_scales = weights_.scales + block.col;
    p.start = bias, p.c = c, p.c_stride = c_stride;
    if (whole > 0) kernel_->multiply(p);
    if (whole == block.cols) return;
    // The last panel, which is not full, is computed in a buffer.
    HWY_ALIGN float start[kCols] = {}, sums[kRows * kCols];
    const Size rest = block.cols - whole;
    if (bias) std::copy_n(bias + whole, rest, start);
    p.cols = kCols;
    p.b += whole / kCols * weights_.panel_bytes();
    p.col_scales += whole;
    p.start = start, p.c = sums, p.c_stride = kCols;
    for (Size r = 0; r < block.rows; r += kRows) {
      p.rows = std::min<Size>(kRows, block.rows - r);
      kernel_->multiply(p);
      for (Size i = 0; i < p.rows; ++i) std::copy_n(sums + i * kCols, rest, c + (r + i) * c_stride + whole);
      p.a += kRows * row_stride_;
      p.row_scales += kRows;
    }
  }

 private:
  // Rows start at a cache line.
  static constexpr Size scales_size(Size rows) { return round_up(rows, 16); }
  static constexpr Size rows_of(Size bytes, Size k, Size least) {
    return std::max<Size>(least, bytes / std::max<Size>(k, 1)) / kRows * kRows;
  }
  static Size row_bytes(WeightFormat format, Size k) {
    return NarrowWeights(format, k, 0, nullptr).groups * narrow_kernel(format).group;
  }

  // Rounds row r of all rows, into its place in a set of rows.
  HWY_INLINE void round(WeightFormat format, Size r, Size rows, Size k, const float* x) {
    const Size lines = kernel_->row_set, place = r % lines;
    char* set = rows_ + (r - place) * row_stride_;
    if (lines == 1) {
      scales_[r] = round_row(format, k, x, row_bytes_, set);
      if (kernel_->flip) flip_bytes(row_bytes_, kernel_->flip, set);
      return;
    }
    char* row = reinterpret_cast<char*>(scratch(Scratch::piece, row_bytes_ / Size{sizeof(float)}));
    scales_[r] = round_row(format, k, x, row_bytes_, row);
    store_line(kernel_->group, lines, place, row_bytes_, row, set);
    if (r + 1 == rows) clear_lines(kernel_->group, lines, place + 1, row_bytes_, set);
  }

  const NarrowKernel* kernel_;
  NarrowWeights weights_;
  float* scales_;
  char* rows_;
  Size row_bytes_, row_stride_;
};

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
