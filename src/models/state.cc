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
      begins_(lengths_.size(), 0) {}

void State::extend(const Context& cx, const Segments& tokens) {
  check(tokens.count() == hypotheses(), "[decode] got tokens for {} hypotheses, expected {}", tokens.count(),
        hypotheses());
  check(continues_ || std::all_of(lengths_.begin(), lengths_.end(), [](std::int32_t n) { return n == 0; }),
        "[decode] tokens were appended twice to a state that was started without `continues`");
  std::vector<std::int32_t> queries;
  Size h = 0;
  for (const std::int32_t beam : beams_) {
    queries.push_back(0);
    for (std::int32_t b = 0; b < beam; ++b, ++h) queries.back() += static_cast<std::int32_t>(tokens.length(h));
  }
  by_sentence_ = Segments::from_lengths(cx, queries);
  first_new_ = used_;
  std::vector<std::int32_t> lengths;
  for (h = 0; h < hypotheses(); ++h) lengths.push_back(lengths_[h] + static_cast<std::int32_t>(tokens.length(h)));
  if (!continues_) {
    past_ = tokens;
  } else {
    const auto rows = std::make_shared<std::vector<std::int32_t>>(
        static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), Size{0})));
    auto next = rows->begin();
    for (h = 0; h < hypotheses(); ++h) {
      const std::span<const std::int32_t> before = owned(h);
      begins_[h] = next - rows->begin();
      next = std::copy(before.begin(), before.end(), next);
      for (Size i = 0; i < tokens.length(h); ++i) *next++ = static_cast<std::int32_t>(first_new_ + tokens.begin(h) + i);
    }
    owned_ = rows;
    used_ += tokens.total();
    past_ = Segments::from_lengths(cx, lengths);
    past_index_ = index_of(cx, *owned_);
  }
  lengths_ = std::move(lengths);
}

Tensor State::new_rows(Context& cx, std::size_t index, DType type, Size columns) {
  if (pools_.size() <= index) pools_.resize(index + 1);
  Tensor& pool = pools_[index];
  if (!pool.defined() || pool.rows() < used_) {
    const Tensor larger = cx.empty(type, {std::max<Size>(2 * used_, 64), columns});
    if (first_new_ > 0) cx.copy(pool.row_view(0, first_new_), larger.row_view(0, first_new_));
    pool = larger;
  }
  return pool.row_view(first_new_, used_ - first_new_);
}

Tensor State::claim(Context& cx, std::size_t index, DType type, Size columns) {
  return continues_ && columns > 0 ? new_rows(cx, index, type, columns) : Tensor();
}

// Copies the new tokens' rows to pool `index`, unless they were written there in place.
void State::store(Context& cx, std::size_t index, const Tensor& rows) {
  const Tensor room = new_rows(cx, index, rows.dtype(), rows.cols());
  if (room.raw() != rows.raw()) cx.copy(rows, room);
}

nn::Keys State::remember(Context& cx, std::size_t index, const nn::Keys& keys) {
  if (!continues_) return keys;
  const std::size_t values = keys.one_tensor ? index : index + 1;
  store(cx, index, keys.keys.of);
  if (values != index) store(cx, values, keys.values.of);
  return {{pools_[index], keys.keys.first, keys.keys.count},
          {pools_[values], keys.values.first, keys.values.count},
          past_,
          past_index_,
          keys.queries,
          keys.one_tensor};
}

State State::select(Context& cx, std::span<const std::int32_t> chosen, std::span<const std::int32_t> beams) const {
  check(std::accumulate(beams.begin(), beams.end(), Size{0}) == std::ssize(chosen) && beams.size() == beams_.size(),
        "[select] {} hypotheses do not match the beams of {} sentences", chosen.size(), beams.size());
  State next;
  next.continues_ = continues_;
  next.beams_.assign(beams.begin(), beams.end());
  next.pools_ = pools_;
  next.used_ = used_;
  next.owned_ = owned_;
  for (const std::int32_t h : chosen) {
    next.lengths_.push_back(lengths_[h]);
    next.begins_.push_back(begins_[h]);
  }
  if (vectors.empty()) return next;
  const Tensor index = index_of(cx, chosen);
  for (const Tensor& vector : vectors) next.vectors.push_back(gather_rows(cx, vector, index));
  return next;
}

Size State::room() const {
  for (const Tensor& pool : pools_)
    if (pool.defined()) return pool.rows() - used_;
  return std::numeric_limits<Size>::max();
}

std::vector<Tensor> State::tensors() const {
  std::vector<Tensor> list = vectors;
  list.insert(list.end(), pools_.begin(), pools_.end());
  return list;
}

