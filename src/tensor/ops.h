#pragma once

#include <span>

#include "tensor/context.h"
#include "tensor/packed.h"

// The ops that models are made of. An op checks its shapes (an error names the op and both shapes), takes memory from
// the context's arena, calls one kernel of the contract and, when the context records, puts its backward on the tape.
// Ops are implemented in ops/, one file per subject. The op for LSTM decoders with input feeding has its own header:
// ops/input_feeding/input_feeding.h.
namespace dragoman {

using kernels::Activation;

// ---- linear ---------------------------------------------------------------------------------------------------

struct LinearOptions {
  bool transposed = true;  // the weight is [out, in]; otherwise [in, out]
  Activation activation = Activation::none;
  Tensor into{};  // optional: memory for the result; not with gradients
};
// activation(x W + b): x [N, in] -> [N, out]. A weight may be used by several calls (tied weights); its gradients add
// up. A weight [out, in] with a packed form (below) is read in that form; each row of the result is then bit-identical
// in any batch and on any number of threads.
Tensor linear(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              const LinearOptions& options = {});

// Packing of a weight [out, in] for the matrix products of inference: the size of the packed form in bytes, and packing
// itself. Each device chooses its own layout. nn::Parameters::pack() packs a whole model.
std::size_t packed_bytes(const Tensor& weight, WeightFormat format = WeightFormat::same);
void pack_weight(const Tensor& weight, void* packed, WeightFormat format = WeightFormat::same);
// Packs rows of int8 with their scales, without rounding them again, for a weight that need not have a plain form.
void pack_weight(const Tensor& weight, void* packed, const std::int8_t* numbers, const float* scales);
// The same for rows of bf16.
void pack_weight(const Tensor& weight, void* packed, const kernels::bf16* halves);
// The same tensor with a packed form in the arena, for a weight that many steps of one computation read.
Tensor packed_for_steps(Context& cx, const Tensor& weight, WeightFormat format = WeightFormat::same);
// One row of a weight [out, in] as a packed weight in the arena.
Tensor packed_row(Context& cx, const Tensor& weight, Size row);
// The weight itself, or, if it is only packed, its numbers in the arena.
Tensor plain_weight(Context& cx, const Tensor& weight);
// Some rows of a packed weight (i32 [N]) as numbers in the arena: [N, in].
Tensor unpacked_rows(Context& cx, const Tensor& weight, const Tensor& rows);

// ---- matrix products ------------------------------------------------------------------------------------------

struct MatmulOptions {
  bool transposed_a = false;  // a is [B, k, m]
  bool transposed_b = false;  // b is [B, n, k]
  double alpha = 1;
};
// alpha * a b for every element of a batch: [B, m, k] x [B, k, n] -> [B, m, n].
Tensor batched_matmul(Context& cx, const Tensor& a, const Tensor& b, const MatmulOptions& options = {});

// Products within segments: the queries of a sentence are paired only with the keys of the same sentence.
// alpha * q . k for every pair: [Nq, d], [Nk, d] -> [pairs].
Tensor segment_scores(Context& cx, const Tensor& q, const Tensor& k, const PairLayout& pairs, double alpha = 1);
// Weighted sums of a sentence's values: [pairs], [Nk, d] -> [Nq, d].
Tensor segment_mix(Context& cx, const Tensor& weights, const Tensor& values, const PairLayout& pairs);

// ---- rows -----------------------------------------------------------------------------------------------------

struct EmbeddingOptions {
  double scale = 1;
  Tensor positions{};     // [P, d], optional: added after scaling; learned if tracked
  Tensor position_ids{};  // i32 [N], with positions
};
// scale * table[ids] + positions[position_ids]: ids i32 [N], table [V, d] -> [N, d].
Tensor embedding(Context& cx, const Tensor& ids, const Tensor& table, const EmbeddingOptions& options = {});
// Rows of x in the order of index (i32 [M]), where rows may repeat: [N, d] -> [M, d].
Tensor gather_rows(Context& cx, const Tensor& x, const Tensor& index);
// The same into memory [M, d] that exists already; has no gradients.
void gather_rows(Context& cx, const Tensor& x, const Tensor& index, const Tensor& into);
// The same for a permutation; `inverse` undoes `index`.
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
  Tensor sum;         // x + dropout(branch): the residual stream of a pre-norm model
  Tensor normalised;  // layer norm of the sum: the residual stream of a post-norm model, the input of a pre-norm block
};
// A residual block for either order of norms, in one pass over memory.
Residual residual_norm(Context& cx, const Tensor& x, const Tensor& branch, double dropout, const NormParameters& norm);

