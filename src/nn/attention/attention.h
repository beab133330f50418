#pragma once

#include "base/options.h"
#include "nn/layers.h"

namespace dragoman::nn {

// How well a query q and a key k fit (S2, S3):
enum class Score {
  dot,             // q . k
  scaled_dot,      // q . k / sqrt(d)
  multiplicative,  // q^T W k
  reduced_rank,    // (U q) . (V k), U and V of rank r
  additive         // v . tanh(W1 k + W2 q)
};

// One family for all models: any score, over whole states or over keys and values split off them, with any number of
// heads, over all keys or over a fixed number of mixtures of them (Linformer).
struct AttentionConfig {
  Score score = Score::scaled_dot;
  int heads = 1;
  int rank = 16;     // of reduced_rank
  int key_size = 0;  // with value_size: [k; v] = T h; 0 uses the whole states for both
  int value_size = 0;
  int linformer = 0;           // k: keys and values are made of k mixtures along the length; 0 makes them of all rows
  int linformer_length = 256;  // n_max
  double dropout = 0;          // on the weights

  template <class V>
  void visit(V& v) {
    v("score", score, "how queries and keys are compared");
    v("heads", heads, "parallel attentions, each with its own projections when more than one", at_least(1));
    v("rank", rank, "rank of the reduced_rank score", at_least(1));
    v("key-size", key_size, "size of keys split off the states; 0 attends over whole states", at_least(0));
    v("value-size", value_size, "size of values split off the states; goes with key-size", at_least(0));
    v("linformer", linformer, "mixtures along the length that keys and values are made of; 0 makes them of all rows",
      at_least(0));
    v("linformer-length", linformer_length, "longest input a linformer can take", at_least(1));
    v("dropout", dropout, "share of attention weights dropped in training", between(0, 0.95));
  }
};

// Where an attention stands in a model.
struct AttentionPlace {
  std::string name;        // of its parameters
  Size query = 0;          // size of the vectors that ask
  Size memory = 0;         // size of the vectors that are asked
  bool projected = false;  // queries, keys, values and the result have projections of their own (Transformer)
  bool causal = false;     // over its own past
  bool self = false;       // what asks is the memory itself
  bool rotary = false;     // queries and keys turn with their positions
  Size values = 0;         // size of the values when they are given apart (the lexical model); 0: the memory's
};

// What a memory offers to queries; made once, asked many times.
struct Keys {
  Columns keys, values;
  Segments rows;
  Tensor index{};           // i32 [rows.total()], optional: which row of keys and values each is
  Columns queries{};        // optional: what asks, when that is the memory itself and was projected with it
  bool one_tensor = false;  // keys and values are columns of the same tensor
};

class Attention {
 public:
  Attention() = default;
  // Refuses combinations that make no sense, with the reason.
  Attention(Parameters& list, const AttentionPlace& place, const AttentionConfig& config);

  // memory [N, memory] in `rows`; values default to the memory itself. Positions (i32 [N]) are for rotary ones. Where
  // own_size() is not 0, `into` [N, own_size()] may be memory for all that comes out.
  Keys prepare(RowProgram& program, const Tensor& memory, const Segments& rows, const Tensor& positions = {},
               const Tensor& into = {}) const;
  Keys prepare(Context& cx, const Tensor& memory, const Segments& rows) const;
  Keys prepare(Context& cx, const Tensor& memory, const Tensor& values, const Segments& rows,
               const Tensor& positions = {}) const;

  // Columns of queries, keys and values of a memory that asks itself, side by side; 0 where they are not.
  Size own_size() const;

  struct Ask {
    bool weights = false;  // wanted: for each sentence [heads, nq, nk]
    Tensor positions{};    // i32 [Nq], for rotary ones
  };
  Attended attend(RowProgram& program, const Tensor& x, const Segments& queries, const Keys& keys,
                  const Ask& ask) const;
  Attended attend(Context& cx, const Tensor& x, const Segments& queries, const Keys& keys, const Ask& ask) const;
  Attended attend(Context& cx, const Tensor& x, const Segments& queries, const Keys& keys) const {
    return attend(cx, x, queries, keys, Ask{});
  }

  // Whether states can be compared with keys as they are: then source() is what lstm_feeding attends to.
  bool feeds() const { return !place_.projected && config_.score != Score::additive && config_.dropout == 0; }
  // What the query would be multiplied by is moved to the keys; `questions` has one row a sentence.
  FeedingSource source(Context& cx, const Keys& keys, const Segments& questions) const;

  // Size of a context vector.
  Size size() const { return out_size_; }
  const AttentionConfig& config() const { return config_; }

 private:
  // The score's parameters, for queries and keys of these sizes.
  void add_score(Parameters& list, Size query, Size key);
  // The keys of a memory that is given as keys and values without projections.
  Keys make(Context& cx, const Keys& memory, const Tensor& positions) const;
  // The mixtures that take the place of a memory and its values in a Linformer.
  Keys mix(Context& cx, const Keys& memory) const;
  // Score and rotation, where there are some.
  void finish(Context& cx, Keys& keys, const Tensor& positions) const;
  Attended attend_additive(Context& cx, const Tensor& q, const Segments& queries, const Keys& keys,
                           bool wants_weights) const;

  AttentionConfig config_;
  AttentionPlace place_;
  Size out_size_ = 0;
  Linear query_, key_value_, out_;         // projections; key_value_ is also the split's T
  Linear own_;                             // query_ and key_value_ in one, of a memory that asks itself
  Linear key_, value_;                     // key_value_ in two, of mixtures, which are not the same for both
  Size key_columns_ = 0;                   // of key_value_'s result; the rest are values
  Linear query_score_, key_score_;         // W of multiplicative; U and V; W2 and W1
  Parameter additive_v_;                   // v
  Parameter length_keys_, length_values_;  // E and F
};

}  // namespace dragoman::nn

namespace dragoman {
template <>
struct EnumNames<nn::Score> {
  static constexpr std::pair<nn::Score, const char*> list[] = {{nn::Score::dot, "dot"},
                                                               {nn::Score::scaled_dot, "scaled_dot"},
                                                               {nn::Score::multiplicative, "multiplicative"},
                                                               {nn::Score::reduced_rank, "reduced_rank"},
                                                               {nn::Score::additive, "additive"}};
};
}  // namespace dragoman
