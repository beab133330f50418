#include "kernels/cuda/recurrence/lstm.cuh"

#include <numeric>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/products/product.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

// ---- single steps ---------------------------------------------------------------------------------------------

// The row and unit of a thread.
struct UnitIndex {
  Size row, unit, at;  // at: index in [rows, hidden]

  __device__ explicit UnitIndex(Size hidden)
      : row((static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x) / hidden),
        unit((static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x) % hidden),
        at(row * hidden + unit) {}
};

template <class T>
__global__ void lstm_cells(LstmCell<T> a) {
  const UnitIndex p(a.hidden);
  if (p.row >= a.rows) return;
  T* gates = a.gates + p.row * 4 * a.hidden + p.unit;
  const Size h = a.hidden;
  const LstmUnit u = lstm_unit(to_float(gates[0]), to_float(gates[h]), to_float(gates[2 * h]), to_float(gates[3 * h]),
                               to_float(a.c_before[p.at]));
  gates[0] = rounded<T>(u.i), gates[h] = rounded<T>(u.f), gates[2 * h] = rounded<T>(u.g),
  gates[3 * h] = rounded<T>(u.o);
  a.c[p.at] = rounded<T>(u.c);
  a.h[p.at] = rounded<T>(u.h);
}

template <class T>
void lstm_cell(const LstmCell<T>& a) {
  if (a.rows * a.hidden == 0) return;
  lstm_cells<<<blocks_for(a.rows * a.hidden, kThreads), kThreads, 0, stream()>>>(a);
  check_launch("lstm_cell");
}

template <class T>
__global__ void lstm_cells_backward(LstmCellBackward<T> a) {
  const UnitIndex p(a.hidden);
  if (p.row >= a.rows) return;
  const Size h = a.hidden, at = p.row * 4 * h + p.unit;
  const T* gates = a.gates + at;
  T* dgates = a.dgates + at;
  const LstmUnitGradient d =
      lstm_unit_backward(to_float(gates[0]), to_float(gates[h]), to_float(gates[2 * h]), to_float(gates[3 * h]),
                         to_float(a.c_before[p.at]), to_float(a.c[p.at]), a.dh != nullptr ? to_float(a.dh[p.at]) : 0.0f,
                         a.dc != nullptr ? to_float(a.dc[p.at]) : 0.0f);
  dgates[0] = rounded<T>(d.i), dgates[h] = rounded<T>(d.f);
  dgates[2 * h] = rounded<T>(d.g), dgates[3 * h] = rounded<T>(d.o);
  if (a.dc_before != nullptr) put(a.dc_before[p.at], d.c_before, a.accumulate_dc_before);
}

template <class T>
void lstm_cell_backward(const LstmCellBackward<T>& a) {
  if (a.rows * a.hidden == 0) return;
  lstm_cells_backward<<<blocks_for(a.rows * a.hidden, kThreads), kThreads, 0, stream()>>>(a);
  check_launch("lstm_cell_backward");
}

template <class T>
__global__ void gru_cells(GruCell<T> a) {
  const UnitIndex p(a.hidden);
  if (p.row >= a.rows) return;
  const Size hidden = a.hidden;
  T* x = a.x_gates + p.row * 3 * hidden + p.unit;
  const T* h = a.h_gates + p.row * 3 * hidden + p.unit;
  const float r = sigmoid(to_float(x[0]) + to_float(h[0]));
  const float u = sigmoid(to_float(x[hidden]) + to_float(h[hidden]));
  const float n = tanhf(to_float(x[2 * hidden]) + r * to_float(h[2 * hidden]));
  x[0] = rounded<T>(r), x[hidden] = rounded<T>(u), x[2 * hidden] = rounded<T>(n);
  a.h[p.at] = rounded<T>((1 - u) * n + u * to_float(a.h_before[p.at]));
}

