#include "kernels/cpu/bf16_product.h"

#include "base/error.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/bf16_product.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/narrow-inl.h"
#include "kernels/cpu/tile-inl.h"

// Both operands are rounded and packed into the layout of narrow.h, one range of k after the other. A range of a block
// of rows stays in the L2 cache, that of two panels in the L1 cache.
HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

constexpr Size kDepth = 512;       // values of k at a time
constexpr Size kBlockRows = 256;   // rows that are multiplied at a time
constexpr Size kStripeCols = 512;  // columns that are packed at a time

// Two neighbours of k in one word, as their bf16 lie in memory.
HWY_INLINE auto pair_words(V first, V second) {
  const hn::RebindToUnsigned<Tag> words;
  return hn::Or(hn::ShiftRight<16>(bf16_word(first)), hn::And(bf16_word(second), hn::Set(words, 0xFFFF0000u)));
}

// Packs a set of kNarrowCols lines with k as the slow index: vectors of several lines at a time.
HWY_INLINE void pack_slow(const NarrowKernel& kernel, const Lines& from, Size bytes, char* set) {
  const hn::RebindToUnsigned<Tag> words;
  const Size elements = kernel.group / 2;
  auto* to = reinterpret_cast<std::uint32_t*>(set);
  for (Size i = 0; i < bytes / 2; i += elements, to += kNarrowCols * kernel.group / 4) {
    const auto row = [&](Size at, Size line) HWY_ATTR {
      return at < from.k ? hn::LoadU(kTag, from.data + at * from.stride + line) : hn::Zero(kTag);
    };
    for (Size line = 0; line < kNarrowCols; line += kLanes) {
      const auto low = pair_words(row(i, line), row(i + 1, line));
      if (elements == 2)
        hn::StoreU(low, words, to + line);
      else
        hn::StoreInterleaved2(low, pair_words(row(i + 2, line), row(i + 3, line)), words, to + 2 * line);
    }
  }
}

// Packs a set of kNarrowCols contiguous lines whose groups are words: rounds them, then transposes the words.
HWY_INLINE void pack_words(const Lines& from, Size bytes, char* rounded, char* set) {
  constexpr hn::FixedTag<std::uint32_t, 4> tag;
  for (Size i = 0; i < kNarrowCols; ++i)
    round_row(WeightFormat::bf16, from.k, from.data + i * from.stride, bytes, rounded + i * bytes);
  const Size words = bytes / 4;
  const auto* row = reinterpret_cast<const std::uint32_t*>(rounded);
  auto* to = reinterpret_cast<std::uint32_t*>(set);
  for (Size i = 0; i < kNarrowCols; i += 4, row += 4 * words) {
    Size w = 0;
    for (; w + 4 <= words; w += 4)
      store_transposed(tag, hn::LoadU(tag, row + w), hn::LoadU(tag, row + words + w),
                       hn::LoadU(tag, row + 2 * words + w), hn::LoadU(tag, row + 3 * words + w),
                       to + w * kNarrowCols + i, kNarrowCols);
    for (; w < words; ++w)
      for (Size j = 0; j < 4; ++j) to[w * kNarrowCols + i + j] = row[j * words + w];
  }
}

// Packs all lines in sets of `lines`; `memory` is a buffer for kNarrowCols lines of floats and as many of bf16.
HWY_INLINE void pack(const NarrowKernel& kernel, Size lines, const Lines& from, Size bytes, float* memory, char* to) {
  float* const copies = memory;
  auto* const rounded = reinterpret_cast<char*>(memory + kNarrowCols * kDepth);
  for (Size first = 0; first < from.count; first += kNarrowCols) {
    const Size count = std::min(kNarrowCols, from.count - first);
    char* const set = to + first * bytes;
    const bool full = lines == kNarrowCols && count == kNarrowCols;
    Lines part = from.part(first, count, 0, from.k);
    if (full && from.contiguous && kernel.group == 4) {
      pack_words(part, bytes, rounded, set);
      continue;
    }
    if (full && !from.contiguous) {
      pack_slow(kernel, part, bytes, set);
      continue;
    }
    if (!from.contiguous) {
      transpose(from.k, count, part.data, part.stride, 1, copies, kDepth);
      part.data = copies, part.stride = kDepth;
    }
    for (Size i = 0; i < count; ++i) {
      const float* line = part.data + i * part.stride;
      char* const own = set + i / lines * lines * bytes;
      if (lines == 1) {
        round_row(WeightFormat::bf16, from.k, line, bytes, own);
        continue;
      }
      round_row(WeightFormat::bf16, from.k, line, bytes, rounded);
      store_line(kernel.group, lines, i % lines, bytes, rounded, own);
      if (first + i + 1 == from.count) clear_lines(kernel.group, lines, i % lines + 1, bytes, own);
    }
  }
}

