#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/config.h"

namespace dragoman::models {

// What an encoder makes of a batch of source sentences.
struct Encoded {
  Segments rows;                    // source tokens
  Tensor states;                    // [N, size]
  Tensor embeddings;                // [N, embedding], for the lexical model
  std::vector<nn::CellState> last;  // the final state of each recurrent layer, directions joined
};

// What a decoder reads of it: the source as it offers itself to each attention.
struct Memory {
  Encoded source;
  std::vector<nn::Keys> keys;
};

class State;

// A sentence in the middle of being decoded: what the decoder reads of it and how far its hypotheses have come.
struct Underway {
  const Memory* memory = nullptr;
  const State* state = nullptr;
  Size sentence = 0;  // in both
};
// What these sentences' decoding still reads of their memories, in memory of `cx`.
Memory join_memories(Context& cx, std::span<const Underway> sentences);

// How far decoding has come: a value. Every hypothesis has its vectors, and for attention over its own past the rows
// it owns in each pool. Reordering a beam permutes the lists of rows; the pools stay as they are.
class State {
 public:
  // `continues`: more tokens will be appended later, so the past is kept.
  State(const Memory& memory, bool continues);

  Size hypotheses() const { return std::ssize(lengths_); }
  bool continues() const { return continues_; }
  // Tokens that each hypothesis has so far.
  std::span<const std::int32_t> lengths() const { return lengths_; }

  // New tokens for every hypothesis: counts them and finds out which rows its past then consists of.
  void extend(const Context& cx, const Segments& tokens);
  // Room in pool `index` for what the new tokens offer, so that it need not be moved there; undefined where no past is
  // kept or `columns` is 0.
  Tensor claim(Context& cx, std::size_t index, DType type, Size columns);
  // Keys of the new tokens, appended to pools `index` and `index + 1`: those of the whole past.
  nn::Keys remember(Context& cx, std::size_t index, const nn::Keys& keys);
  // The past after extend(): one segment a hypothesis.
  const Segments& past() const { return past_; }
  // The queries of each source sentence: its hypotheses' tokens together.
  const Segments& by_sentence() const { return by_sentence_; }

  // Hypotheses of each sentence.
  std::span<const std::int32_t> beams() const { return beams_; }

  // Hypotheses `chosen` (in this order) go on; `beams` says how many of them belong to each sentence.
  State select(Context& cx, std::span<const std::int32_t> chosen, std::span<const std::int32_t> beams) const;
  // Sentences of several states with all their hypotheses, copied into memory of `cx`; rows that no hypothesis owns any
  // more stay behind. Before the pools grow there is room for `room` more tokens of all hypotheses together.
  static State join(Context& cx, std::span<const Underway> sentences, Size room);
  // Tokens that fit before the pools grow.
  Size room() const;

  std::vector<Tensor> vectors;  // [hypotheses, d] each

 private:
  State() = default;
  // The rows of pool `index` that are the new tokens'.
  Tensor new_rows(Context& cx, std::size_t index, DType type, Size columns);
  void store(Context& cx, std::size_t index, const Tensor& rows);
  std::span<const std::int32_t> owned(Size hypothesis) const {
    return std::span(*owned_).subspan(static_cast<std::size_t>(begins_[hypothesis]),
                                      static_cast<std::size_t>(lengths_[hypothesis]));
  }
  // The hypotheses of some sentences and the rows of the pools that these own, in increasing order sentence by
  // sentence.
  struct Kept {
    std::vector<std::int32_t> hypotheses, rows;
  };
  // Takes over another state's sentences, their lists to the end of `owned`, their rows behind those that are here.
  Kept adopt(const State& from, std::span<const Size> sentences, std::vector<std::int32_t>& owned);

  bool continues_ = false;
  std::vector<std::int32_t> lengths_;  // by hypothesis
  std::vector<std::int32_t> beams_;    // hypotheses of each sentence
  std::vector<Tensor> pools_;          // [capacity, d] each
  // Rows of the pools that each hypothesis has, from its place in begins_ on; several may begin at one.
  std::shared_ptr<const std::vector<std::int32_t>> owned_ = std::make_shared<std::vector<std::int32_t>>();
  std::vector<Size> begins_;
  Size used_ = 0, first_new_ = 0;
  Segments past_, by_sentence_;
  Tensor past_index_;  // i32: rows of the pools
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual Encoded encode(Context& cx, const Packed& source) const = 0;
  virtual Size size() const = 0;
};

struct Decoded {
  Tensor features;  // [N, size]: what the output layer reads
  Tensor weights;   // when asked for: of the attention over the source, for each sentence [heads, nq, nk]
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual Memory remember(Context& cx, const Encoded& source) const = 0;
  virtual State start(Context& cx, const Memory& memory, bool continues) const = 0;
  // Appends one or more tokens to every hypothesis.
  virtual Decoded decode(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const = 0;
  virtual Size size() const = 0;
};

}  // namespace dragoman::models
