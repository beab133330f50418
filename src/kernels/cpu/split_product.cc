#include "kernels/cpu/split_product.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/scratch.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/split_product.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

// Both operands are split and packed, one range of k after the other. A range of a block of rows stays in the L2 cache,
// that of two sets of columns in the L1 cache, if it is large enough.
HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

constexpr Size kDepth = 256;      // values of k at a time
constexpr Size kBlockRows = 512;  // rows that are packed at a time
constexpr Size kPair = 2 * kSplitLines;

using WordTag = hn::RebindToUnsigned<Tag>;
using W = hn::Vec<WordTag>;
constexpr WordTag kWordTag;

// What to prefetch of an operand.
SplitFetch fetch(const Lines& lines) {
  const Size length = lines.contiguous ? lines.k : lines.count;
  return {.at = reinterpret_cast<const char*>(lines.data),
          .rows = lines.contiguous ? lines.count : lines.k,
          .row_bytes = length * Size{sizeof(float)},
          .stride = lines.stride * Size{sizeof(float)}};
}

// The parts of numbers, which are the upper halves of these words; the parts of two vectors share words.
HWY_INLINE void split(V low, V high, W (&parts)[kSplitParts]) {
  const W upper = hn::Set(kWordTag, 0xFFFF0000u), half = hn::Set(kWordTag, 0x8000);
  for (Size part = 0; part < kSplitParts; ++part) {
    W low_bits = hn::BitCast(kWordTag, low), high_bits = hn::BitCast(kWordTag, high);
    if (part + 1 < kSplitParts) {
      low_bits = hn::And(hn::Add(low_bits, half), upper), high_bits = hn::And(hn::Add(high_bits, half), upper);
      low = hn::Sub(low, hn::BitCast(kTag, low_bits)), high = hn::Sub(high, hn::BitCast(kTag, high_bits));
    }
    parts[part] = hn::Or(hn::ShiftRight<16>(low_bits), hn::And(high_bits, upper));
  }
}

// The words of a chunk of a set, [part][16][16]: by line and pair of neighbours of k, or the other way round.
using Chunk = std::uint32_t[kSplitParts][kSplitLines][kSplitLines];

HWY_INLINE void store_parts(const W (&parts)[kSplitParts], Size row, Size word, Chunk& to) {
  for (Size part = 0; part < kSplitParts; ++part) hn::Store(parts[part], kWordTag, &to[part][row][word]);
}

// Contiguous lines, by line.
HWY_INLINE void split_by_line(const float* from, Size stride, Chunk& to) {
  for (Size line = 0; line < kSplitLines; ++line, from += stride)
    for (Size word = 0; word < kSplitLines; word += kLanes) {
      const V first = hn::LoadU(kTag, from + 2 * word), second = hn::LoadU(kTag, from + 2 * word + kLanes);
      W parts[kSplitParts];
      split(hn::ConcatEven(kTag, second, first), hn::ConcatOdd(kTag, second, first), parts);
      store_parts(parts, line, word, to);
    }
}

// Lines with k as the slow index, by pair.
HWY_INLINE void split_by_pair(const float* from, Size stride, Chunk& to) {
  for (Size pair = 0; pair < kSplitLines; ++pair, from += 2 * stride)
    for (Size line = 0; line < kSplitLines; line += kLanes) {
      W parts[kSplitParts];
      split(hn::LoadU(kTag, from + line), hn::LoadU(kTag, from + stride + line), parts);
      store_parts(parts, pair, line, to);
    }
}

