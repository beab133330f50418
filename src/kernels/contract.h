#pragma once

#include <array>

#include "kernels/types.h"

// The contract: every kernel once. A kernel is a function of one argument struct over raw pointers; it trusts its
// caller (ops check shapes) and never allocates from an arena. `Kernels<T>` is the list; `reference`, `cpu` and
// `cuda` fill it. T is the type of activations and of the weights as they are multiplied; Stat<T> that of statistics
// and parameter gradients.
//
// Common rules:
// - Matrices are row-major and contiguous unless a stride is given. N is a number of packed rows, B of sentences.
// - Any size may be 0. Pointers said to be optional may be null: not given, or not wanted.
// - Outputs are written whole. A gradient of an activation comes with a flag `accumulate_*`: add to what is there
//   instead of overwriting. Parameter gradients (Stat<T>*) are always added to.
// - Results do not depend on the number of threads, matrix products excepted; sums are in a fixed order.
namespace dragoman::kernels {

// ---- matrix products ------------------------------------------------------------------------------------------

// y = activation(x W + b). W is [in, out], or [out, in] when `transposed`.
template <class T>
struct Linear {
  Size rows = 0, in = 0, out = 0;
  bool transposed = true;
  Activation activation = Activation::none;
  const T* x = nullptr;       // [rows, in]
  const T* weight = nullptr;  // [out, in] or [in, out]
  const T* bias = nullptr;    // [out], optional
  T* y = nullptr;             // [rows, out]
  T* z = nullptr;             // [rows, out], optional: the value before the activation, where needs_input()
};

template <class T>
struct LinearBackward {
  Size rows = 0, in = 0, out = 0;
  bool transposed = true;
  Activation activation = Activation::none;
  const T* x = nullptr;       // [rows, in]
  const T* weight = nullptr;  // as forward
  const T* saved = nullptr;   // [rows, out]: z where needs_input(), otherwise y; unused for none
  const T* dy = nullptr;      // [rows, out]
  T* dz = nullptr;            // [rows, out]: working space unless the activation is none
  T* dx = nullptr;            // [rows, in], optional
  bool accumulate_dx = false;
  Stat<T>* dweight = nullptr;  // as weight, optional
  Stat<T>* dbias = nullptr;    // [out], optional
};

// A weight in the layout that linear_packed wants: an opaque array, made once and read by every call.
template <class T>
struct PackWeight {
  Size in = 0, out = 0;
  bool transposed = true;     // as Linear
  const T* weight = nullptr;  // [out, in] or [in, out]
  void* packed = nullptr;     // optional: without it only the size is told
  Size* bytes = nullptr;      // optional: how large `packed` is
};

// y = activation(x W + b) with a packed weight. A row of y is the same to the bit whatever other rows there are, on any
// number of threads.
template <class T>
struct LinearPacked {
  Size rows = 0, in = 0, out = 0;
  Activation activation = Activation::none;
  const T* x = nullptr;          // [rows, in]
  const void* packed = nullptr;  // of [in, out]
  const T* bias = nullptr;       // [out], optional
  T* y = nullptr;                // [rows, out]
};

// The best of the logits x W + b of every row and the log of the sum of all their exponentials; the [rows, out] matrix
// is never written. Equal logits are in the order of their ids. Rows are independent to the bit, as in linear_packed.
template <class T>
struct TopScores {
  Size rows = 0, in = 0, out = 0, best = 0;
  const T* x = nullptr;          // [rows, in]
  const void* packed = nullptr;  // of [in, out]
  const T* bias = nullptr;       // [out], optional
  Stat<T>* log_sum = nullptr;    // [rows]
  Stat<T>* scores = nullptr;     // [rows, best], best first; -inf where no id is left
  std::int32_t* ids = nullptr;   // [rows, best]; -1 where no id is left
};

// One product of a group: c[m, n] = op(a) op(b), each matrix at an element offset of its array with its row stride.
struct Product {
  Size m = 0, n = 0, k = 0;
  Size a = 0, b = 0, c = 0;
  Size a_stride = 0, b_stride = 0, c_stride = 0;
};

// Many products of possibly different sizes: batched (equal sizes) and segmented (a sentence each). No two products
// of a group write the same element.
template <class T>
struct Matmul {
  Size count = 0;
  const Product* products = nullptr;
  bool transposed_a = false;  // a is stored [k, m]
  bool transposed_b = false;  // b is stored [n, k]
  double alpha = 1;
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  bool accumulate = false;
};

// Rows of every sentence mixed along its length (Linformer), by one projection or by two. For each projection p and a
// sentence of n rows from offsets[s] on:
// y[p][s * mixtures + i] = sum over j < n of projections[p][i, j] x[offsets[s] + j].
template <class T>
struct ProjectLength {
  Size sentences = 0, mixtures = 0, size = 0;  // size: columns of x
  Size longest = 0;                            // rows of the longest sentence
  Size length = 0;                             // columns of a projection, at least as many
  const std::int32_t* offsets = nullptr;       // [sentences + 1]
  const T* projections[2] = {};                // [mixtures, length] each, the second optional
  const T* x = nullptr;                        // [rows, x_stride]
  Size x_stride = 0;
  T* y[2] = {};  // [sentences * mixtures, size], one a projection

