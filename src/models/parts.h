#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/config.h"
#include "tensor/rotation.h"

namespace dragoman::models {

// The output of an encoder for a batch of source sentences.
struct EncodedSource {
  Segments rows;                    // source tokens
  Tensor states;                    // [N, size]
  Tensor embeddings;                // [N, embedding], for the lexical model
  std::vector<nn::CellState> last;  // the final state of each recurrent layer, directions joined
};

// The decoder's view of the source: keys and values for each of its attention layers.
struct Memory {
  EncodedSource source;
  std::vector<nn::Keys> keys;
};

class State;

// A sentence that is being decoded: its index in a memory and in a state.
struct ActiveSentence {
  const Memory* memory = nullptr;
  const State* state = nullptr;
  Size sentence = 0;  // in both
};
// Copies the parts of these sentences' memories that decoding still needs: keys and values to `keys`, all else into the
// arena of `cx`. The keys have room for `room` more source tokens.
Memory join_memories(Context& cx, Rotation& keys, std::span<const ActiveSentence> sentences, Size room = 0);
// Appends the sentences of `more`: to the room that the keys of `memory` have for them, or, where it is too small, in
// the arena of `cx`.
void append_memory(Context& cx, Memory& memory, const Memory& more);

// The state of decoding, as a value. Every hypothesis has vectors (recurrent states) and, for attention over its own
// past, rows of the KV cache. The cache consists of pools that all hypotheses share; each hypothesis has a list of its
// rows. Reordering a beam permutes these lists and moves nothing in the pools.
class State {
 public:
  // `continues`: tokens will be appended in several calls, so past keys and values are kept.
  State(const Memory& memory, bool continues);

  Size hypotheses() const { return std::ssize(lengths_); }
  bool continues() const { return continues_; }
  // Number of tokens of each hypothesis.
  std::span<const std::int32_t> lengths() const { return lengths_; }

  // Appends tokens to every hypothesis: updates its length and its list of rows.
  void extend(const Context& cx, const Segments& tokens);
  // The rows of pool `index` for the new tokens, so that keys and values can be written in place; undefined if the past
  // is not kept or `columns` is 0.
  Tensor claim(Context& cx, std::size_t index, DType type, Size columns);
  // Appends keys and values of the new tokens to pools `index` and `index + 1` (to one pool when they share a tensor)
  // and returns those of the whole past.
  nn::Keys remember(Context& cx, std::size_t index, const nn::Keys& keys);
  // The past including the new tokens: one segment per hypothesis.
  const Segments& past() const { return past_; }
  // The new tokens as queries to the source: one segment per source sentence, for all its hypotheses.
  const Segments& by_sentence() const { return by_sentence_; }

  // Hypotheses of each sentence.
  std::span<const std::int32_t> beams() const { return beams_; }

  // Keeps the hypotheses `chosen`, in this order; `beams` gives the number of hypotheses per sentence.
  State select(Context& cx, std::span<const std::int32_t> chosen, std::span<const std::int32_t> beams) const;
  // Merges sentences of several states, with all their hypotheses, into one state: its pools in `pools`, all else in
  // the arena of `cx`. Rows that no hypothesis needs any more are dropped. The pools have room for `room` more tokens
  // over all hypotheses.
  static State join(Context& cx, Rotation& pools, std::span<const ActiveSentence> sentences, Size room);
  // Appends the sentences of a state that has read no tokens.
  void append(Context& cx, const State& started);
  // Whether there are rows of the KV cache: not before the first token, and never without attention over the past.
  bool has_cache() const { return !pools_.empty(); }
  // Number of tokens that fit before the pools must grow.
  Size room() const;
  // Vectors and pools: all that the next call reads.
  std::vector<Tensor> tensors() const;

  std::vector<Tensor> vectors;  // [hypotheses, d] each

 private:
  State() = default;
  // The new tokens' rows of pool `index`.
  Tensor new_rows(Context& cx, std::size_t index, DType type, Size columns);
  void store(Context& cx, std::size_t index, const Tensor& rows);
  std::span<const std::int32_t> owned(Size hypothesis) const {
    return std::span(*owned_).subspan(static_cast<std::size_t>(begins_[hypothesis]),
                                      static_cast<std::size_t>(lengths_[hypothesis]));
  }
  // The hypotheses of some sentences and their rows of the pools, in increasing order within a sentence.
  struct Kept {
    std::vector<std::int32_t> hypotheses, rows;
  };
  // Takes over sentences of another state: appends their row lists to `owned`, with rows renumbered to follow the
  // existing ones.
  Kept adopt(const State& from, std::span<const Size> sentences, std::vector<std::int32_t>& owned);

  bool continues_ = false;
  std::vector<std::int32_t> lengths_;  // by hypothesis
  std::vector<std::int32_t> beams_;    // hypotheses of each sentence
  std::vector<Tensor> pools_;          // [capacity, d] each
  // The row lists; the list of hypothesis h starts at begins_[h]. Hypotheses may share a list.
  std::shared_ptr<const std::vector<std::int32_t>> owned_ = std::make_shared<std::vector<std::int32_t>>();
  std::vector<Size> begins_;
  Size used_ = 0, first_new_ = 0;
  Segments past_, by_sentence_;
  Tensor past_index_;  // i32: rows of the pools
};

class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual EncodedSource encode(Context& cx, const Packed& source) const = 0;
  virtual Size size() const = 0;
};

struct Decoded {
  Tensor features;  // [N, size]: the input of the output layer
  Tensor weights;   // if requested: attention weights over the source, [heads, nq, nk] per sentence
  // If requested, and if the model attends to its own past: the weights over State::past(), [heads, nq, nk] per
  // hypothesis. Row i of the past is the state before word i, the first word being BOS; later rows have weight 0.
  Tensor past_weights{};
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual Memory remember(Context& cx, const EncodedSource& source) const = 0;
  virtual State start(Context& cx, const Memory& memory, bool continues) const = 0;
  // Appends one or more tokens to every hypothesis.
  virtual Decoded decode(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const = 0;
  virtual Size size() const = 0;
};

}  // namespace dragoman::models
