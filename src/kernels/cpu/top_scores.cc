#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.h"
#include "kernels/cpu/best_list.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/top_scores.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/narrow-inl.h"
#include "kernels/cpu/packed-inl.h"
#include "kernels/cpu/softmax-inl.h"

// Output layer, log-sum-exp and top-k fused by an online softmax over blocks of kBlockCols columns, whatever the number
// of rows and threads. The logits of a block are computed in the cache and reduced to their maximum and the sum of
// their exponentials; the largest go to the top-k lists. In the end the sums of the blocks are combined in order.
HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

template <class Product>
constexpr Size kBlockCols = std::max<Size>(1, 128 / Product::kCols) * Product::kCols;
template <class Product>
constexpr Size kBlockRows = 16 * Product::kRows;

// The reduction of one row over one block of columns.
struct BlockSum {
  float largest, sum;  // of exp(logit - largest)
};

// Shared memory of one call: the rows of the product and partial results.
struct Tables {
  Size blocks, rows, best, ranges;
  float* left;       // for the product
  BlockSum* sums;    // [rows, blocks]
  Candidate* bests;  // [ranges, rows, best]

  Tables(Size of_left, Size row_count, Size best_count, Size block_count, Size range_count)
      : blocks(block_count), rows(row_count), best(best_count), ranges(range_count) {
    of_left = round_up(of_left, 16);
    const Size of_sums = 2 * rows * blocks;
    left = scratch(Scratch::shared, of_left + of_sums + 2 * ranges * rows * best);
    sums = reinterpret_cast<BlockSum*>(left + of_left);
    bests = reinterpret_cast<Candidate*>(left + of_left + of_sums);
  }
  BestList list(Size range, Size row) const { return {bests + (range * rows + row) * best, best}; }
};

// Offers the logits of a row in columns [col, col + cols) to its list. Most vectors have none that the list takes.
HWY_INLINE void offer_logits(Size col, Size cols, const float* logits, BestList best) {
  const V lowest = splat(-std::numeric_limits<float>::infinity());
  each_vector(0, cols, [&](Size c, auto lanes) HWY_ATTR {
    if (hn::AllFalse(kTag, hn::Gt(lanes.load(logits + c, lowest), hn::Set(kTag, best.least())))) return;
    for (Size i = c; i < std::min(c + kLanes, cols); ++i)
      if (logits[i] > best.least()) best.offer({logits[i], static_cast<std::int32_t>(col + i)});
  });
}

// Reduces the logits of a row in columns [col, col + cols).
HWY_INLINE BlockSum reduce_logits(Size col, Size cols, const float* logits, BestList best) {
  const float largest = row_max(cols, logits);
  if (!best.empty() && largest > best.least()) offer_logits(col, cols, logits, best);
  if (largest == -std::numeric_limits<float>::infinity()) return {largest, 0};
  return {largest, exp_sum(cols, logits, largest)};
}

// Blocks [begin, end) of columns for the rows from `first` on.
struct Piece {
  Size first, rows, begin, end, range;
};
template <class Product>
void score_piece(const TopScores<float>& a, const Tables& tables, const Product& product, const Piece& piece) {
  constexpr Size kStride = kBlockCols<Product>;
  float* logits = scratch(Scratch::piece, piece.rows * kStride);
  for (Size r = 0; r < piece.rows; ++r) tables.list(piece.range, piece.first + r).clear();
  for (Size b = piece.begin; b < piece.end; ++b) {
    const Size col = b * kStride, cols = std::min(kStride, a.out - col);
    product.multiply({piece.first, piece.rows, col, cols}, a.bias ? a.bias + col : nullptr, logits, kStride);
    for (Size r = 0; r < piece.rows; ++r)
      tables.sums[(piece.first + r) * tables.blocks + b] =
          reduce_logits(col, cols, logits + r * kStride, tables.list(piece.range, piece.first + r));
  }
}

float joined_log_sum(const BlockSum* sums, Size blocks) {
  float largest = -std::numeric_limits<float>::infinity();
  for (Size b = 0; b < blocks; ++b) largest = std::max(largest, sums[b].largest);
  if (std::isinf(largest)) return largest;
  double total = 0;
  for (Size b = 0; b < blocks; ++b) total += double{sums[b].sum} * std::exp(double{sums[b].largest} - double{largest});
  return static_cast<float>(double{largest} + std::log(total));
}

// Merges the partial results of a row.
void join_row(const TopScores<float>& a, const Tables& tables, Size first, Size r) {
  a.log_sum[first + r] = joined_log_sum(tables.sums + r * tables.blocks, tables.blocks);
  if (a.best == 0) return;
  BestList best = tables.list(0, r);
  for (Size range = 1; range < tables.ranges; ++range) {
    const Candidate* others = tables.bests + (range * tables.rows + r) * a.best;
    for (Size i = 0; i < a.best; ++i) best.offer(others[i]);
  }
  best.sort();
  for (Size i = 0; i < a.best; ++i) {
    a.scores[(first + r) * a.best + i] = tables.bests[r * a.best + i].score;
    a.ids[(first + r) * a.best + i] = tables.bests[r * a.best + i].id;
  }
}

template <class Product>
void score_rows(const TopScores<float>& a) {
  const Size blocks = (a.out + kBlockCols<Product> - 1) / kBlockCols<Product>;
  for (Size first = 0; first < a.rows; first += Product::rows_at_once(a.in)) {
    const Size rows = std::min(Product::rows_at_once(a.in), a.rows - first);
    const PackedGrid grid(rows, blocks, kBlockCols<Product>, a.in, kBlockRows<Product>, Product::kSpeed,
                          Product::kReading);
    const Tables tables(Product::memory_size(a.format, rows, a.in), rows, a.best, blocks, grid.ranges);
    const Product product(a.format, rows, a.in, a.out, a.x + first * a.in, a.packed, tables.left);
    threads::each(grid.count(), [&](Size i) HWY_ATTR {
      score_piece(a, tables, product,
                  {grid.first_row(i), grid.row_count(i), grid.first_unit(i), grid.last_unit(i), grid.range(i)});
    });
    for (Size r = 0; r < rows; ++r) join_row(a, tables, first, r);
  }
}

void top_scores(const TopScores<float>& a) {
  if (a.format == WeightFormat::same)
    score_rows<PlainProduct>(a);
  else
    score_rows<NarrowProduct>(a);
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(top_scores);

void fill_top_scores(Kernels<float>& kernels) {
  kernels.top_scores = [](const auto& a) { HWY_DYNAMIC_DISPATCH(top_scores)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
