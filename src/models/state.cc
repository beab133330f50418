#include <algorithm>
#include <numeric>

#include "models/parts.h"

namespace dragoman::models {
namespace {

Tensor index_of(const Context& cx, std::span<const std::int32_t> values) {
  return cx.from_host<std::int32_t>(values, {std::ssize(values)});
}

}  // namespace

State::State(const Memory& memory, bool continues)
    : continues_(continues),
      lengths_(static_cast<std::size_t>(memory.source.rows.count()), 0),
      beams_(lengths_.size(), 1),
      owned_(continues ? lengths_.size() : 0) {}

void State::extend(const Context& cx, const Segments& tokens) {
  check(tokens.count() == hypotheses(), "[decode] got tokens for {} hypotheses, expected {}", tokens.count(),
        hypotheses());
  check(continues_ || std::all_of(lengths_.begin(), lengths_.end(), [](std::int32_t n) { return n == 0; }),
        "[decode] tokens were appended to a state that does not continue");
  std::vector<std::int32_t> queries;
  Size h = 0;
  for (const std::int32_t beam : beams_) {
    queries.push_back(0);
    for (std::int32_t b = 0; b < beam; ++b, ++h) queries.back() += static_cast<std::int32_t>(tokens.length(h));
  }
  by_sentence_ = Segments::from_lengths(cx, queries);
  first_new_ = used_;
  if (!continues_) {
    past_ = tokens;
  } else {
    std::vector<std::int32_t> rows, lengths;
    for (h = 0; h < hypotheses(); ++h) {
      for (Size i = 0; i < tokens.length(h); ++i)
        owned_[h].push_back(static_cast<std::int32_t>(first_new_ + tokens.begin(h) + i));
      rows.insert(rows.end(), owned_[h].begin(), owned_[h].end());
      lengths.push_back(static_cast<std::int32_t>(owned_[h].size()));
    }
    used_ += tokens.total();
    past_ = Segments::from_lengths(cx, lengths);
    past_index_ = index_of(cx, rows);
  }
  for (h = 0; h < hypotheses(); ++h) lengths_[h] += static_cast<std::int32_t>(tokens.length(h));
}

Tensor State::remember(Context& cx, std::size_t index, const Tensor& rows) {
  if (!continues_) return rows;
  if (pools_.size() <= index) pools_.resize(index + 1);
  Tensor& pool = pools_[index];
  if (!pool.defined() || pool.rows() < used_) {
    const Tensor larger = cx.empty(rows.dtype(), {std::max<Size>(2 * used_, 64), rows.cols()});
    if (first_new_ > 0) {
      const Tensor before = pool.row_view(0, first_new_), there = larger.row_view(0, first_new_);
      cx.copy(before, there);
    }
    pool = larger;
  }
  cx.copy(rows, pool.row_view(first_new_, rows.rows()));
  return gather_rows(cx, pool, past_index_);
}

nn::Keys State::remember(Context& cx, std::size_t index, const nn::Keys& keys) {
  if (!continues_) return keys;
  if (keys.keys.of.raw() == keys.values.of.raw()) {  // parts of one product are remembered as one
    const Tensor both = remember(cx, index, keys.keys.of);
    return {{both, keys.keys.first, keys.keys.count}, {both, keys.values.first, keys.values.count}, past_};
  }
  const Tensor all_keys = remember(cx, index, keys.keys.of), all_values = remember(cx, index + 1, keys.values.of);
  return {{all_keys, keys.keys.first, keys.keys.count}, {all_values, keys.values.first, keys.values.count}, past_};
}

State State::select(Context& cx, std::span<const std::int32_t> chosen, std::span<const std::int32_t> beams) const {
  check(std::accumulate(beams.begin(), beams.end(), Size{0}) == std::ssize(chosen) && beams.size() == beams_.size(),
        "[select] {} hypotheses do not divide into the beams of {} sentences", chosen.size(), beams.size());
  State next;
  next.continues_ = continues_;
  next.beams_.assign(beams.begin(), beams.end());
  next.pools_ = pools_;
  next.used_ = used_;
  for (const std::int32_t h : chosen) {
    next.lengths_.push_back(lengths_[h]);
    if (continues_) next.owned_.push_back(owned_[h]);
  }
  const Tensor index = index_of(cx, chosen);
  for (const Tensor& vector : vectors) next.vectors.push_back(gather_rows(cx, vector, index));
  return next;
}

}  // namespace dragoman::models