  constexpr Size parts() const { return projections[1] != nullptr ? 2 : 1; }
};

template <class T>
struct ProjectLengthBackward {
  ProjectLength<T> forward;
  const T* dy[2] = {};  // [sentences * mixtures, size], one a projection; where one is missing it is zero
  T* dx = nullptr;      // [rows, dx_stride], optional
  Size dx_stride = 0;
  bool accumulate_dx = false;
  Stat<T>* dprojections[2] = {};  // [mixtures, length] each, optional, added to
};

// ---- rows -----------------------------------------------------------------------------------------------------

// y[r] = scale * table[index[r]] + positions[position[r]]. Embeddings, row gathering, repeating one row.
template <class T>
struct GatherRows {
  Size rows = 0, cols = 0;
  const std::int32_t* index = nullptr;  // [rows]
  const T* table = nullptr;             // [., cols]
  double scale = 1;
  const std::int32_t* position = nullptr;  // [rows], with positions
  const T* positions = nullptr;            // [., cols], optional
  T* y = nullptr;                          // [rows, cols]
};

// dtable[index[r]] += scale * dy[r]. Rows that meet in one row of the table are added in a fixed order.
template <class T>
struct ScatterRows {
  Size rows = 0, cols = 0, table_rows = 0;
  const std::int32_t* index = nullptr;  // [rows]
  double scale = 1;
  const T* dy = nullptr;              // [rows, cols]
  Stat<T>* dtable = nullptr;          // [table_rows, cols], added to
  std::int32_t* workspace = nullptr;  // [2 * rows]
};

// A block of a matrix copied into, or added to, a block of another: concatenation, slices, and their gradients.
template <class T>
struct CopyBlock {
  Size rows = 0, cols = 0;
  const T* from = nullptr;
  Size from_stride = 0;
  T* to = nullptr;
  Size to_stride = 0;
  bool accumulate = false;
};

// ---- normalisation and softmax --------------------------------------------------------------------------------

// s = x + dropout(branch); y = gain * (s - mean(s)) / sqrt(var(s) + epsilon) + bias, each row by itself.
// Without a branch s is x: plain layer norm.
template <class T>
struct Norm {
  Size rows = 0, cols = 0;
  double epsilon = 1e-5;
  const T* x = nullptr;       // [rows, cols]
  const T* branch = nullptr;  // [rows, cols], optional
  Dropout dropout{};
  const T* gain = nullptr;  // [cols]
  const T* bias = nullptr;  // [cols]
  T* sum = nullptr;         // [rows, cols]; needed with a branch
  T* y = nullptr;           // [rows, cols]
  Stat<T>* mean = nullptr;  // [rows]
  Stat<T>* rstd = nullptr;  // [rows]: 1 / sqrt(var + epsilon)
};

template <class T>
struct NormBackward {
  Size rows = 0, cols = 0;
  const T* sum = nullptr;  // what was normalised: `sum` of forward, or x without a branch
  const T* gain = nullptr;
  const Stat<T>* mean = nullptr;
  const Stat<T>* rstd = nullptr;
  const T* dy = nullptr;
  const T* dsum = nullptr;  // optional: the gradient that reaches `sum` past the norm
  Dropout dropout{};
  T* dx = nullptr;  // optional
  bool accumulate_dx = false;
  T* dbranch = nullptr;  // optional
  bool accumulate_dbranch = false;
  Stat<T>* dgain = nullptr;  // optional
  Stat<T>* dbias = nullptr;  // optional
};

// y = softmax(x) over each row. Rows have `cols` elements, or, with `starts`, row r is elements starts[r] ..
// starts[r + 1] of a ragged array. An empty row is left alone. x and y may be the same array.
template <class T>
struct Softmax {
  Size rows = 0, cols = 0;
  const std::int32_t* starts = nullptr;  // [rows + 1], optional
  const T* x = nullptr;
  T* y = nullptr;
};

// dx = y * (dy - sum(y * dy)).
template <class T>
struct SoftmaxBackward {
  Size rows = 0, cols = 0;
  const std::int32_t* starts = nullptr;
  const T* y = nullptr;
  const T* dy = nullptr;
  T* dx = nullptr;
  bool accumulate_dx = false;
};

// Projection's other half: from logits to losses and, in place, to their gradient.
//   loss = (1 - smoothing) * -log p(target) + smoothing * mean over classes of -log p(class)
//   logits become gradient_scale * (p - q), q the smoothed target distribution, unless gradient_scale is 0.
template <class T>
struct CrossEntropy {
  Size rows = 0, classes = 0;
  T* logits = nullptr;                    // [rows, classes]
  const std::int32_t* targets = nullptr;  // [rows]
  double smoothing = 0;
  double gradient_scale = 0;
  Stat<T>* loss = nullptr;  // [rows]
  Stat<T>* nll = nullptr;   // [rows]: -log p(target)
};

// ---- attention ------------------------------------------------------------------------------------------------

// Packed multi-head attention: out = dropout(softmax(scale * q k^T)) v for every sentence and head by itself; the
// matrix of weights is never kept. With `causal`, query i of a sentence with nq queries and nk keys sees the keys
// 0 .. nk - nq + i. A query that sees no key gives zeros.
template <class T>
struct Attention {
  Size sentences = 0, heads = 1, key_size = 0, value_size = 0;  // sizes of one head
  Size queries = 0, keys = 0;                                   // of all sentences: Nq and Nk
  const std::int32_t* query_offsets = nullptr;                  // [B + 1]
  const std::int32_t* key_offsets = nullptr;                    // [B + 1]
  Size longest_queries = 0;                                     // the largest number of queries of a sentence
  Size longest = 0;                                             // the largest number of keys of a sentence
  bool causal = false;
  double scale = 1;
  Dropout dropout{};     // matrix [queries * heads, longest]: row = query * heads + head, column = key of the sentence
  const T* q = nullptr;  // [Nq, heads * key_size], rows q_stride apart
  const T* k = nullptr;  // [Nk, heads * key_size]
  const T* v = nullptr;  // [Nk, heads * value_size]
  Size q_stride = 0, k_stride = 0, v_stride = 0;
  // Optional, [Nk]: key i of all sentences' keys is row key_rows[i] of k and v, so that hypotheses share what they
  // have in common; the way back does not know it. Of rows that the layer which made q has written, too, every query
  // has at most its own.
  const std::int32_t* key_rows = nullptr;
  T* out = nullptr;            // [Nq, heads * value_size]
  Stat<T>* log_sum = nullptr;  // [Nq, heads]: log of the sum of exp(scores); -inf without keys
  T* weights = nullptr;        // optional: for each sentence [heads, nq, nk], before dropout
  bool early = false;          // all but q and dout was there before the entry that was called last wrote
};

template <class T>
struct AttentionBackward {
  Attention<T> forward{};   // as forward was called; `weights` is not used
  const T* dout = nullptr;  // [Nq, heads * value_size]
  T* dq = nullptr;          // laid out as q, k, v; each optional
  T* dk = nullptr;
  T* dv = nullptr;
  Size dq_stride = 0, dk_stride = 0, dv_stride = 0;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
};

// score(i, j) = v . tanh(q_i + k_j) for every query and key of the same sentence: Bahdanau's scores once both sides
// are projected. Scores are ragged: sentence after sentence, [nq, nk] each. Where `causal` as in Attention hides a key
// from a query, their score is kHidden, of which a softmax makes nothing.
inline constexpr float kHidden = -1e30f;

template <class T>
struct AdditiveScores {
  Size sentences = 0, size = 0;
  bool causal = false;
  Size queries = 0, keys = 0;  // of all sentences: Nq and Nk
  const std::int32_t* query_offsets = nullptr;
  const std::int32_t* key_offsets = nullptr;
  const T* q = nullptr;  // [Nq, size]
  const T* k = nullptr;  // [Nk, size]
  const T* v = nullptr;  // [size]
  T* scores = nullptr;
};

template <class T>
struct AdditiveScoresBackward {
  AdditiveScores<T> forward{};
  const T* dscores = nullptr;
  T* dq = nullptr;  // optional
  T* dk = nullptr;  // optional
  bool accumulate_dq = false, accumulate_dk = false;
  Stat<T>* dv = nullptr;  // optional
};

// ---- recurrence -----------------------------------------------------------------------------------------------

// One LSTM step: gates in the order input, forget, cell, output.
//   c = sigmoid(f) * c_before + sigmoid(i) * tanh(g);  h = sigmoid(o) * tanh(c)
template <class T>
struct LstmCell {
  Size rows = 0, hidden = 0;
  T* gates = nullptr;           // [rows, 4 hidden]: in, before the activations; out, after them
  const T* c_before = nullptr;  // [rows, hidden]
  T* h = nullptr;               // [rows, hidden]
  T* c = nullptr;               // [rows, hidden]
};

template <class T>
struct LstmCellBackward {
  Size rows = 0, hidden = 0;
  const T* gates = nullptr;  // after the activations
  const T* c_before = nullptr;
  const T* c = nullptr;
  const T* dh = nullptr;   // optional
  const T* dc = nullptr;   // optional
  T* dgates = nullptr;     // [rows, 4 hidden], of the values before the activations
  T* dc_before = nullptr;  // optional; may be dc
  bool accumulate_dc_before = false;
};

// One GRU step: gates in the order reset, update, new, the input's share and the state's share apart.
//   r = sigmoid(xr + hr);  u = sigmoid(xu + hu);  n = tanh(xn + r * hn);  h = (1 - u) * n + u * h_before
template <class T>
struct GruCell {
  Size rows = 0, hidden = 0;
  T* x_gates = nullptr;         // [rows, 3 hidden]: in, x W + b; out, the activated r, u, n
  const T* h_gates = nullptr;   // [rows, 3 hidden]: h_before U + b
  const T* h_before = nullptr;  // [rows, hidden]
  T* h = nullptr;               // [rows, hidden]
};

template <class T>
struct GruCellBackward {
  Size rows = 0, hidden = 0;
  const T* x_gates = nullptr;  // after the activations
  const T* h_gates = nullptr;
  const T* h_before = nullptr;
  const T* dh = nullptr;
  T* dx_gates = nullptr;   // [rows, 3 hidden], of the values before the activations
  T* dh_gates = nullptr;   // [rows, 3 hidden]
  T* dh_before = nullptr;  // [rows, hidden], optional: without the part that comes through h_gates
  bool accumulate_dh_before = false;
};

// A whole LSTM layer over packed sentences, forward in time or backward. The input's share of the gates is already
// there (one product for all rows); the layer adds the recurrent share step by step. Step t works on the sentences
// that still have a row: the first active[t] of `order`.
template <class T>
struct LstmLayer {
  Size sentences = 0, hidden = 0, steps = 0;
  const std::int32_t* offsets = nullptr;  // [B + 1]
  const std::int32_t* order = nullptr;    // [B]: sentences, longest first
  const std::int32_t* active = nullptr;   // [steps], on the host
  bool reverse = false;
  T* gates = nullptr;          // [N, 4 hidden]: in, x W + b; out, after the activations
  const T* weight = nullptr;   // [4 hidden, hidden]
  const T* h_first = nullptr;  // [B, hidden], optional (zeros)
  const T* c_first = nullptr;  // [B, hidden], optional (zeros)
  T* h = nullptr;              // [N, hidden]
  T* c = nullptr;              // [N, hidden]
  T* h_last = nullptr;         // [B, hidden]: the state after each sentence's last step (the first of an empty one)
  T* c_last = nullptr;         // [B, hidden]
  T* workspace = nullptr;      // [B, 6 hidden]
  // Optional: a layer of the same size over the same sentences that does not wait for this one and is run with it; the
  // other direction of a bidirectional one.
  const LstmLayer* beside = nullptr;
};

template <class T>
struct LstmLayerBackward {
  LstmLayer<T> forward{};      // as forward left it; its workspace may be used again
  const T* dh = nullptr;       // [N, hidden], optional
  const T* dh_last = nullptr;  // [B, hidden], optional
  const T* dc_last = nullptr;  // [B, hidden], optional
  T* dgates = nullptr;         // [N, 4 hidden], of the values before the activations
  T* h_before = nullptr;       // [N, hidden], working space: the state each row started from
  Stat<T>* dweight = nullptr;  // optional
  T* dh_first = nullptr;       // [B, hidden], optional
  T* dc_first = nullptr;       // [B, hidden], optional
  bool accumulate_dh_first = false, accumulate_dc_first = false;
  const LstmLayerBackward* beside = nullptr;  // of the layer beside, if there was one
};

// ---- steps of a decoder -----------------------------------------------------------------------------------------

// One product of those that a step adds up: x W^T with W [out, size] going forward, x W with W [size, out] going back.
template <class T>
struct Term {
  Size rows = 0, size = 0;
  const T* x = nullptr;  // [rows, size], rows x_stride apart
  Size x_stride = 0;
  const T* weight = nullptr;
  bool early = false;  // x was there before the entry that was called last wrote, and may be read before that is done
};
// Terms without rows are missing. Going forward the others have all rows of the step, and with a bias the first is
// there and its rows lie side by side; going back the last rows of a step may get nothing from a term.
template <class T>
using Terms = std::array<Term<T>, 2>;

// A cell and the products before it: gates = terms + bias, or gates += terms; then the cell, and dropout of its result.
template <class T>
struct LstmStep {
  LstmCell<T> cell{};
  Terms<T> terms{};
  const T* bias = nullptr;  // [4 hidden]: without it the gates are added to
  Dropout dropout{};
  T* dropped = nullptr;  // [rows, hidden], optional: dropout(h)
};

// dh = cell.dh + dropout(first term) + second term; then the cell's gradient.
template <class T>
struct LstmStepBackward {
  LstmCellBackward<T> cell{};
  Terms<T> terms{};
  Dropout dropout{};  // matrix [rows, hidden]
  T* dh = nullptr;    // [rows, hidden]: working space
};

// y = tanh(terms + bias).
template <class T>
struct TanhStep {
  Size rows = 0, out = 0;
  Terms<T> terms{};
  const T* bias = nullptr;  // [out]
  T* y = nullptr;           // [rows, out]
  Dropout dropout{};
  T* dropped = nullptr;  // [rows, out], optional: dropout(y)
};

// dz = dropout(dy + terms) * (1 - y^2): the gradient of what the tanh was taken of.
template <class T>
struct TanhStepBackward {
  Size rows = 0, out = 0;
  Terms<T> terms{};
  const T* y = nullptr;   // [rows, out]
  const T* dy = nullptr;  // [rows, out]
  Dropout dropout{};
  T* dz = nullptr;  // [rows, out]
};

// ---- positions ------------------------------------------------------------------------------------------------

// Rotary positions (Su et al.): in every head the pair (x[i], x[i + size / 2]) turns by the angle
// position * 10000^(-2 i / size); `inverse` turns back, which is also the gradient.
template <class T>
struct Rotate {
  Size rows = 0, heads = 0, size = 0;      // size of one head, even
  const std::int32_t* position = nullptr;  // [rows]
  const T* x = nullptr;                    // [rows, heads * size], rows x_stride apart
  Size x_stride = 0;
  T* y = nullptr;
  Size y_stride = 0;
  bool inverse = false, accumulate = false;
};

// ---- element by element ---------------------------------------------------------------------------------------

template <class T>
struct Activate {
  Size count = 0;
  Activation activation = Activation::none;
  const T* x = nullptr;
  T* y = nullptr;
};

template <class T>
struct ActivateBackward {
  Size count = 0;
  Activation activation = Activation::none;
  const T* saved = nullptr;  // x where needs_input(), otherwise y
  const T* dy = nullptr;
  T* dx = nullptr;
  bool accumulate_dx = false;
};

// y = alpha * a + beta * b; without b, y = alpha * a. y may be a or b.
template <class T>
struct Combine {
  Size count = 0;
  double alpha = 1, beta = 1;
  const T* a = nullptr;
  const T* b = nullptr;  // optional
  T* y = nullptr;
};

template <class T>
struct Multiply {
  Size count = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  T* y = nullptr;
  bool accumulate = false;
};

// y = x * factor of the dropout; forward and backward are the same.
template <class T>
struct DropElements {
  Size rows = 0, cols = 0;
  Dropout dropout{};
  const T* x = nullptr;
  T* y = nullptr;
  bool accumulate = false;
};

template <class T>
struct Fill {
  Size count = 0;
  T* y = nullptr;
  double value = 0;
};

template <class T>
struct ToBf16 {
  Size count = 0;
  const T* x = nullptr;
  bf16* y = nullptr;
};

template <class T>
struct FromBf16 {
  Size count = 0;
  const bf16* x = nullptr;
  T* y = nullptr;
};

template <class T>
struct AllFinite {
  Size count = 0;
  const T* x = nullptr;
  bool* result = nullptr;
};

// ---- optimisers over one flat buffer --------------------------------------------------------------------------

// result = the sum of x^2; a number in the memory of the kernels, like everything else.
template <class T>
struct SumSquares {
  Size count = 0;
  const Stat<T>* x = nullptr;
  double* result = nullptr;
};

// to += scale * the sum of x.
template <class T>
struct AddSum {
  Size count = 0;
  const T* x = nullptr;
  double scale = 1;
  double* to = nullptr;
};

// Gradients whose norm, the root of `squares`, is above `limit` are brought down to it. Without squares or with limit 0
// they stay as they are.
struct Clipping {
  const double* squares = nullptr;
  double limit = 0;
};
// What they are multiplied by, where the host may read the squares.
double clipping_factor(const Clipping& clip);

// Adam (Kingma and Ba) and AdamW (Loshchilov and Hutter). `step` counts from 1. Decoupled decay takes
// rate * weight_decay of the weight away; otherwise the decay is added to the gradient.
template <class T>
struct Adam {
  Size count = 0;
  Stat<T>* weight = nullptr;
  const Stat<T>* gradient = nullptr;
  Stat<T>* first = nullptr;   // running mean of gradients
  Stat<T>* second = nullptr;  // running mean of their squares
  bf16* copy = nullptr;       // optional: the new weights as products read them in mixed precision
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;
  Size step = 1;
  Clipping clip{};
};

// Stochastic gradient descent: velocity = momentum * velocity + gradient; weight -= rate * velocity.
template <class T>
struct Sgd {
  Size count = 0;
  Stat<T>* weight = nullptr;
  const Stat<T>* gradient = nullptr;
  Stat<T>* velocity = nullptr;  // optional: without it there is no momentum
  bf16* copy = nullptr;         // optional, as for Adam
  double rate = 1e-2, momentum = 0, weight_decay = 0;
  Clipping clip{};
};

// ---- the list -------------------------------------------------------------------------------------------------

// Throws Error: the filling has no such kernel.
[[noreturn]] void fail_missing(const char* entry, const char* filling);

// One line of the list: a name and a function that a filling put there.
template <class Arguments>
class Entry {
 public:
  using Function = void (*)(const Arguments&);