template <class T>
void gru_cell(const GruCell<T>& a) {
  if (a.rows * a.hidden == 0) return;
  gru_cells<<<blocks_for(a.rows * a.hidden, kThreads), kThreads, 0, stream()>>>(a);
  check_launch("gru_cell");
}

template <class T>
__global__ void gru_cells_backward(GruCellBackward<T> a) {
  const UnitIndex p(a.hidden);
  if (p.row >= a.rows) return;
  const Size hidden = a.hidden, gate = p.row * 3 * hidden + p.unit;
  const float r = to_float(a.x_gates[gate]), u = to_float(a.x_gates[gate + hidden]);
  const float n = to_float(a.x_gates[gate + 2 * hidden]), dh = to_float(a.dh[p.at]);
  const float dn = dh * (1 - u) * (1 - n * n);
  const float du = dh * (to_float(a.h_before[p.at]) - n) * u * (1 - u);
  const float dr = dn * to_float(a.h_gates[gate + 2 * hidden]) * r * (1 - r);
  a.dx_gates[gate] = a.dh_gates[gate] = rounded<T>(dr);
  a.dx_gates[gate + hidden] = a.dh_gates[gate + hidden] = rounded<T>(du);
  a.dx_gates[gate + 2 * hidden] = rounded<T>(dn);
  a.dh_gates[gate + 2 * hidden] = rounded<T>(dn * r);
  if (a.dh_before != nullptr) put(a.dh_before[p.at], dh * u, a.accumulate_dh_before);
}

template <class T>
void gru_cell_backward(const GruCellBackward<T>& a) {
  if (a.rows * a.hidden == 0) return;
  gru_cells_backward<<<blocks_for(a.rows * a.hidden, kThreads), kThreads, 0, stream()>>>(a);
  check_launch("gru_cell_backward");
}

// ---- layers ---------------------------------------------------------------------------------------------------

// A layer takes a single launch where the tensor-core kernel supports it (lstm_tensor.cu), otherwise one product and
// one launch per time step. Sentences are processed longest first ("in the order of the walk"), so that those still
// active at a step form a prefix. In this order of sentences, the workspace holds the recurrent share of the gates,
// [B, 4 hidden], then h and c, [B, hidden] each.
template <class T>
struct Walk {
  Size hidden = 0;
  const std::int32_t* offsets = nullptr;
  const std::int32_t* order = nullptr;
  bool reverse = false;

  // The packed row of step t of the i-th sentence of the walk.
  __device__ Size row(Size i, Size t) const {
    const std::int32_t s = order[i];
    return reverse ? offsets[s + 1] - 1 - t : offsets[s] + t;
  }
  __device__ Size length(Size i) const { return offsets[order[i] + 1] - offsets[order[i]]; }
};

template <class T>
Walk<T> walk_of(const LstmLayer<T>& a) {
  return {a.hidden, a.offsets, a.order, a.reverse};
}

template <class T>
T* states_of(const LstmLayer<T>& a) {
  return a.workspace + a.sentences * 4 * a.hidden;
}

// Copies the initial states into the order of the walk. For empty sentences they are also the final states.
template <class T>
__global__ void begin(LstmLayer<T> a, Walk<T> walk, T* h, T* c) {
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x, i = e / a.hidden, unit = e % a.hidden;
  if (i >= a.sentences) return;
  const Size at = a.order[i] * a.hidden + unit;
  const T h_first = a.h_first != nullptr ? a.h_first[at] : rounded<T>(0);
  const T c_first = a.c_first != nullptr ? a.c_first[at] : rounded<T>(0);
  h[e] = h_first;
  c[e] = c_first;
  if (walk.length(i) > 0) return;
  a.h_last[at] = h_first;
  a.c_last[at] = c_first;
}