namespace {

// Consecutive sentences of one batch, which are copied together.
struct Run {
  const Memory* memory;
  const State* state;
  std::vector<Size> sentences;

  // Whether these are all sentences of the batch, in order.
  bool is_whole() const {
    Size next = 0;
    return std::ssize(sentences) == memory->source.rows.count() &&
           std::all_of(sentences.begin(), sentences.end(), [&](Size s) { return s == next++; });
  }
};

std::vector<Run> runs_of(std::span<const ActiveSentence> sentences) {
  std::vector<Run> runs;
  for (const ActiveSentence& u : sentences) {
    if (runs.empty() || runs.back().state != u.state) runs.push_back({u.memory, u.state, {}});
    runs.back().sentences.push_back(u.sentence);
  }
  return runs;
}

// Concatenates rows of several tensors.
class Stack {
 public:
  Stack(const Context& cx, const Tensor& like, Size rows)
      : cx_(cx), tensor_(cx.empty(like.dtype(), {rows, like.cols()})) {}

  // The rows `index`, or the first `count`.
  void add(const Tensor& from, const Tensor& index) {
    if (index.count() == 0) return;
    gather_rows(cx_, from, index, tensor_.row_view(filled_, index.count()));
    filled_ += index.count();
  }
  void add(const Tensor& from, Size count) {
    if (count == 0) return;
    cx_.copy(from.row_view(0, count), tensor_.row_view(filled_, count));
    filled_ += count;
  }
  const Tensor& tensor() const { return tensor_; }

 private:
  Context cx_;
  Tensor tensor_;
  Size filled_ = 0;
};

nn::Keys join_keys(Context& cx, Rotation& memory, std::span<const Run> runs, std::size_t which, Size room) {
  std::vector<std::int32_t> lengths;
  std::vector<Tensor> indices;  // per run; undefined if all of its rows are copied
  for (const Run& run : runs) {
    const Segments& rows = run.memory->keys[which].rows;
    if (run.is_whole()) {
      for (Size s = 0; s < rows.count(); ++s) lengths.push_back(static_cast<std::int32_t>(rows.length(s)));
      indices.emplace_back();
      continue;
    }
    std::vector<std::int32_t> index;
    for (const Size s : run.sentences) {
      lengths.push_back(static_cast<std::int32_t>(rows.length(s)));
      for (Size i = 0; i < rows.length(s); ++i) index.push_back(static_cast<std::int32_t>(rows.begin(s) + i));
    }
    indices.push_back(index_of(cx, index));
  }
  const nn::Keys& first = runs.front().memory->keys[which];
  nn::Keys joined{first.keys, first.values, Segments::from_lengths(cx, lengths)};
  joined.one_tensor = first.one_tensor;
  const auto stacked = [&](Columns nn::Keys::*side) {
    Stack stack(memory.next(), (first.*side).of, joined.rows.total() + room);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const nn::Keys& keys = runs[r].memory->keys[which];
      if (indices[r].defined())
        stack.add((keys.*side).of, indices[r]);
      else
        stack.add((keys.*side).of, keys.rows.total());
    }
    return stack.tensor();
  };
  joined.keys.of = stacked(&nn::Keys::keys);
  joined.values.of = joined.one_tensor ? joined.keys.of : stacked(&nn::Keys::values);
  return joined;
}

}  // namespace

Memory join_memories(Context& cx, Rotation& keys, std::span<const ActiveSentence> sentences, Size room) {
  std::vector<std::int32_t> lengths;
  for (const ActiveSentence& u : sentences)
    lengths.push_back(static_cast<std::int32_t>(u.memory->source.rows.length(u.sentence)));
  Memory joined;
  joined.source.rows = Segments::from_lengths(cx, lengths);
  if (sentences.empty()) return joined;
  const std::vector<Run> runs = runs_of(sentences);
  for (std::size_t i = 0; i < runs.front().memory->keys.size(); ++i)
    joined.keys.push_back(join_keys(cx, keys, runs, i, room));
  return joined;
}

namespace {

// A tensor of `rows` rows that begins with the first `filled` rows of another.
Tensor enlarged(Context& cx, const Tensor& from, Size filled, Size rows) {
  const Tensor larger = cx.empty(from.dtype(), {rows, from.cols()});
  if (filled > 0) cx.copy(from.row_view(0, filled), larger.row_view(0, filled));
  return larger;
}

Segments concatenated(const Context& cx, const Segments& a, const Segments& b) {
  std::vector<std::int32_t> lengths;
  for (const Segments* part : {&a, &b})
    for (Size s = 0; s < part->count(); ++s) lengths.push_back(static_cast<std::int32_t>(part->length(s)));
  return Segments::from_lengths(cx, lengths);
}

}  // namespace