  explicit Entry(const char* name) : name_(name) {}
  Entry& operator=(Function function) {
    function_ = function;
    return *this;
  }
  void operator()(const Arguments& arguments) const {
    if (function_ == nullptr) fail_missing(name_, filling_);
    function_(arguments);
  }
  const char* name() const { return name_; }
  bool available() const { return function_ != nullptr; }
  void set_filling(const char* filling) { filling_ = filling; }

 private:
  const char* name_;
  const char* filling_ = "this device";
  Function function_ = nullptr;
};

template <class T>
struct Kernels {
  explicit Kernels(const char* filling) {
    each([filling](auto& entry) { entry.set_filling(filling); });
  }

  Entry<Linear<T>> linear{"linear"};
  Entry<LinearBackward<T>> linear_backward{"linear_backward"};
  Entry<PackWeight<T>> pack_weight{"pack_weight"};
  Entry<LinearPacked<T>> linear_packed{"linear_packed"};
  Entry<TopScores<T>> top_scores{"top_scores"};
  Entry<Matmul<T>> matmul{"matmul"};
  Entry<ProjectLength<T>> project_length{"project_length"};
  Entry<ProjectLengthBackward<T>> project_length_backward{"project_length_backward"};
  Entry<GatherRows<T>> gather_rows{"gather_rows"};
  Entry<ScatterRows<T>> scatter_rows{"scatter_rows"};
  Entry<CopyBlock<T>> copy_block{"copy_block"};
  Entry<Norm<T>> norm{"norm"};
  Entry<NormBackward<T>> norm_backward{"norm_backward"};
  Entry<Softmax<T>> softmax{"softmax"};
  Entry<SoftmaxBackward<T>> softmax_backward{"softmax_backward"};
  Entry<CrossEntropy<T>> cross_entropy{"cross_entropy"};
  Entry<Attention<T>> attention{"attention"};
  Entry<AttentionBackward<T>> attention_backward{"attention_backward"};
  Entry<AdditiveScores<T>> additive_scores{"additive_scores"};
  Entry<AdditiveScoresBackward<T>> additive_scores_backward{"additive_scores_backward"};
  Entry<LstmCell<T>> lstm_cell{"lstm_cell"};
  Entry<LstmCellBackward<T>> lstm_cell_backward{"lstm_cell_backward"};
  Entry<GruCell<T>> gru_cell{"gru_cell"};
  Entry<GruCellBackward<T>> gru_cell_backward{"gru_cell_backward"};
  Entry<LstmLayer<T>> lstm_layer{"lstm_layer"};
  Entry<LstmLayerBackward<T>> lstm_layer_backward{"lstm_layer_backward"};
  Entry<LstmStep<T>> lstm_step{"lstm_step"};
  Entry<LstmStepBackward<T>> lstm_step_backward{"lstm_step_backward"};
  Entry<TanhStep<T>> tanh_step{"tanh_step"};
  Entry<TanhStepBackward<T>> tanh_step_backward{"tanh_step_backward"};
  Entry<Rotate<T>> rotate{"rotate"};
  Entry<Activate<T>> activate{"activate"};
  Entry<ActivateBackward<T>> activate_backward{"activate_backward"};
  Entry<Combine<T>> combine{"combine"};
  Entry<Multiply<T>> multiply{"multiply"};
  Entry<DropElements<T>> dropout{"dropout"};
  Entry<Fill<T>> fill{"fill"};
  Entry<ToBf16<T>> to_bf16{"to_bf16"};
  Entry<FromBf16<T>> from_bf16{"from_bf16"};
  Entry<AllFinite<T>> all_finite{"all_finite"};
  Entry<SumSquares<T>> sum_squares{"sum_squares"};
  Entry<AddSum<T>> add_sum{"add_sum"};
  Entry<Adam<T>> adam{"adam"};
  Entry<Sgd<T>> sgd{"sgd"};