// Over the last axis.
Tensor softmax(Context& cx, const Tensor& x);
// Over the keys of each query: [pairs] -> [pairs].
Tensor segment_softmax(Context& cx, const Tensor& scores, const PairLayout& pairs);

// ---- attention ------------------------------------------------------------------------------------------------

// Some columns of a tensor: q, k and v may be columns of one product. A tensor converts to all of its columns.
struct Columns {
  Tensor of;
  Size first = 0, count = 0;

  Columns() = default;
  Columns(const Tensor& tensor) : of(tensor), count(tensor.cols()) {}
  Columns(const Tensor& tensor, Size first_column, Size columns) : of(tensor), first(first_column), count(columns) {}
};

// `second` is optional.
struct LengthProjections {
  Tensor first, second{};  // [k, n_max] each
};
struct Mixtures {
  Tensor first, second{};  // [sentences * k, d] each
};
// Projection along the length (Linformer, Wang et al. 2020): the first n columns of a projection times the n rows of a
// sentence, [N, d] -> [sentences * k, d]. With two projections, the rows are read once.
Mixtures project_length(Context& cx, const LengthProjections& projections, const Columns& x, const Segments& rows);

struct AttentionOptions {
  Size heads = 1;
  bool causal = false;  // query i of nq sees the keys 0 .. nk - nq + i
  double scale = 0;     // 0 means 1 / sqrt(size of a head's keys)
  double dropout = 0;   // on the weights
  bool weights = false;
  // i32 [keys.total()], optional: key i is row key_rows[i] of k and v, which lets hypotheses share rows of a KV cache.
  // No gradient flows then.
  Tensor key_rows{};
};
struct Attended {
  Tensor out;      // [Nq, heads * size of a head's values]
  Tensor weights;  // if requested: [heads, nq, nk] per sentence; no gradient flows through it
};
// Tensors may have more rows than their segments; extra rows are ignored. On the host keys and values may be bf16 where
// queries are f32; no gradient flows then.
Attended attention(Context& cx, const Columns& q, const Columns& k, const Columns& v, const Segments& queries,
                   const Segments& keys, const AttentionOptions& options = {});

// v . tanh(q_i + k_j) for every pair: q [Nq, d], k [Nk, d], v [d] -> [pairs]; `causal` as in attention.
Tensor additive_scores(Context& cx, const Tensor& q, const Tensor& k, const Tensor& v, const PairLayout& pairs,
                       bool causal = false);

// ---- recurrence -----------------------------------------------------------------------------------------------

struct LstmState {
  Tensor h, c;  // [B, hidden]
};
// One step: gates [B, 4 hidden] in the order input, forget, cell, output, before their activations. The op overwrites
// the gates with the activated ones, so no other op may read them.
LstmState lstm_cell(Context& cx, const Tensor& gates, const Tensor& c_before);

// One GRU step: gates [B, 3 hidden] in the order reset, update, new, from the input and from the state. The op
// overwrites both.
Tensor gru_cell(Context& cx, const Tensor& x_gates, const Tensor& h_gates, const Tensor& h_before);

struct LstmOutput {
  Tensor h;        // [N, hidden]
  LstmState last;  // after each sentence's last step
};
struct LstmInput {
  Tensor gates;     // [N, 4 hidden]: x W + b; overwritten, as above
  Tensor weight;    // [4 hidden, hidden]
  LstmState first;  // optional: undefined means zeros
  bool reverse = false;
};
// One LSTM layer over whole sentences.
LstmOutput lstm_layer(Context& cx, const LstmInput& in, const Segments& rows, const TimeOrder& time);
// Two layers of equal size at the same time: the directions of a bidirectional layer.
std::pair<LstmOutput, LstmOutput> lstm_layers(Context& cx, const LstmInput& first, const LstmInput& second,
                                              const Segments& rows, const TimeOrder& time);

