#include <algorithm>
#include <cmath>
#include <limits>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/top_scores.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/softmax-inl.h"
#include "kernels/cpu/strips-inl.h"

// The columns are cut into blocks of kBlockCols, which no number of rows or threads changes. A block of logits is made
// in the cache, leaves its largest and the sum of its exponentials behind, and offers its logits to the lists of the
// best. At the end the blocks' sums are joined in their order.
HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

constexpr Size kBlockCols = std::max<Size>(1, 128 / kStripCols) * kStripCols;
constexpr Size kBlockRows = 16 * kGroupRows;

struct Candidate {
  float score;
  std::int32_t id;
};

// Of one block of columns and one row.
struct BlockSum {
  float largest, sum;  // of exp(logit - largest)
};

// The best so far, best first. Candidates come in the order of their ids, so among equal ones the earlier stays.
class BestList {
 public:
  BestList(Candidate* list, Size size) : list_(list), size_(size) {}

  bool empty() const { return size_ == 0; }
  void clear() { std::fill_n(list_, size_, Candidate{-std::numeric_limits<float>::infinity(), -1}); }
  float least() const { return list_[size_ - 1].score; }
  void offer(const Candidate& candidate) {
    if (!(candidate.score > least())) return;
    Size i = size_ - 1;
    for (; i > 0 && candidate.score > list_[i - 1].score; --i) list_[i] = list_[i - 1];
    list_[i] = candidate;
  }

 private:
  Candidate* list_;
  Size size_;
};

// Memory of the caller's thread for one call: who has computed what.
struct Tables {
  Size blocks, rows, best, ranges;
  float* groups;     // of the left operand
  BlockSum* sums;    // [rows, blocks]
  Candidate* bests;  // [ranges, rows, best]

  Tables(const TopScores<float>& a, Size row_count, Size block_count, Size range_count)
      : blocks(block_count), rows(row_count), best(a.best), ranges(range_count) {
    const Size of_groups = round_up(groups_size(rows, a.in), 16), of_sums = 2 * rows * blocks;
    groups = scratch(Scratch::shared, of_groups + of_sums + 2 * ranges * rows * best);
    sums = reinterpret_cast<BlockSum*>(groups + of_groups);
    bests = reinterpret_cast<Candidate*>(groups + of_groups + of_sums);
  }
  BestList list(Size range, Size row) const { return {bests + (range * rows + row) * best, best}; }
};

// Takes in a row's logits of columns [col, col + cols); they are overwritten.
HWY_INLINE BlockSum take_in_logits(Size col, Size cols, float* logits, BestList best) {
  const float largest = row_max(cols, logits);
  if (!best.empty() && largest > best.least())
    for (Size c = 0; c < cols; ++c)
      if (logits[c] > best.least()) best.offer({logits[c], static_cast<std::int32_t>(col + c)});
  if (largest == -std::numeric_limits<float>::infinity()) return {largest, 0};
  return {largest, exp_row(cols, logits, largest, logits)};
}

// Blocks [begin, end) of columns for the rows from `first` on.
struct Piece {
  Size first, rows, begin, end, range;
};
void score_piece(const TopScores<float>& a, const Tables& tables, const float* groups, const Piece& piece) {
  float* logits = scratch(Scratch::piece, piece.rows * kBlockCols);
  for (Size r = 0; r < piece.rows; ++r) tables.list(piece.range, piece.first + r).clear();
  for (Size b = piece.begin; b < piece.end; ++b) {
    const Size col = b * kBlockCols, cols = std::min(kBlockCols, a.out - col);
    multiply_block({.rows = piece.rows,
                    .cols = cols,
                    .k = a.in,
                    .a = groups + groups_size(piece.first, a.in),
                    .b = static_cast<const float*>(a.packed) + col * a.in,
                    .start = a.bias ? a.bias + col : nullptr,
                    .c = logits,
                    .c_stride = kBlockCols});
    for (Size r = 0; r < piece.rows; ++r)
      tables.sums[(piece.first + r) * tables.blocks + b] =
          take_in_logits(col, cols, logits + r * kBlockCols, tables.list(piece.range, piece.first + r));
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

// The lists of the ranges, which are in the order of ids, become one.
void join_row(const TopScores<float>& a, const Tables& tables, Size first, Size r) {
  a.log_sum[first + r] = joined_log_sum(tables.sums + r * tables.blocks, tables.blocks);
  if (a.best == 0) return;
  BestList best = tables.list(0, r);
  for (Size range = 1; range < tables.ranges; ++range) {
    const Candidate* others = tables.bests + (range * tables.rows + r) * a.best;
    for (Size i = 0; i < a.best; ++i) best.offer(others[i]);
  }
  for (Size i = 0; i < a.best; ++i) {
    a.scores[(first + r) * a.best + i] = tables.bests[r * a.best + i].score;
    a.ids[(first + r) * a.best + i] = tables.bests[r * a.best + i].id;
  }
}

void top_scores(const TopScores<float>& a) {
  const Size blocks = (a.out + kBlockCols - 1) / kBlockCols;
  for (Size first = 0; first < a.rows; first += rows_at_once(a.in)) {
    const Size rows = std::min(rows_at_once(a.in), a.rows - first);
    const StripGrid grid(rows, blocks, kBlockCols, a.in, kBlockRows);
    const Tables tables(a, rows, blocks, grid.ranges);
    const float* groups = lay_out_rows(rows, a.in, a.x + first * a.in, tables.groups);
    threads::each(grid.count(), [&](Size i) HWY_ATTR {
      score_piece(a, tables, groups,
                  {grid.first_row(i), grid.row_count(i), grid.first_unit(i), grid.last_unit(i), grid.range(i)});
    });
    for (Size r = 0; r < rows; ++r) join_row(a, tables, first, r);
  }
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
