#pragma once

#include <array>

#include "kernels/types.h"

// Recurrent cells, layers, and the fused steps of a recurrent decoder.
namespace dragoman::kernels {

// ---- cells and layers ---------------------------------------------------------------------------------------------

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

// One GRU step: gates in the order reset, update, new; those of the input and those of the state are separate.
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
  T* dh_before = nullptr;  // [rows, hidden], optional: without the part through h_gates
  bool accumulate_dh_before = false;
};

// An LSTM layer over packed sentences, forward or backward in time. On entry the gates hold the input's part (one
// product for all rows); the layer adds the recurrent part step by step. Step t works on the sentences longer than t:
// the first active[t] of `order`.
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
  T* h_last = nullptr;         // [B, hidden]: the state after each sentence's last step (h_first if empty)
  T* c_last = nullptr;         // [B, hidden]
  T* workspace = nullptr;      // [B, 6 hidden]
  // Optional: an independent layer of the same size over the same sentences that runs concurrently, such as the other
  // direction of a bidirectional layer.
  const LstmLayer* beside = nullptr;
};

template <class T>
struct LstmLayerBackward {
  LstmLayer<T> forward{};      // the arguments of forward after the call; its workspace may be reused
  const T* dh = nullptr;       // [N, hidden], optional
  const T* dh_last = nullptr;  // [B, hidden], optional
  const T* dc_last = nullptr;  // [B, hidden], optional
  T* dgates = nullptr;         // [N, 4 hidden], of the values before the activations
  T* h_before = nullptr;       // [N, hidden], workspace: the state before each row
  Stat<T>* dweight = nullptr;  // optional
  T* dh_first = nullptr;       // [B, hidden], optional
  T* dc_first = nullptr;       // [B, hidden], optional
  bool accumulate_dh_first = false, accumulate_dc_first = false;
  const LstmLayerBackward* beside = nullptr;  // of the concurrent layer, if there was one
};

// A layer of simpler simple recurrent units (SSRU, Kim et al. 2019) over packed sentences. Columns do not depend on
// each other, so a step multiplies no matrix. For each row of a sentence in turn, with the gates [g, x] of the row:
//   f = sigmoid(g);  c = f * c_before + (1 - f) * x;  h = relu(c)
// The cell state is kept in Stat<T>, so that it does not depend on how many rows a call appends.
template <class T>
struct Ssru {
  Size sentences = 0, rows = 0, hidden = 0;
  const std::int32_t* offsets = nullptr;  // [sentences + 1]
  const T* gates = nullptr;               // [rows, 2 hidden]
  const Stat<T>* c_first = nullptr;       // [sentences, hidden], optional (zeros)
  T* h = nullptr;                         // [rows, hidden]
  Stat<T>* c = nullptr;                   // [rows, hidden], optional: for backward
  Stat<T>* c_last = nullptr;              // [sentences, hidden]: after the last row (c_first if there is none)
};

template <class T>
struct SsruBackward {
  Ssru<T> forward{};                 // the arguments of forward after the call, with c
  const T* dh = nullptr;             // [rows, hidden], optional
  const Stat<T>* dc_last = nullptr;  // [sentences, hidden], optional
  T* dgates = nullptr;               // [rows, 2 hidden], optional
  Stat<T>* dc_first = nullptr;       // [sentences, hidden], optional
  bool accumulate_dgates = false, accumulate_dc_first = false;
};

// ---- steps of a decoder -------------------------------------------------------------------------------------------

// One product in the sum of a step: x W^T with W [out, size] in forward, x W with W [size, out] in backward.
template <class T>
struct Term {
  Size rows = 0, size = 0;
  const T* x = nullptr;  // [rows, size], rows x_stride apart
  Size x_stride = 0;
  const T* weight = nullptr;
  // x does not depend on the previous kernel, so that it may be read (on a GPU: prefetched by programmatic dependent
  // launch) while that one still runs.
  bool independent = false;
};
// A term with 0 rows is absent. In forward, the others have all rows of the step, and with a bias the first term is
// present and contiguous. In backward, a term may have fewer rows: the last rows of the step get nothing from it.
template <class T>
using Terms = std::array<Term<T>, 2>;

// The products before a cell and the cell: gates = terms + bias, or gates += terms; then the cell; then dropout of h.
template <class T>
struct LstmStep {
  LstmCell<T> cell{};
  Terms<T> terms{};
  const T* bias = nullptr;  // [4 hidden]; null: terms are added to the gates
  Dropout dropout{};
  T* dropped = nullptr;  // [rows, hidden], optional: dropout(h)
};

// dh = cell.dh + dropout(first term) + second term; then backward of the cell.
template <class T>
struct LstmStepBackward {
  LstmCellBackward<T> cell{};
  Terms<T> terms{};
  Dropout dropout{};  // matrix [rows, hidden]
  T* dh = nullptr;    // [rows, hidden]: workspace
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

// dz = dropout(dy + terms) * (1 - y^2): the gradient of the argument of tanh.
template <class T>
struct TanhStepBackward {
  Size rows = 0, out = 0;
  Terms<T> terms{};
  const T* y = nullptr;   // [rows, out]
  const T* dy = nullptr;  // [rows, out]
  Dropout dropout{};
  T* dz = nullptr;  // [rows, out]
};

}  // namespace dragoman::kernels