template <class T>
__global__ void step_forward(LstmLayer<T> a, Walk<T> walk, Size t, Size active, const T* share, T* h, T* c) {
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x, i = e / a.hidden, unit = e % a.hidden;
  if (i >= active) return;
  const Size row = walk.row(i, t), n = a.hidden;
  T* gates = a.gates + row * 4 * n + unit;
  const T* more = share + i * 4 * n + unit;
  const LstmUnit u = lstm_unit(to_float(gates[0]) + to_float(more[0]), to_float(gates[n]) + to_float(more[n]),
                               to_float(gates[2 * n]) + to_float(more[2 * n]),
                               to_float(gates[3 * n]) + to_float(more[3 * n]), to_float(c[e]));
  gates[0] = rounded<T>(u.i), gates[n] = rounded<T>(u.f), gates[2 * n] = rounded<T>(u.g),
  gates[3 * n] = rounded<T>(u.o);
  const T new_h = rounded<T>(u.h), new_c = rounded<T>(u.c);
  h[e] = a.h[row * n + unit] = new_h;
  c[e] = a.c[row * n + unit] = new_c;
  if (t + 1 < walk.length(i)) return;
  const Size at = a.order[i] * n + unit;
  a.h_last[at] = new_h;
  a.c_last[at] = new_c;
}

template <class T>
void lstm_layer(const LstmLayer<T>& a) {
  if (a.sentences == 0 || a.hidden == 0) return;
  if constexpr (std::is_same_v<T, bf16>)
    if (lstm_on_tensor_cores(a)) return;
  const Walk<T> walk = walk_of(a);
  T *share = a.workspace, *h = states_of(a), *c = h + a.sentences * a.hidden;
  begin<<<blocks_for(a.sentences * a.hidden, kThreads), kThreads, 0, stream()>>>(a, walk, h, c);
  for (Size t = 0; t < a.steps; ++t) {
    const Size active = a.active[t];
    multiply_matrices<T, T>({.m = active, .n = 4 * a.hidden, .k = a.hidden, .transposed_b = true}, h, a.weight, share);
    step_forward<<<blocks_for(active * a.hidden, kThreads), kThreads, 0, stream()>>>(a, walk, t, active, share, h, c);
  }
  check_launch("lstm_layer");
  if (a.beside != nullptr) lstm_layer(*a.beside);
}

// One step of backpropagation through time. dh_now and dc_now are in the order of the walk. The first `arrived`
// sentences continue from the step after this one; the others are at their last step and begin with the gradients of
// the final state.
template <class T>
__global__ void step_backward(LstmLayerBackward<T> b, Walk<T> walk, Size t, Size active, Size arrived, T* dgates_now,
                              T* dh_now, T* dc_now) {
  const LstmLayer<T>& a = b.forward;
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x, i = e / a.hidden, unit = e % a.hidden;
  if (i >= active) return;
  const Size row = walk.row(i, t), n = a.hidden, at = a.order[i] * n + unit;
  float dh = 0, dc = 0;
  if (i < arrived) {
    dh = to_float(dh_now[e]);
    dc = to_float(dc_now[e]);
  } else {
    if (b.dh_last != nullptr) dh = to_float(b.dh_last[at]);
    if (b.dc_last != nullptr) dc = to_float(b.dc_last[at]);
  }
  if (b.dh != nullptr) dh += to_float(b.dh[row * n + unit]);
  const Size before = walk.reverse ? row + 1 : row - 1;
  T h_before = rounded<T>(0), c_before = rounded<T>(0);
  if (t > 0) {
    h_before = a.h[before * n + unit];
    c_before = a.c[before * n + unit];
  } else {
    if (a.h_first != nullptr) h_before = a.h_first[at];
    if (a.c_first != nullptr) c_before = a.c_first[at];
  }
  b.h_before[row * n + unit] = h_before;
  const T* gates = a.gates + row * 4 * n + unit;
  const LstmUnitGradient d =
      lstm_unit_backward(to_float(gates[0]), to_float(gates[n]), to_float(gates[2 * n]), to_float(gates[3 * n]),
                         to_float(c_before), to_float(a.c[row * n + unit]), dh, dc);
  T* dgates = b.dgates + row * 4 * n + unit;
  T* now = dgates_now + i * 4 * n + unit;
  now[0] = dgates[0] = rounded<T>(d.i), now[n] = dgates[n] = rounded<T>(d.f);
  now[2 * n] = dgates[2 * n] = rounded<T>(d.g), now[3 * n] = dgates[3 * n] = rounded<T>(d.o);
  dc_now[e] = rounded<T>(d.c_before);
}

