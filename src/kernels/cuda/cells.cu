#include "kernels/cuda/filling.h"
#include "kernels/cuda/lstm.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

// The unit that a thread works on.
struct Place {
  Size row, unit, at;  // at: in [rows, hidden]

  __device__ explicit Place(Size hidden)
      : row((static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x) / hidden),
        unit((static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x) % hidden),
        at(row * hidden + unit) {}
};

template <class T>
__global__ void lstm_cells(LstmCell<T> a) {
  const Place p(a.hidden);
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
  const Place p(a.hidden);
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
  const Place p(a.hidden);
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
  const Place p(a.hidden);
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

}  // namespace

template <class T>
void fill_cells(Kernels<T>& kernels) {
  kernels.lstm_cell = lstm_cell<T>;
  kernels.lstm_cell_backward = lstm_cell_backward<T>;
  kernels.gru_cell = gru_cell<T>;
  kernels.gru_cell_backward = gru_cell_backward<T>;
}

template void fill_cells(Kernels<float>&);
template void fill_cells(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda
