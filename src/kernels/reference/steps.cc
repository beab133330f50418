#include <cmath>
#include <vector>

#include "kernels/fillings.h"
#include "kernels/reference/reference.h"
#include "kernels/steps.h"

namespace dragoman::kernels::reference_filling {
namespace {

// Element (row, col) of a term's product.
template <class T>
T element(const Term<T>& term, Size out, bool back, Size row, Size col) {
  if (row >= term.rows) return 0;
  T sum = 0;
  for (Size i = 0; i < term.size; ++i)
    sum += term.x[row * term.x_stride + i] * term.weight[back ? i * out + col : col * term.size + i];
  return sum;
}

// dropped = dropout(x), unless `dropped` is null.
template <class T>
void drop(const Dropout& dropout, Size rows, Size cols, const T* x, T* dropped) {
  if (dropped == nullptr) return;
  for (Size r = 0; r < rows; ++r)
    for (Size d = 0; d < cols; ++d)
      dropped[r * cols + d] = x[r * cols + d] * static_cast<T>(dropout.factor(r, d, cols));
}

template <class T>
void lstm_step(const LstmStep<T>& a) {
  const Size rows = a.cell.rows, hidden = a.cell.hidden;
  for (Size r = 0; r < rows; ++r)
    for (Size g = 0; g < 4 * hidden; ++g) {
      T& gate = a.cell.gates[r * 4 * hidden + g];
      if (a.bias != nullptr) gate = a.bias[g];
      for (const Term<T>& term : a.terms) gate += element(term, 4 * hidden, false, r, g);
    }
  reference<T>().lstm_cell(a.cell);
  drop(a.dropout, rows, hidden, a.cell.h, a.dropped);
}

template <class T>
void lstm_step_backward(const LstmStepBackward<T>& a) {
  const Size rows = a.cell.rows, hidden = a.cell.hidden;
  const auto& [first, second] = a.terms;
  for (Size r = 0; r < rows; ++r)
    for (Size d = 0; d < hidden; ++d)
      a.dh[r * hidden + d] = (a.cell.dh != nullptr ? a.cell.dh[r * hidden + d] : T(0)) +
                             static_cast<T>(a.dropout.factor(r, d, hidden)) * element(first, hidden, true, r, d) +
                             element(second, hidden, true, r, d);
  LstmCellBackward<T> cell = a.cell;
  cell.dh = a.dh;
  reference<T>().lstm_cell_backward(cell);
}

template <class T>
void tanh_step(const TanhStep<T>& a) {
  for (Size r = 0; r < a.rows; ++r)
    for (Size d = 0; d < a.out; ++d) {
      T sum = a.bias[d];
      for (const Term<T>& term : a.terms) sum += element(term, a.out, false, r, d);
      a.y[r * a.out + d] = std::tanh(sum);
    }
  drop(a.dropout, a.rows, a.out, a.y, a.dropped);
}

template <class T>
void tanh_step_backward(const TanhStepBackward<T>& a) {
  for (Size r = 0; r < a.rows; ++r)
    for (Size d = 0; d < a.out; ++d) {
      const Size at = r * a.out + d;
      T dy = a.dy[at];
      for (const Term<T>& term : a.terms) dy += element(term, a.out, true, r, d);
      a.dz[at] = dy * static_cast<T>(a.dropout.factor(r, d, a.out)) * (1 - a.y[at] * a.y[at]);
    }
}

}  // namespace

template <class T>
void fill_steps(Kernels<T>& kernels) {
  kernels.lstm_step = lstm_step<T>;
  kernels.lstm_step_backward = lstm_step_backward<T>;
  kernels.tanh_step = tanh_step<T>;
  kernels.tanh_step_backward = tanh_step_backward<T>;
  kernels.row_program = [](const auto& a) { composed::row_program(reference<T>(), a); };
}

template void fill_steps(Kernels<float>&);
template void fill_steps(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