  // Calls f with every entry, in order.
  template <class F>
  void each(F&& f) {
    for_each(*this, f);
  }
  template <class F>
  void each(F&& f) const {
    for_each(*this, f);
  }

 private:
  template <class Self, class F>
  static void for_each(Self& self, F& f) {
    f(self.linear), f(self.linear_backward), f(self.matmul), f(self.project_length), f(self.project_length_backward);
    f(self.pack_weight), f(self.linear_packed), f(self.top_scores);
    f(self.gather_rows), f(self.scatter_rows), f(self.copy_block);
    f(self.norm), f(self.norm_backward), f(self.softmax), f(self.softmax_backward), f(self.cross_entropy);
    f(self.attention), f(self.attention_backward), f(self.additive_scores), f(self.additive_scores_backward);
    f(self.lstm_cell), f(self.lstm_cell_backward), f(self.lstm_layer), f(self.lstm_layer_backward);
    f(self.gru_cell), f(self.gru_cell_backward), f(self.rotate);
    f(self.lstm_step), f(self.lstm_step_backward), f(self.tanh_step), f(self.tanh_step_backward);
    f(self.activate), f(self.activate_backward), f(self.combine), f(self.multiply), f(self.dropout);
    f(self.fill), f(self.to_bf16), f(self.from_bf16), f(self.all_finite);
    f(self.sum_squares), f(self.add_sum), f(self.adam), f(self.sgd);
    static_assert(sizeof(Self) == 44 * sizeof(self.linear), "an entry is missing from this list");
  }
};

}  // namespace dragoman::kernels
