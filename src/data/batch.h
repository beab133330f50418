#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::data {

// Sentences without padding: all tokens in one flat array; row i is tokens[offsets[i] .. offsets[i + 1]).
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

// The data of one training step.
struct Batch {
  PackedRows source;
  PackedRows target;                 // decoder input: begin token, then the sentence
  std::vector<std::int32_t> labels;  // expected outputs: the sentence, then the end token; rows as in target.offsets
  std::vector<std::uint32_t> sentences;  // pair numbers, counted through all corpora in order
  std::uint64_t epoch = 0, step = 0;     // position in training
  std::uint64_t steps = 0;               // number of steps in this epoch

  // Of both sides together.
  std::size_t tokens() const { return source.tokens.size() + target.tokens.size(); }
  // Tokens of the longest sentence pair, both sides together.
  std::size_t longest() const;
  bool operator==(const Batch&) const = default;
};

// Splits the batch into parts of consecutive sentences with at most `most` tokens, both sides together; a longer
// sentence pair is a part of its own. 0 means no limit.
std::vector<Batch> parts_of(const Batch& batch, std::size_t most);
// Calls f with each part.
template <class F>
void for_each_part(const Batch& batch, std::size_t most, F&& f) {
  if (most == 0 || batch.tokens() <= most) return f(batch);
  for (const Batch& part : parts_of(batch, most)) f(part);
}

}  // namespace dragoman::data
