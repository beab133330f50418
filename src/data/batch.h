#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::data {

// Sentences without padding: all their tokens in one flat array; row i is tokens[offsets[i] .. offsets[i + 1]).
struct PackedRows {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> offsets = {0};  // rows + 1

  std::size_t rows() const { return offsets.size() - 1; }
  std::span<const std::int32_t> row(std::size_t i) const {
    return std::span(tokens).subspan(static_cast<std::size_t>(offsets[i]),
                                     static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }
  void clear() {
    tokens.clear();
    offsets.assign(1, 0);
  }
  void end_row() { offsets.push_back(static_cast<std::int32_t>(tokens.size())); }
  bool operator==(const PackedRows&) const = default;
};

// What one training step sees.
struct Batch {
  PackedRows source;
  PackedRows target;                     // what the decoder reads: begin mark, then the sentence
  std::vector<std::int32_t> labels;      // what it must say after each: the sentence, then the end mark; target.offsets
  std::vector<std::uint32_t> sentences;  // the pairs' numbers, counted through all corpora in order
  std::uint64_t epoch = 0, step = 0;     // where in training this batch stands
  std::uint64_t steps = 0;               // how many steps its epoch has

  // Of both sides together.
  std::size_t tokens() const { return source.tokens.size() + target.tokens.size(); }
  // The same of its longest sentence.
  std::size_t longest() const;
  bool operator==(const Batch&) const = default;
};

// The batch in parts of consecutive sentences with at most `most` tokens of both sides together; a longer sentence is a
// part of its own. 0: no limit.
std::vector<Batch> parts_of(const Batch& batch, std::size_t most);
// Calls f with each of them.
template <class F>
void for_each_part(const Batch& batch, std::size_t most, F&& f) {
  if (most == 0 || batch.tokens() <= most) return f(batch);
  for (const Batch& part : parts_of(batch, most)) f(part);
}

}  // namespace dragoman::data
