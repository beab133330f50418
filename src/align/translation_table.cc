#include "align/translation_table.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace dragoman::align {
namespace {

// The probability of unseen word pairs, and the minimum for all others.
constexpr float kFloor = 1e-12f;

// Turns the counts of one distribution into probabilities, given their total and the number of outcomes.
class Estimate {
 public:
  Estimate(double alpha, std::uint64_t total, std::size_t outcomes) : alpha_(alpha) {
    const double sum = static_cast<double>(total) * kCountUnit + alpha * static_cast<double>(outcomes);
    inverse_ = sum <= 0 ? 0 : 1 / (alpha > 0 ? exp_digamma(sum) : sum);
  }
  float operator()(std::uint64_t count) const {
    const double value = static_cast<double>(count) * kCountUnit + alpha_;
    const double weight = alpha_ > 0 ? exp_digamma(value) : value;
    return std::max(kFloor, static_cast<float>(weight * inverse_));
  }

 private:
  double alpha_, inverse_;
};

constexpr std::int64_t kGrain = 1024;

}  // namespace

double exp_digamma(double x) {
  // Uses ψ(x) = ψ(x + 1) - 1/x until x is large enough for the series of exp ψ(y + 1/2).
  double below = 0;
  for (; x < 8; x += 1) below += 1 / x;
  const double y = x - 0.5, square = y * y;
  const double series = y + 1 / (24 * y) - 37 / (5760 * y * square) + 10313 / (2903040 * y * square * square);
  return below > 0 ? series * std::exp(-below) : series;
}

TranslationTable::TranslationTable(const Bitext& bitext, Cooccurrence& cooccurrence)
    : cooccurrence_(cooccurrence),
      cells_(cooccurrence.size()),
      null_forward_(bitext.target().words().size()),
      null_backward_(bitext.source().words().size()) {
  const float forward = 1 / static_cast<float>(null_forward_.size());
  const float backward = 1 / static_cast<float>(null_backward_.size());
  std::fill(cells_.begin(), cells_.end(), Cell{0, 0, forward, backward});
  std::fill(null_forward_.begin(), null_forward_.end(), NullCell{0, forward});
  std::fill(null_backward_.begin(), null_backward_.end(), NullCell{0, backward});
  cells_[0] = {0, 0, kFloor, kFloor};
}

void TranslationTable::normalise(double alpha) {
  std::vector<std::uint64_t> totals(null_forward_.size());
  std::vector<std::uint32_t> partners(null_forward_.size());
  for (std::size_t cell = 1; cell < cells_.size(); ++cell) {
    totals[cooccurrence_.target(cell)] += cells_[cell].backward_count;
    ++partners[cooccurrence_.target(cell)];
  }
  std::vector<Estimate> columns;
  columns.reserve(totals.size());
  for (std::size_t target = 0; target < totals.size(); ++target)
    columns.emplace_back(alpha, totals[target], partners[target]);
  threads::split(static_cast<std::int64_t>(cooccurrence_.rows()), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const std::size_t begin = cooccurrence_.row_begin(row), end = cooccurrence_.row_begin(row + 1);
      std::uint64_t total = 0;
      for (std::size_t cell = begin; cell < end; ++cell) total += cells_[cell].forward_count;
      const Estimate estimate(alpha, total, end - begin);
      for (std::size_t at = begin; at < end; ++at) {
        Cell& cell = cells_[at];
        cell = {0, 0, estimate(cell.forward_count), columns[cooccurrence_.target(at)](cell.backward_count)};
      }
    }
  });
  for (std::vector<NullCell>* const side : {&null_forward_, &null_backward_}) {
    std::uint64_t total = 0;
    for (const NullCell& cell : *side) total += cell.count;
    const Estimate estimate(alpha, total, side->size());
    for (NullCell& cell : *side) cell = {0, estimate(cell.count)};
  }
}

void TranslationTable::prune(float least) {
  std::vector<bool> keep(cells_.size());
  for (std::size_t at = 1; at < cells_.size(); ++at)
    keep[at] = cells_[at].forward >= least || cells_[at].backward >= least;
  const std::vector<std::uint32_t> old = cooccurrence_.drop(keep);
  for (std::size_t at = 1; at < old.size(); ++at) cells_[at] = cells_[old[at]];
  cells_.resize(old.size());
  cells_.shrink_to_fit();
}

}  // namespace dragoman::align
