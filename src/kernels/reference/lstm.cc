#include <cmath>
#include <vector>

#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

// One row of a cell. The gates are four consecutive vectors of `hidden` values.
template <class T>
void cell_row(Size hidden, T* gates, const T* c_before, T* h, T* c) {
  for (Size d = 0; d < hidden; ++d) {
    T& i = gates[d];
    T& f = gates[hidden + d];
    T& g = gates[2 * hidden + d];
    T& o = gates[3 * hidden + d];
    i = sigmoid(i), f = sigmoid(f), g = std::tanh(g), o = sigmoid(o);
    c[d] = f * (c_before ? c_before[d] : T(0)) + i * g;
    h[d] = o * std::tanh(c[d]);
  }
}

// dc_total = dc + dh o (1 - tanh(c)^2);  do = dh tanh(c);  di = dc_total g;  df = dc_total c_before;
// dg = dc_total i;  dc_before = dc_total f; each gate times the derivative of its activation.
template <class T>
void cell_row_backward(Size hidden, const T* gates, const T* c_before, const T* c, const T* dh, const T* dc, T* dgates,
                       T* dc_before, bool accumulate) {
  for (Size d = 0; d < hidden; ++d) {
    const T i = gates[d], f = gates[hidden + d], g = gates[2 * hidden + d], o = gates[3 * hidden + d];
    const T tanh_c = std::tanh(c[d]);
    const T dh_d = dh ? dh[d] : T(0);
    const T total = (dc ? dc[d] : T(0)) + dh_d * o * (1 - tanh_c * tanh_c);
    dgates[d] = total * g * i * (1 - i);
    dgates[hidden + d] = total * (c_before ? c_before[d] : T(0)) * f * (1 - f);
    dgates[2 * hidden + d] = total * i * (1 - g * g);
    dgates[3 * hidden + d] = dh_d * tanh_c * o * (1 - o);
    if (dc_before) put(dc_before[d], total * f, accumulate);
  }
}

template <class T>
void lstm_cell(const LstmCell<T>& a) {
  for (Size r = 0; r < a.rows; ++r)
    cell_row(a.hidden, a.gates + r * 4 * a.hidden, a.c_before + r * a.hidden, a.h + r * a.hidden, a.c + r * a.hidden);
}

template <class T>
void lstm_cell_backward(const LstmCellBackward<T>& a) {
  for (Size r = 0; r < a.rows; ++r) {
    const Size at = r * a.hidden;
    cell_row_backward(a.hidden, a.gates + 4 * at, a.c_before + at, a.c + at, a.dh ? a.dh + at : nullptr,
                      a.dc ? a.dc + at : nullptr, a.dgates + 4 * at, a.dc_before ? a.dc_before + at : nullptr,
                      a.accumulate_dc_before);
  }
}

template <class T>
void gru_cell(const GruCell<T>& a) {
  for (Size row = 0; row < a.rows; ++row)
    for (Size d = 0; d < a.hidden; ++d) {
      T* x = a.x_gates + row * 3 * a.hidden + d;
      const T* h = a.h_gates + row * 3 * a.hidden + d;
      T &r = x[0], &u = x[a.hidden], &n = x[2 * a.hidden];
      r = sigmoid(r + h[0]);
      u = sigmoid(u + h[a.hidden]);
      n = std::tanh(n + r * h[2 * a.hidden]);
      a.h[row * a.hidden + d] = (1 - u) * n + u * a.h_before[row * a.hidden + d];
    }
}

// dn = dh (1 - u) (1 - n^2);  du = dh (h_before - n) u (1 - u);  dr = dn hn r (1 - r);  the state's part of n is
// multiplied by the reset gate: dhn = dn r.
template <class T>
void gru_cell_backward(const GruCellBackward<T>& a) {
  for (Size row = 0; row < a.rows; ++row)
    for (Size d = 0; d < a.hidden; ++d) {
      const Size gate = row * 3 * a.hidden + d, at = row * a.hidden + d;
      const T r = a.x_gates[gate], u = a.x_gates[gate + a.hidden], n = a.x_gates[gate + 2 * a.hidden];
      const T dn = a.dh[at] * (1 - u) * (1 - n * n);
      const T du = a.dh[at] * (a.h_before[at] - n) * u * (1 - u);
      const T dr = dn * a.h_gates[gate + 2 * a.hidden] * r * (1 - r);
      a.dx_gates[gate] = a.dh_gates[gate] = dr;
      a.dx_gates[gate + a.hidden] = a.dh_gates[gate + a.hidden] = du;
      a.dx_gates[gate + 2 * a.hidden] = dn;
      a.dh_gates[gate + 2 * a.hidden] = dn * r;
      if (a.dh_before) put(a.dh_before[at], a.dh[at] * u, a.accumulate_dh_before);
    }
}