HWY_INLINE void transpose_words(const Chunk& from, Chunk& to) {
  const hn::Repartition<std::uint64_t, WordTag> pairs;
  const auto lower = [&](W a, W b) HWY_ATTR {
    return hn::BitCast(kWordTag, hn::InterleaveLower(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
  };
  const auto upper = [&](W a, W b) HWY_ATTR {
    return hn::BitCast(kWordTag, hn::InterleaveUpper(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
  };
  for (Size part = 0; part < kSplitParts; ++part)
    for (Size row = 0; row < kSplitLines; row += 4)
      for (Size word = 0; word < kSplitLines; word += kLanes) {
        const auto load = [&](Size r) HWY_ATTR { return hn::Load(kWordTag, &from[part][row + r][word]); };
        const W r0 = load(0), r1 = load(1), r2 = load(2), r3 = load(3);
        const W low01 = hn::InterleaveLower(kWordTag, r0, r1), low23 = hn::InterleaveLower(kWordTag, r2, r3);
        const W high01 = hn::InterleaveUpper(kWordTag, r0, r1), high23 = hn::InterleaveUpper(kWordTag, r2, r3);
        // Every four words of a vector are a piece of a row of the result.
        HWY_ALIGN std::uint32_t pieces[4][kLanes];
        hn::Store(lower(low01, low23), kWordTag, pieces[0]);
        hn::Store(upper(low01, low23), kWordTag, pieces[1]);
        hn::Store(lower(high01, high23), kWordTag, pieces[2]);
        hn::Store(upper(high01, high23), kWordTag, pieces[3]);
        for (Size i = 0; i < kLanes; ++i) std::memcpy(&to[part][word + i][row], &pieces[i % 4][i / 4 * 4], 16);
      }
}

// Packs a chunk of a set; missing lines and values are zero.
HWY_INLINE void pack_chunk(const Lines& from, bool by_line, Chunk& to) {
  HWY_ALIGN float copy[kSplitLines * kSplitDepth];
  const float* data = from.data;
  Size stride = from.stride;
  if (from.count < kSplitLines || from.k < kSplitDepth) {
    const Size rows = from.contiguous ? from.count : from.k, cols = from.contiguous ? from.k : from.count;
    stride = from.contiguous ? kSplitDepth : kSplitLines;
    std::fill_n(copy, kSplitLines * kSplitDepth, 0.0f);
    for (Size r = 0; r < rows; ++r) std::copy_n(data + r * from.stride, cols, copy + r * stride);
    data = copy;
  }
  HWY_ALIGN Chunk other;
  Chunk& first = from.contiguous == by_line ? to : other;
  from.contiguous ? split_by_line(data, stride, first) : split_by_pair(data, stride, first);
  if (from.contiguous != by_line) transpose_words(other, to);
}

// Packs `sets` sets of the operand, by line (left operand) or by pair (right operand), and prefetches the next chunk.
HWY_INLINE void pack(const Lines& from, Size sets, bool by_line, char* to) {
  for (Size first = 0; first < sets * kSplitLines; first += kSplitLines) {
    const Size lines = std::clamp<Size>(from.count - first, 0, kSplitLines);
    for (Size k = 0; k < from.k; k += kSplitDepth, to += kSplitChunk) {
      const Lines chunk = from.part(first, lines, k, std::min(kSplitDepth, from.k - k));
      const bool last = k + kSplitDepth >= from.k;
      const SplitFetch next =
          fetch(from.part(last ? first + kSplitLines : first, lines, last ? 0 : k + kSplitDepth, kSplitDepth));
      for (Size row = 0; row < next.rows; ++row)
        for (Size byte = 0; byte < next.row_bytes; byte += 64) __builtin_prefetch(next.at + row * next.stride + byte);
      pack_chunk(chunk, by_line, *reinterpret_cast<Chunk*>(to));
    }
  }
}

void multiply(const MatrixProduct& p, SplitKernel kernel) {
  const Lines rows = Lines::left(p), cols = Lines::right(p);
  const Size blocks = (p.m + kBlockRows - 1) / kBlockRows, block_rows = round_up((p.m + blocks - 1) / blocks, kPair);
  const Size ranges = (p.k + kDepth - 1) / kDepth, depth = round_up((p.k + ranges - 1) / ranges, kSplitDepth);
  const Size set_bytes = depth / kSplitDepth * kSplitChunk, sets = block_rows / kSplitLines;
  auto* const a = reinterpret_cast<char*>(scratch(Scratch::piece, (sets + 2) * set_bytes / Size{sizeof(float)}));
  char* const b = a + sets * set_bytes;
  for (Size row = 0; row < p.m; row += block_rows)
    for (Size k = 0; k < p.k; k += depth) {
      const Size row_count = std::min(block_rows, p.m - row), k_count = std::min(depth, p.k - k);
      pack(rows.part(row, row_count, k, k_count), round_up(row_count, kPair) / kSplitLines, true, a);
      SplitStripe stripe{.rows = row_count, .chunks = round_up(k_count, kSplitDepth) / kSplitDepth, .a = a, .b = b};
      stripe.add = k > 0 || p.beta != 0;
      stripe.c_stride = p.c_stride;
      for (Size col = 0; col < p.n; col += kPair) {
        stripe.cols = std::min(kPair, p.n - col);
        pack(cols.part(col, stripe.cols, k, k_count), 2, false, b);
        const Size left = p.n - col - stripe.cols;
        stripe.next = fetch(cols.part(col + kPair, std::min(kPair, left), k, k_count));
        stripe.c = p.c + row * p.c_stride + col;
        kernel(stripe);
      }
    }
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(multiply);
void multiply_split(const MatrixProduct& product, SplitKernel kernel) {
  HWY_DYNAMIC_DISPATCH(multiply)(product, kernel);
}

SplitKernel split_kernel_for(const MatrixProduct& p) {
  constexpr Size kLeast = 32, kWorthIt = Size{1} << 20;
  if (std::min({p.m, p.n, p.k}) < kLeast || p.m * p.n * p.k < kWorthIt) return nullptr;
  return p.alpha == 1 && (p.beta == 0 || p.beta == 1) ? split_kernel() : nullptr;
}

}  // namespace dragoman::kernels::cpu_filling
#endif
