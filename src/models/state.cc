#include <algorithm>
#include <limits>
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

// Appends the new tokens' rows to pool `index`.
void State::store(Context& cx, std::size_t index, const Tensor& rows) {
  if (pools_.size() <= index) pools_.resize(index + 1);
  Tensor& pool = pools_[index];
  if (!pool.defined() || pool.rows() < used_) {
    const Tensor larger = cx.empty(rows.dtype(), {std::max<Size>(2 * used_, 64), rows.cols()});
    if (first_new_ > 0) cx.copy(pool.row_view(0, first_new_), larger.row_view(0, first_new_));
    pool = larger;
  }
  cx.copy(rows, pool.row_view(first_new_, rows.rows()));
}

nn::Keys State::remember(Context& cx, std::size_t index, const nn::Keys& keys) {
  if (!continues_) return keys;
  // Parts of one product are remembered as one.
  const std::size_t values = keys.keys.of.raw() == keys.values.of.raw() ? index : index + 1;
  store(cx, index, keys.keys.of);
  if (values != index) store(cx, values, keys.values.of);
  return {{pools_[index], keys.keys.first, keys.keys.count},
          {pools_[values], keys.values.first, keys.values.count},
          past_,
          past_index_};
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

Size State::room() const {
  for (const Tensor& pool : pools_)
    if (pool.defined()) return pool.rows() - used_;
  return std::numeric_limits<Size>::max();
}

Size State::first_hypothesis(Size sentence) const {
  return std::accumulate(beams_.begin(), beams_.begin() + sentence, Size{0});
}

namespace {

// Rows of several tensors, one after the other.
class Stack {
 public:
  Stack(Context& cx, const Tensor& like, Size rows) : cx_(cx), tensor_(cx.empty(like.dtype(), {rows, like.cols()})) {}

  void add(const Tensor& from, Size first, Size count) {
    if (count > 0) cx_.copy(from.row_view(first, count), tensor_.row_view(filled_, count));
    filled_ += count;
  }
  const Tensor& tensor() const { return tensor_; }

 private:
  Context& cx_;
  Tensor tensor_;
  Size filled_ = 0;
};

nn::Keys join_keys(Context& cx, std::span<const Underway> sentences, std::size_t index) {
  const auto keys_of = [index](const Underway& u) -> const nn::Keys& { return u.memory->keys[index]; };
  std::vector<std::int32_t> lengths;
  for (const Underway& u : sentences) lengths.push_back(static_cast<std::int32_t>(keys_of(u).rows.length(u.sentence)));
  const nn::Keys& first = keys_of(sentences.front());
  nn::Keys joined{first.keys, first.values, Segments::from_lengths(cx, lengths), {}};
  const auto stacked = [&](Columns nn::Keys::*which) {
    Stack stack(cx, (first.*which).of, joined.rows.total());
    for (const Underway& u : sentences) {
      const Segments& rows = keys_of(u).rows;
      stack.add((keys_of(u).*which).of, rows.begin(u.sentence), rows.length(u.sentence));
    }
    return stack.tensor();
  };
  const bool one = first.keys.of.raw() == first.values.of.raw();
  joined.keys.of = stacked(&nn::Keys::keys);
  joined.values.of = one ? joined.keys.of : stacked(&nn::Keys::values);
  return joined;
}

}  // namespace

Memory join_memories(Context& cx, std::span<const Underway> sentences) {
  std::vector<std::int32_t> lengths;
  for (const Underway& u : sentences)
    lengths.push_back(static_cast<std::int32_t>(u.memory->source.rows.length(u.sentence)));
  Memory joined;
  joined.source.rows = Segments::from_lengths(cx, lengths);
  if (sentences.empty()) return joined;
  for (std::size_t i = 0; i < sentences.front().memory->keys.size(); ++i)
    joined.keys.push_back(join_keys(cx, sentences, i));
  return joined;
}

State State::join(Context& cx, std::span<const Underway> sentences, Size room) {
  State next;
  next.continues_ = true;
  if (sentences.empty()) return next;
  std::vector<std::vector<std::int32_t>> kept;  // rows of each sentence's pools that go along
  for (const Underway& u : sentences) {
    const State& from = *u.state;
    const std::int32_t beam = from.beams_[u.sentence];
    const Size first = from.first_hypothesis(u.sentence);
    next.beams_.push_back(beam);
    std::vector<std::int32_t>& rows = kept.emplace_back();
    for (Size h = first; h < first + beam; ++h) rows.insert(rows.end(), from.owned_[h].begin(), from.owned_[h].end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (Size h = first; h < first + beam; ++h) {
      next.lengths_.push_back(from.lengths_[h]);
      std::vector<std::int32_t>& owned = next.owned_.emplace_back();
      for (const std::int32_t row : from.owned_[h])
        owned.push_back(
            static_cast<std::int32_t>(next.used_ + (std::lower_bound(rows.begin(), rows.end(), row) - rows.begin())));
    }
    next.used_ += std::ssize(rows);
  }
  const State& model = *sentences.front().state;
  for (std::size_t p = 0; p < model.pools_.size(); ++p) {
    if (!model.pools_[p].defined()) {
      next.pools_.emplace_back();
      continue;
    }
    Stack pool(cx, model.pools_[p], next.used_ + room);
    for (std::size_t s = 0; s < sentences.size(); ++s)
      if (!kept[s].empty())
        pool.add(gather_rows(cx, sentences[s].state->pools_[p], index_of(cx, kept[s])), 0, std::ssize(kept[s]));
    next.pools_.push_back(pool.tensor());
  }
  for (std::size_t v = 0; v < model.vectors.size(); ++v) {
    Stack vector(cx, model.vectors[v], next.hypotheses());
    for (const Underway& u : sentences)
      vector.add(u.state->vectors[v], u.state->first_hypothesis(u.sentence), u.state->beams_[u.sentence]);
    next.vectors.push_back(vector.tensor());
  }
  return next;
}

}  // namespace dragoman::models