// Stores the gradients of the initial states; for empty sentences these are the gradients of the final states.
template <class T>
__global__ void end(LstmLayerBackward<T> b, Walk<T> walk, const T* dh_now, const T* dc_now) {
  const LstmLayer<T>& a = b.forward;
  const Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x, i = e / a.hidden, unit = e % a.hidden;
  if (i >= a.sentences) return;
  const Size at = a.order[i] * a.hidden + unit;
  const bool empty = walk.length(i) == 0;
  const auto gradient = [&](const T* last, const T* now) {
    if (!empty) return to_float(now[e]);
    return last != nullptr ? to_float(last[at]) : 0.0f;
  };
  if (b.dh_first != nullptr) put(b.dh_first[at], gradient(b.dh_last, dh_now), b.accumulate_dh_first);
  if (b.dc_first != nullptr) put(b.dc_first[at], gradient(b.dc_last, dc_now), b.accumulate_dc_first);
}

template <class T>
void walk_back(const LstmLayerBackward<T>& b) {
  const LstmLayer<T>& a = b.forward;
  const Walk<T> walk = walk_of(a);
  T *dgates = a.workspace, *dh = states_of(a), *dc = dh + a.sentences * a.hidden;
  for (Size t = a.steps - 1; t >= 0; --t) {
    const Size active = a.active[t], arrived = t + 1 < a.steps ? a.active[t + 1] : 0;
    step_backward<<<blocks_for(active * a.hidden, kThreads), kThreads, 0, stream()>>>(b, walk, t, active, arrived,
                                                                                      dgates, dh, dc);
    if (t == 0 && b.dh_first == nullptr) break;
    multiply_matrices<T, T>({.m = active, .n = a.hidden, .k = 4 * a.hidden}, dgates, a.weight, dh);
  }
  if (b.dh_first != nullptr || b.dc_first != nullptr)
    end<<<blocks_for(a.sentences * a.hidden, kThreads), kThreads, 0, stream()>>>(b, walk, dh, dc);
  check_launch("lstm_layer_backward");
}

template <class T>
void lstm_layer_backward(const LstmLayerBackward<T>& b) {
  const LstmLayer<T>& a = b.forward;
  if (a.sentences == 0 || a.hidden == 0) return;
  bool done = false;
  if constexpr (std::is_same_v<T, bf16>) done = lstm_on_tensor_cores(b);
  const Size rows = std::accumulate(a.active, a.active + a.steps, Size{0});
  for (const LstmLayerBackward<T>* one = &b; one != nullptr; one = one->beside) {
    if (!done) walk_back(*one);
    if (one->dweight != nullptr)
      multiply_matrices<T, float>(
          {.m = 4 * a.hidden, .n = a.hidden, .k = rows, .transposed_a = true, .accumulate = true}, one->dgates,
          one->h_before, one->dweight);
  }
}

}  // namespace

template <class T>
void fill_lstm(Kernels<T>& kernels) {
  kernels.lstm_cell = lstm_cell<T>;
  kernels.lstm_cell_backward = lstm_cell_backward<T>;
  kernels.gru_cell = gru_cell<T>;
  kernels.gru_cell_backward = gru_cell_backward<T>;
  kernels.lstm_layer = lstm_layer<T>;
  kernels.lstm_layer_backward = lstm_layer_backward<T>;
}

template void fill_lstm(Kernels<float>&);
template void fill_lstm(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