void append_memory(Context& cx, Memory& memory, const Memory& more) {
  memory.source.rows = concatenated(cx, memory.source.rows, more.source.rows);
  for (std::size_t i = 0; i < memory.keys.size(); ++i) {
    nn::Keys& keys = memory.keys[i];
    const Size filled = keys.rows.total(), count = more.keys[i].rows.total();
    const auto append = [&](Columns nn::Keys::*side) {
      Tensor& rows = (keys.*side).of;
      if (rows.rows() < filled + count) rows = enlarged(cx, rows, filled, std::max(filled + count, 2 * filled));
      cx.copy((more.keys[i].*side).of.row_view(0, count), rows.row_view(filled, count));
    };
    append(&nn::Keys::keys);
    if (keys.one_tensor)
      keys.values.of = keys.keys.of;
    else
      append(&nn::Keys::values);
    keys.rows = concatenated(cx, keys.rows, more.keys[i].rows);
  }
}

State::Kept State::adopt(const State& from, std::span<const Size> sentences, std::vector<std::int32_t>& owned) {
  std::vector<Size> first_hypothesis = {0};  // of each sentence
  for (const std::int32_t beam : from.beams_) first_hypothesis.push_back(first_hypothesis.back() + beam);
  Kept kept;
  for (const Size s : sentences) {
    const Size first = first_hypothesis[s], last = first_hypothesis[s + 1];
    std::vector<std::int32_t> rows;
    for (Size h = first; h < last; ++h) rows.insert(rows.end(), from.owned(h).begin(), from.owned(h).end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (Size h = first; h < last; ++h) {
      begins_.push_back(std::ssize(owned));
      for (const std::int32_t row : from.owned(h))
        owned.push_back(
            static_cast<std::int32_t>(used_ + (std::lower_bound(rows.begin(), rows.end(), row) - rows.begin())));
    }
    used_ += std::ssize(rows);
    beams_.push_back(from.beams_[s]);
    lengths_.insert(lengths_.end(), from.lengths_.begin() + first, from.lengths_.begin() + last);
    kept.rows.insert(kept.rows.end(), rows.begin(), rows.end());
    for (Size h = first; h < last; ++h) kept.hypotheses.push_back(static_cast<std::int32_t>(h));
  }
  return kept;
}

State State::join(Context& cx, Rotation& pools, std::span<const ActiveSentence> sentences, Size room) {
  State next;
  next.continues_ = true;
  if (sentences.empty()) return next;
  const std::vector<Run> runs = runs_of(sentences);
  std::vector<Tensor> rows, hypotheses;  // kept ones, per run
  const auto owned = std::make_shared<std::vector<std::int32_t>>();
  for (const Run& run : runs) {
    const Kept kept = next.adopt(*run.state, run.sentences, *owned);
    rows.push_back(index_of(cx, kept.rows));
    hypotheses.push_back(index_of(cx, kept.hypotheses));
  }
  next.owned_ = owned;
  // A state that has read no token has no pools yet.
  const auto cached = std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.state->has_cache(); });
  for (std::size_t p = 0; cached != runs.end() && p < cached->state->pools_.size(); ++p) {
    const Tensor& like = cached->state->pools_[p];
    if (!like.defined()) {
      next.pools_.emplace_back();
      continue;
    }
    Stack pool(pools.next(), like, next.used_ + room);
    for (std::size_t r = 0; r < runs.size(); ++r)
      if (runs[r].state->has_cache()) pool.add(runs[r].state->pools_[p], rows[r]);
    next.pools_.push_back(pool.tensor());
  }
  const State& model = *sentences.front().state;
  for (std::size_t v = 0; v < model.vectors.size(); ++v) {
    Stack vector(cx, model.vectors[v], next.hypotheses());
    for (std::size_t r = 0; r < runs.size(); ++r) vector.add(runs[r].state->vectors[v], hypotheses[r]);
    next.vectors.push_back(vector.tensor());
  }
  return next;
}

void State::append(Context& cx, const State& started) {
  check(started.used_ == 0, "[append] the new state has read {} tokens, expected none", started.used_);
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    Stack vector(cx, vectors[v], hypotheses() + started.hypotheses());
    vector.add(vectors[v], hypotheses());
    vector.add(started.vectors[v], started.hypotheses());
    vectors[v] = vector.tensor();
  }
  lengths_.insert(lengths_.end(), started.lengths_.begin(), started.lengths_.end());
  beams_.insert(beams_.end(), started.beams_.begin(), started.beams_.end());
  begins_.insert(begins_.end(), started.begins_.begin(), started.begins_.end());
}

}  // namespace dragoman::models