// Adds the product of packed rows and packed columns to c, or stores it.
struct Target {
  float* c;
  Size stride;
  bool add;
};
void multiply_range(const NarrowKernel& kernel, Size rows, Size cols, Size bytes, const char* a, const char* b,
                    const Target& to) {
  const Size whole = cols / kNarrowCols * kNarrowCols, rest = cols - whole;
  NarrowBlock block{.groups = bytes / kernel.group, .row_stride = bytes};
  for (Size r = 0; r < rows; r += kBlockRows) {
    block.rows = std::min(kBlockRows, rows - r);
    block.a = a + r * bytes;
    block.cols = whole, block.b = b;
    block.c = to.c + r * to.stride, block.c_stride = to.stride;
    block.start = to.add ? block.c : nullptr, block.start_stride = to.stride;
    if (whole > 0) kernel.multiply(block);
    if (rest == 0) continue;
    // The last panel, which is not full, is computed in a buffer.
    HWY_ALIGN float sums[kBlockRows * kNarrowCols];
    block.cols = kNarrowCols, block.b = b + whole * bytes;
    block.c = sums, block.c_stride = kNarrowCols, block.start = nullptr;
    kernel.multiply(block);
    for (Size i = 0; i < block.rows; ++i)
      for (Size j = 0; j < rest; ++j) {
        float& c = to.c[(r + i) * to.stride + whole + j];
        c = (to.add ? c : 0) + sums[i * kNarrowCols + j];
      }
  }
}

void multiply_rounded(const MatrixProduct& p) {
  const NarrowKernel& kernel = narrow_kernel(WeightFormat::bf16);
  const Lines rows = Lines::left(p), cols = Lines::right(p);
  const Size most = round_up(2 * std::min(kDepth, p.k), kernel.unit) / Size{sizeof(float)};  // floats of a line
  const Size of_rows = round_up(p.m, kernel.row_set) * most,
             of_cols = round_up(std::min(kStripeCols, p.n), kNarrowCols) * most;
  float* const memory = scratch(Scratch::piece, round_up(of_rows, 16) + of_cols + kNarrowCols * (kDepth + most));
  float* const cols_at = memory + round_up(of_rows, 16);
  float* const buffer = cols_at + of_cols;
  auto* const a = reinterpret_cast<char*>(memory);
  auto* const b = reinterpret_cast<char*>(cols_at);
  for (Size k = 0; k < p.k; k += kDepth) {
    const Size depth = std::min(kDepth, p.k - k), bytes = round_up(2 * depth, kernel.unit);
    pack(kernel, kernel.row_set, rows.part(0, p.m, k, depth), bytes, buffer, a);
    for (Size col = 0; col < p.n; col += kStripeCols) {
      const Size count = std::min(kStripeCols, p.n - col);
      pack(kernel, kNarrowCols, cols.part(col, count, k, depth), bytes, buffer, b);
      multiply_range(kernel, p.m, count, bytes, a, b, {p.c + col, p.c_stride, k > 0 || p.beta != 0});
    }
  }
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {
namespace {

bool& setting() {
  thread_local bool on = false;
  return on;
}

}  // namespace

bool set_bf16_products(bool on) { return std::exchange(setting(), on); }
bool bf16_products() { return setting(); }

HWY_EXPORT(multiply_rounded);
void multiply_bf16(const MatrixProduct& product) { HWY_DYNAMIC_DISPATCH(multiply_rounded)(product); }

}  // namespace dragoman::kernels::cpu_filling
#endif
