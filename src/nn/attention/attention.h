#pragma once

#include "base/options.h"
#include "nn/layers.h"

namespace dragoman::nn {

// The score of a query q and a key k:
enum class Score {
  dot,             // q . k
  scaled_dot,      // q . k / sqrt(d) (Vaswani et al. 2017)
  multiplicative,  // q^T W k (Luong et al. 2015)
  reduced_rank,    // (U q) . (V k), U and V of rank r
  additive         // v . tanh(W1 k + W2 q) (Bahdanau et al. 2015)
};

// One attention for all models: any score, over whole states or over separate keys and values computed from them
// (Daniluk et al. 2017), with any number of heads, over all rows or over a fixed number of mixtures of them (Linformer,
// Wang et al. 2020).
struct AttentionConfig {
  Score score = Score::scaled_dot;
  int heads = 1;
  int head_size = 0;  // of projected attention; 0: the size of the queries divided by the heads
  int rank = 16;      // of the reduced_rank score
  int inner = 0;      // size of the vectors inside the tanh of the additive score; 0: the size of the queries
  int key_size = 0;   // with value_size: [k; v] = T h; 0 uses the whole states for both
  int value_size = 0;
  int linformer = 0;           // k: keys and values are computed from k mixtures along the length; 0: from all rows
  int linformer_length = 256;  // n_max
  double dropout = 0;          // on the weights

  template <class V>
  void visit(V& v) {
    v("score", score, "score of a query and a key");
    v("heads", heads, "number of heads; more than one needs projected queries and keys (Transformer)", at_least(1));
    v("head-size", head_size, "size of a head (Transformer); 0 divides the vectors between layers into heads",
      between(0, 1'000'000));
    v("rank", rank, "rank of the reduced_rank score", at_least(1));
    v("inner", inner, "size inside the tanh of the additive score; 0 for that of the queries", between(0, 1'000'000));
    v("key-size", key_size, "size of separate keys (Daniluk et al. 2017); 0 attends over whole states", at_least(0));
    v("value-size", value_size, "size of separate values; must be given with key-size", at_least(0));
    v("linformer", linformer,
      "k of Linformer (Wang et al. 2020): rows that keys and values are projected to; 0 keeps all", at_least(0));
    v("linformer-length", linformer_length, "longest input a linformer can take", at_least(1));
    v("dropout", dropout, "dropout on attention weights", between(0, 0.95));
    v.only_if(
        "rank", [this] { return score == Score::reduced_rank; }, "only the reduced_rank score uses it");
    v.only_if(
        "inner", [this] { return score == Score::additive; }, "only the additive score uses it");
    v.only_if(
        "linformer-length", [this] { return linformer > 0; }, "it needs model.attention.linformer");
  }
};

// The role of an attention layer in a model.
struct AttentionPlace {
  std::string name;        // of its parameters
  Size query = 0;          // size of the vectors that attend
  Size memory = 0;         // size of the vectors they attend to
  bool projected = false;  // queries, keys and values are projected (Transformer)
  bool out_proj = true;    // if they are: the concatenated heads, too
  bool causal = false;     // over its own past
  bool self = false;       // self-attention: the memory attends to itself
  bool rotary = false;     // rotary position embedding of queries and keys
  bool biased = false;     // queries come with a bias (Ask::bias)
  Size values = 0;         // size of values that are not the memory (lexical model); 0: size of the memory
};

// Keys and values computed once from a memory and read by many queries.
struct Keys {
  Columns keys, values;
  Segments rows;
  Tensor index{};           // i32 [rows.total()], optional: key i is row index[i] of keys and values
  Columns queries{};        // of self-attention, when one product projects queries, keys and values
  bool one_tensor = false;  // keys and values are columns of one tensor, shared or separate
};

// Keys and values for a plain dot product with unprojected queries: scale * q . k.
struct DotKeys {
  Tensor keys, values;           // [Nk, query], [Nk, d]
  bool values_are_keys = false;  // both are the same tensor
  Segments rows;
  double scale = 1;
};

class Attention {
 public:
  Attention() = default;
  // Throws Error with the reason if the configuration is inconsistent.
  Attention(Parameters& list, const AttentionPlace& place, const AttentionConfig& config);

  // memory [N, memory] in `rows`; values default to the memory. Positions (i32 [N]) are for rotary embedding. If
  // own_size() is not 0, the result may be written to `into` [N, own_size()].
  Keys prepare(RowProgram& program, const Tensor& memory, const Segments& rows, const Tensor& positions = {},
               const Tensor& into = {}) const;
  Keys prepare(Context& cx, const Tensor& memory, const Segments& rows) const;
  Keys prepare(Context& cx, const Tensor& memory, const Tensor& values, const Segments& rows,
               const Tensor& positions = {}) const;

  // Keys and values as a decoder keeps them for later queries: rounded to bf16 if the weights of this layer are held in
  // a narrow format, otherwise as they are.
  Keys kept(Context& cx, const Keys& keys) const;

  // Columns of the joint product of queries, keys and values of self-attention; 0 if there is no such product, or if it
  // is not kept as it is.
  Size own_size() const;

  struct Ask {
    bool weights = false;  // also return the attention weights
    Tensor positions{};    // i32 [Nq], for rotary embedding
    Tensor bias{};         // [pairs of queries and keys, heads], optional: added to the scores; says what causal hides
  };
  Attended attend(RowProgram& program, const Tensor& x, const Segments& queries, const Keys& keys,
                  const Ask& ask) const;
  Attended attend(Context& cx, const Tensor& x, const Segments& queries, const Keys& keys, const Ask& ask) const;
  Attended attend(Context& cx, const Tensor& x, const Segments& queries, const Keys& keys) const {
    return attend(cx, x, queries, keys, Ask{});
  }

  // Whether dot_keys() can express this attention.
  bool is_dot_product() const { return !place_.projected && config_.score != Score::additive && config_.dropout == 0; }
  // Moves the query weight of the score, if any, to the keys: (W q) . k = q . (W^T k).
  DotKeys dot_keys(Context& cx, const Keys& keys) const;

  // Size of a context vector.
  Size size() const { return out_size_; }
  const AttentionConfig& config() const { return config_; }

 private:
  // The score's parameters, for queries and keys of these sizes.
  void add_score(Parameters& list, Size query, Size key);
  // The keys of a memory that is given as keys and values without projections.
  Keys make(Context& cx, const Keys& memory, const Tensor& positions) const;
  // Linformer: computes the mixtures that replace a memory and its values.
  Keys mix(Context& cx, const Keys& memory) const;
  bool keeps_bf16() const;
  // Applies the key weight of the score and the rotary embedding, if any.
  void finish(Context& cx, Keys& keys, const Tensor& positions) const;
  // Scores that are computed pair by pair, one head after the other: the additive one, and those with a bias.
  Attended attend_by_pairs(Context& cx, const Tensor& q, const Segments& queries, const Keys& keys, const Tensor& bias,
                           bool wants_weights) const;

  AttentionConfig config_;
  AttentionPlace place_;
  Size out_size_ = 0;
  Linear query_, key_value_, out_;         // projections; key_value_ is also T of separate keys and values
  Linear own_;                             // query_ and key_value_ as one layer, for self-attention
  Linear key_, value_;                     // key_value_ as two layers, for a Linformer: two different mixtures
  Size key_columns_ = 0;                   // key columns in the result of key_value_; the rest are values
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