struct SsruOutput {
  Tensor h;     // [N, hidden]
  Tensor last;  // [B, hidden], in the accumulator type: the state after each sentence's last row
};
// A layer of simpler simple recurrent units (Kim et al. 2019) over whole sentences: gates [N, 2 hidden], the forget
// gate before its sigmoid and the candidate. `first` (as `last`) is the state before the first row; undefined means
// zeros.
SsruOutput ssru(Context& cx, const Tensor& gates, const Tensor& first, const Segments& rows);

// ---- element by element ---------------------------------------------------------------------------------------

Tensor activate(Context& cx, const Tensor& x, Activation activation);
inline Tensor tanh(Context& cx, const Tensor& x) { return activate(cx, x, Activation::tanh); }
inline Tensor sigmoid(Context& cx, const Tensor& x) { return activate(cx, x, Activation::sigmoid); }
// alpha * a + beta * b.
Tensor add(Context& cx, const Tensor& a, const Tensor& b, double alpha = 1, double beta = 1);
Tensor scale(Context& cx, const Tensor& x, double factor);
Tensor multiply(Context& cx, const Tensor& a, const Tensor& b);
// Rotary position embedding: in every head, pairs of columns rotate by an angle proportional to the row's position
// (i32 [N]).
Tensor rotate(Context& cx, const Columns& x, Size heads, const Tensor& position_ids);
// Stores no mask; backward draws the same random numbers again. Returns x itself if the rate is 0 or dropout is off.
Tensor dropout(Context& cx, const Tensor& x, double rate);
// Conversions to storage types; no gradient flows through them.
Tensor to_bf16(Context& cx, const Columns& x);
Tensor from_bf16(Context& cx, const Tensor& x);

// ---- loss -----------------------------------------------------------------------------------------------------

struct LossOptions {
  double smoothing = 0;
  double gradient_scale = 1;  // factor of the gradient of the sum over rows; 1 / rows for the mean
  bool transposed = true;     // as in LinearOptions
};
struct Losses {
  Tensor loss;  // [N]: with smoothing
  Tensor nll;   // [N]: -log p(target)
};
// Projection to logits, log-softmax and cross-entropy, a block of rows at a time, so that the [N, V] matrix is never
// stored. Gradients start here: when recording, those of x, weight and bias are written before it returns.
Losses cross_entropy(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& targets,
                     const LossOptions& options = {});

// ---- search ---------------------------------------------------------------------------------------------------

struct Best {
  Tensor log_sum;  // [N]: log-sum-exp of the row
  Tensor values;   // [N, count], in the accumulator type, largest first; ties in column order
  Tensor columns;  // i32 [N, count]
};
// The output layer of search: the `count` largest logits x W^T + b of every row, without the [N, V] matrix. x [N, d],
// weight [V, d], bias [V] or undefined; log p(column) = value - log_sum. When a row has fewer than `count` logits, the
// remaining columns are -1 and their values -inf. Each row is bit-identical in any batch and on any number of threads,
// and its values equal those of `linear` with the packed weight. A weight without a packed form is packed at every
// call, which is slow. No gradient flows.
Best top_scores(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, Size count);

// ---- optimisers -----------------------------------------------------------------------------------------------

// Sums stay on the device, one f64 each, so the host need not wait for them.
// to += scale * the sum of x.
void add_sum(const Tensor& x, double scale, const Tensor& to);
// to = the sum of squares of a flat gradient buffer.
void sum_squares(const Tensor& gradient, const Tensor& to);

// Gradient clipping: a gradient whose norm exceeds `limit` is scaled down to it. `squares` comes from sum_squares(). No
// clipping if `squares` is undefined or the limit is 0.
struct Clip {
  Tensor squares;
  double limit = 0;
};

struct AdamSettings {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = true;  // AdamW; otherwise weight decay is added to the gradient (L2)
};
struct AdamMoments {
  Tensor first, second;
};
// One step over flat buffers; `step` counts from 1. In mixed precision `copy` receives the new weights rounded to bf16.
void adam_step(const Tensor& weight, const Tensor& gradient, const AdamMoments& moments, const AdamSettings& settings,
               double rate, Size step, const Clip& clip = {}, const Tensor& copy = {});

struct SgdSettings {
  double momentum = 0, weight_decay = 0;
};
// `velocity` is undefined without momentum.
void sgd_step(const Tensor& weight, const Tensor& gradient, const Tensor& velocity, const SgdSettings& settings,
              double rate, const Clip& clip = {}, const Tensor& copy = {});

}  // namespace dragoman