// The rows of sentence s in the layer's direction of time.
template <class T>
std::vector<Size> walk(const LstmLayer<T>& a, Size s) {
  std::vector<Size> rows;
  for (Size row = a.offsets[s]; row < a.offsets[s + 1]; ++row) rows.push_back(row);
  if (a.reverse) rows = {rows.rbegin(), rows.rend()};
  return rows;
}

template <class T>
void lstm_layer(const LstmLayer<T>& a) {
  const Size hidden = a.hidden;
  const std::vector<T> zeros(static_cast<std::size_t>(hidden), T(0));
  for (Size s = 0; s < a.sentences; ++s) {
    const T* h_before = a.h_first ? a.h_first + s * hidden : zeros.data();
    const T* c_before = a.c_first ? a.c_first + s * hidden : zeros.data();
    for (const Size row : walk(a, s)) {
      T* gates = a.gates + row * 4 * hidden;
      for (Size g = 0; g < 4 * hidden; ++g)
        for (Size d = 0; d < hidden; ++d) gates[g] += h_before[d] * a.weight[g * hidden + d];
      cell_row(hidden, gates, c_before, a.h + row * hidden, a.c + row * hidden);
      h_before = a.h + row * hidden;
      c_before = a.c + row * hidden;
    }
    for (Size d = 0; d < hidden; ++d) {
      a.h_last[s * hidden + d] = h_before[d];
      a.c_last[s * hidden + d] = c_before[d];
    }
  }
  if (a.beside) lstm_layer(*a.beside);
}

template <class T>
void lstm_layer_backward(const LstmLayerBackward<T>& b) {
  const LstmLayer<T>& a = b.forward;
  const Size hidden = a.hidden;
  const std::vector<T> zeros(static_cast<std::size_t>(hidden), T(0));
  for (Size s = 0; s < a.sentences; ++s) {
    std::vector<T> dh(zeros), dc(zeros);
    for (Size d = 0; d < hidden; ++d) {
      if (b.dh_last) dh[d] = b.dh_last[s * hidden + d];
      if (b.dc_last) dc[d] = b.dc_last[s * hidden + d];
    }
    const std::vector<Size> rows = walk(a, s);
    for (Size t = std::ssize(rows) - 1; t >= 0; --t) {
      const Size row = rows[t];
      const T* h_first = a.h_first ? a.h_first + s * hidden : zeros.data();
      const T* c_first = a.c_first ? a.c_first + s * hidden : zeros.data();
      const T* h_before = t > 0 ? a.h + rows[t - 1] * hidden : h_first;
      const T* c_before = t > 0 ? a.c + rows[t - 1] * hidden : c_first;
      T* dgates = b.dgates + row * 4 * hidden;
      for (Size d = 0; d < hidden; ++d) {
        if (b.dh) dh[d] += b.dh[row * hidden + d];
        b.h_before[row * hidden + d] = h_before[d];
      }
      std::vector<T> dc_before(zeros), dh_before(zeros);
      cell_row_backward(hidden, a.gates + row * 4 * hidden, c_before, a.c + row * hidden, dh.data(), dc.data(), dgates,
                        dc_before.data(), false);
      for (Size g = 0; g < 4 * hidden; ++g)
        for (Size d = 0; d < hidden; ++d) {
          dh_before[d] += dgates[g] * a.weight[g * hidden + d];
          if (b.dweight) b.dweight[g * hidden + d] += dgates[g] * h_before[d];
        }
      dh = dh_before;
      dc = dc_before;
    }
    for (Size d = 0; d < hidden; ++d) {
      if (b.dh_first) put(b.dh_first[s * hidden + d], dh[d], b.accumulate_dh_first);
      if (b.dc_first) put(b.dc_first[s * hidden + d], dc[d], b.accumulate_dc_first);
    }
  }
  if (b.beside) lstm_layer_backward(*b.beside);
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
template void fill_lstm(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
