#pragma once

#include <span>

#include "tensor/context.h"
#include "tensor/packed.h"

// Everything models are made of. An op checks its shapes (an error names the op and both shapes), takes memory from
// the context's arena, calls one kernel of the contract (lstm_feeding: some for every step) and, when the context
// records, notes how to go back. Each has a file of its subject in ops/.
namespace dragoman {

using kernels::Activation;

// ---- linear ---------------------------------------------------------------------------------------------------

struct LinearOptions {
  bool transposed = true;  // the weight is [out, in]; otherwise [in, out]
  Activation activation = Activation::none;
  Tensor into{};  // memory for the result, where no gradient flows; its own otherwise
};
// activation(x W + b): x [N, in] -> [N, out]. One weight may serve several calls (tied weights): gradients add up.
// A weight [out, in] that has a packed form (below) is multiplied through it; a row of the result is then the same to
// the bit in any batch and on any number of threads.
Tensor linear(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              const LinearOptions& options = {});

// A weight [out, in] laid out once for the products of inference: bytes it takes, and filling them. The layout is the
// device's own affair; nn::Parameters::pack() does this for a whole model.
std::size_t packed_bytes(const Tensor& weight);
void pack_weight(const Tensor& weight, void* packed);
// The same tensor with a packed form in the arena: for a weight that many steps of one computation multiply by.
Tensor packed_for_steps(Context& cx, const Tensor& weight);

// ---- matrix products ------------------------------------------------------------------------------------------

struct MatmulOptions {
  bool transposed_a = false;  // a is [B, k, m]
  bool transposed_b = false;  // b is [B, n, k]
  double alpha = 1;
};
// alpha * a b for every element of a batch: [B, m, k] x [B, k, n] -> [B, m, n].
Tensor batched_matmul(Context& cx, const Tensor& a, const Tensor& b, const MatmulOptions& options = {});

// Products that a sentence has with itself or with its counterpart; nothing crosses sentences.
// alpha * q . k for every pair: [Nq, d], [Nk, d] -> [pairs].
Tensor segment_scores(Context& cx, const Tensor& q, const Tensor& k, const PairLayout& pairs, double alpha = 1);
// Sums of a sentence's values under its weights: [pairs], [Nk, d] -> [Nq, d].
Tensor segment_mix(Context& cx, const Tensor& weights, const Tensor& values, const PairLayout& pairs);

// ---- rows -----------------------------------------------------------------------------------------------------

struct EmbeddingOptions {
  double scale = 1;
  Tensor positions{};     // [P, d], optional: added after scaling; learned when tracked
  Tensor position_ids{};  // i32 [N], with positions
};
// scale * table[ids] + positions[position_ids]: ids i32 [N], table [V, d] -> [N, d].
Tensor embedding(Context& cx, const Tensor& ids, const Tensor& table, const EmbeddingOptions& options = {});
// Rows of x in the order of index (i32 [M]), any row any number of times: [N, d] -> [M, d].
Tensor gather_rows(Context& cx, const Tensor& x, const Tensor& index);
// The same where every row is taken once: index is a permutation and `inverse` undoes it.
Tensor permute_rows(Context& cx, const Tensor& x, const Tensor& index, const Tensor& inverse);
Tensor concat_rows(Context& cx, std::span<const Tensor> parts);
Tensor slice_rows(Context& cx, const Tensor& x, Size first, Size count);
Tensor concat_columns(Context& cx, std::span<const Tensor> parts);
Tensor slice_columns(Context& cx, const Tensor& x, Size first, Size count);

// ---- normalisation and softmax --------------------------------------------------------------------------------

struct NormParameters {
  Tensor gain, bias;  // [d]
  double epsilon = 1e-5;
};
Tensor layer_norm(Context& cx, const Tensor& x, const NormParameters& norm);

struct Residual {
  Tensor sum;         // x + dropout(branch): what a pre-norm model carries on
  Tensor normalised;  // its layer norm: what a post-norm model carries on, and what a pre-norm block reads
};
// Both orders of residual block in one pass over memory.
Residual residual_norm(Context& cx, const Tensor& x, const Tensor& branch, double dropout, const NormParameters& norm);

// Over the last axis.
Tensor softmax(Context& cx, const Tensor& x);
// Over the keys of each query: [pairs] -> [pairs].
Tensor segment_softmax(Context& cx, const Tensor& scores, const PairLayout& pairs);

// ---- attention ------------------------------------------------------------------------------------------------

// Some columns of a tensor: q, k and v may be parts of one product. A tensor converts to all of its columns.
struct Columns {
  Tensor of;
  Size first = 0, count = 0;

  Columns() = default;
  Columns(const Tensor& tensor) : of(tensor), count(tensor.cols()) {}
  Columns(const Tensor& tensor, Size first_column, Size columns) : of(tensor), first(first_column), count(columns) {}
};

// One of each where there is one projection.
struct LengthProjections {
  Tensor first, second{};  // [k, n_max] each
};
struct Mixtures {
  Tensor first, second{};  // [sentences * k, d] each
};
// Rows projected along the length (Linformer): the first n columns of a projection times a sentence's n rows,
// [N, d] -> [sentences * k, d]. Two projections read the rows once.
Mixtures project_length(Context& cx, const LengthProjections& projections, const Columns& x, const Segments& rows);

struct AttentionOptions {
  Size heads = 1;
  bool causal = false;  // query i of nq sees the keys 0 .. nk - nq + i
  double scale = 0;     // 0 means 1 / sqrt(size of a head's keys)
  double dropout = 0;   // on the weights
  bool weights = false;
  // i32 [keys.total()], optional: key i is row key_rows[i] of k and v, so that keys need not lie side by side; no
  // gradient flows then.
  Tensor key_rows{};
};
struct Attended {
  Tensor out;      // [Nq, heads * size of a head's values]
  Tensor weights;  // when asked for: for each sentence [heads, nq, nk]; no gradient flows through it
};
// Tensors may have more rows than their segments; those are not looked at.
Attended attention(Context& cx, const Columns& q, const Columns& k, const Columns& v, const Segments& queries,
                   const Segments& keys, const AttentionOptions& options = {});

// v . tanh(q_i + k_j) for every pair: q [Nq, d], k [Nk, d], v [d] -> [pairs]; `causal` as in attention.
Tensor additive_scores(Context& cx, const Tensor& q, const Tensor& k, const Tensor& v, const PairLayout& pairs,
                       bool causal = false);

// ---- recurrence -----------------------------------------------------------------------------------------------

struct LstmState {
  Tensor h, c;  // [B, hidden]
};
// One step: gates [B, 4 hidden] in the order input, forget, cell, output, before their activations. The op takes the
// gates over: their memory holds the activated ones afterwards.
LstmState lstm_cell(Context& cx, const Tensor& gates, const Tensor& c_before);

// One GRU step: gates [B, 3 hidden] in the order reset, update, new; the input's and the state's share, both taken
// over.
Tensor gru_cell(Context& cx, const Tensor& x_gates, const Tensor& h_gates, const Tensor& h_before);

struct LstmOutput {
  Tensor h;        // [N, hidden]
  LstmState last;  // after each sentence's last step
};
struct LstmInput {
  Tensor gates;     // [N, 4 hidden]: x W + b (taken over, as above)
  Tensor weight;    // [4 hidden, hidden]
  LstmState first;  // optional: undefined means zeros
  bool reverse = false;
};
// A layer over whole sentences.
LstmOutput lstm_layer(Context& cx, const LstmInput& in, const Segments& rows, const TimeOrder& time);
// Two of one size at the same time: both directions of a bidirectional layer.
std::pair<LstmOutput, LstmOutput> lstm_layers(Context& cx, const LstmInput& first, const LstmInput& second,
                                              const Segments& rows, const TimeOrder& time);

// A decoder whose every step reads its own last output (input feeding, Luong et al.): layers of LSTM cells, attention
// of the top layer's state to the source, fed = dropout(tanh(W [state; context] + b)). Sentences are in the order of
// `time`, all of them having a first word; rows lie step after step, in each step those sentences that still have one.
struct FeedingLayer {
  Tensor input, bias;  // [4 hidden, hidden], [4 hidden]: of the layer below; the first layer has none
  Tensor recurrent;    // [4 hidden, hidden]
  LstmState first;     // [B, hidden]
};
struct FeedingWeights {
  Tensor fed;             // [4 hidden, hidden]: into the first layer's gates
  Tensor state, context;  // W: [hidden, hidden], [hidden, columns]: of the first columns of the values
  Tensor bias;            // [hidden]
};
struct FeedingSource {
  Tensor keys, values;  // [Nk, hidden], [Nk, d]
  Segments rows;
  Segments questions;            // one a sentence
  double scale = 1;              // of the products of states and keys
  bool values_are_keys = false;  // both are the same tensor
};
struct FeedingDropout {
  double between = 0, out = 0;
};
struct FeedingOutput {
  Tensor fed;      // [N, hidden]
  Tensor context;  // [N, d]
  // Every state there was, B rows from before the first step and then step after step: [B + N, hidden]. No gradient
  // flows to them.
  Tensor fed_states;
  std::vector<LstmState> states;  // of each layer
};
// gates [N, 4 hidden] hold the words' share of the first layer's (taken over, as above), fed [B, hidden] what the first
// step is fed.
FeedingOutput lstm_feeding(Context& cx, const Tensor& gates, const Tensor& fed, std::span<const FeedingLayer> layers,
                           const FeedingWeights& weights, const FeedingSource& source, const TimeOrder& time,
                           const FeedingDropout& dropout);

// ---- element by element ---------------------------------------------------------------------------------------

Tensor activate(Context& cx, const Tensor& x, Activation activation);
inline Tensor tanh(Context& cx, const Tensor& x) { return activate(cx, x, Activation::tanh); }
inline Tensor sigmoid(Context& cx, const Tensor& x) { return activate(cx, x, Activation::sigmoid); }
// alpha * a + beta * b.
Tensor add(Context& cx, const Tensor& a, const Tensor& b, double alpha = 1, double beta = 1);
Tensor scale(Context& cx, const Tensor& x, double factor);
Tensor multiply(Context& cx, const Tensor& a, const Tensor& b);
// Rotary positions: in every head, pairs of columns turn by an angle that grows with the row's position (i32 [N]).
Tensor rotate(Context& cx, const Columns& x, Size heads, const Tensor& position_ids);
// Nothing is stored: backward draws the same random numbers again. The tensor itself when nothing drops.
Tensor dropout(Context& cx, const Tensor& x, double rate);
// Storage types; no gradient flows through them.
Tensor to_bf16(Context& cx, const Tensor& x);
Tensor from_bf16(Context& cx, const Tensor& x);

// ---- loss -----------------------------------------------------------------------------------------------------

struct LossOptions {
  double smoothing = 0;
  double gradient_scale = 1;  // of the sum over rows; 1 / rows for their mean
  bool transposed = true;     // as LinearOptions
};
struct Losses {
  Tensor loss;  // [N]: with smoothing
  Tensor nll;   // [N]: -log p(target)
};
// Projection to logits, log-softmax and cross-entropy, some rows at a time: the [N, V] matrix never exists. This is
// where gradients begin: when recording, those of x, weight and bias are in place when it returns.
Losses cross_entropy(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& targets,
                     const LossOptions& options = {});

// ---- search ---------------------------------------------------------------------------------------------------

struct Best {
  Tensor log_sum;  // [N]: log of the sum of exp over the row
  Tensor values;   // [N, count], of the type of sums: largest first, of equal ones the lower column first
  Tensor columns;  // i32 [N, count]
};
// The `count` largest of the logits x W^T + b of every row, without the [N, V] matrix: the output layer of a search. x
// [N, d], weight [V, d], bias [V] or undefined; log p(column) = value - log_sum. Where there are
// fewer than `count`, columns are -1 and values -inf. A row's result is the same to the bit in any batch and on any
// number of threads, and its values are those of `linear` over the packed weight. A weight without a packed form is
// packed at every call, which is slow. No gradient flows.
Best top_scores(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, Size count);

// ---- optimisers -----------------------------------------------------------------------------------------------

// Sums stay on the device of what is added up, one f64 each, so that nobody waits for them.
// to += scale * the sum of x.
void add_sum(const Tensor& x, double scale, const Tensor& to);
// to = the sum of squares of a flat gradient buffer.
void sum_squares(const Tensor& gradient, const Tensor& to);

// Gradients longer than `limit` are brought down to it; `squares` is what sum_squares() found. Without them, or with
// limit 0, they stay as they are.
struct Clip {
  Tensor squares;
  double limit = 0;
};

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = true;  // AdamW; otherwise the decay is part of the gradient
};
struct AdamMoments {
  Tensor first, second;
};
// One step over flat buffers; `step` counts from 1. In mixed precision `copy` (bf16) gets the new weights, too.
void adam_step(const Tensor& weight, const Tensor& gradient, const AdamMoments& moments, const AdamSettings& settings,
               double rate, Size step, const Clip& clip = {}, const Tensor& copy = {});

struct SgdSettings {
  double momentum = 0, weight_decay = 0;
};
// `velocity` is undefined without momentum.
void sgd_step(const Tensor& weight, const Tensor& gradient, const Tensor& velocity, const SgdSettings& settings,
              double rate, const Clip& clip = {}, const Tensor& copy = {});

}  // namespace dragoman
