#pragma once

#include "kernels/contract.h"

// The steps of a decoder composed of other entries: the fallback of a filling that has no fused kernel for them.
namespace dragoman::kernels::composed {

template <class T>
void multiply(const Kernels<T>& k, const Term<T>& term, Size out, bool back, bool accumulate, T* to) {
  const Product one{.m = term.rows,
                    .n = out,
                    .k = term.size,
                    .a_stride = term.x_stride,
                    .b_stride = back ? out : term.size,
                    .c_stride = out};
  k.matmul({.count = 1,
            .products = &one,
            .transposed_b = !back,
            .a = term.x,
            .b = term.weight,
            .c = to,
            .accumulate = accumulate});
}

// Forward: y = terms + bias, or y += terms without a bias.
template <class T>
void add_up(const Kernels<T>& k, const Terms<T>& terms, Size rows, Size out, const T* bias, T* y) {
  const auto& [first, second] = terms;
  if (bias != nullptr)
    k.linear({.rows = rows, .in = first.size, .out = out, .x = first.x, .weight = first.weight, .bias = bias, .y = y});
  else
    multiply(k, first, out, false, true, y);
  if (second.rows > 0) multiply(k, second, out, false, true, y);
}

template <class T>
void lstm_step(const Kernels<T>& k, const LstmStep<T>& a) {
  const Size rows = a.cell.rows, hidden = a.cell.hidden;
  add_up(k, a.terms, rows, 4 * hidden, a.bias, a.cell.gates);
  k.lstm_cell(a.cell);
  if (a.dropped != nullptr)
    k.dropout({.rows = rows, .cols = hidden, .dropout = a.dropout, .x = a.cell.h, .y = a.dropped});
}

template <class T>
void lstm_step_backward(const Kernels<T>& k, const LstmStepBackward<T>& a) {
  const Size rows = a.cell.rows, hidden = a.cell.hidden;
  const auto& [first, second] = a.terms;
  multiply(k, first, hidden, true, false, a.dh);
  k.fill({.count = (rows - first.rows) * hidden, .y = a.dh + first.rows * hidden});
  if (a.dropout.rate > 0) k.dropout({.rows = first.rows, .cols = hidden, .dropout = a.dropout, .x = a.dh, .y = a.dh});
  if (second.rows > 0) multiply(k, second, hidden, true, true, a.dh);
  if (a.cell.dh != nullptr) k.combine({.count = rows * hidden, .a = a.dh, .b = a.cell.dh, .y = a.dh});
  LstmCellBackward<T> cell = a.cell;
  cell.dh = a.dh;
  k.lstm_cell_backward(cell);
}

template <class T>
void tanh_step(const Kernels<T>& k, const TanhStep<T>& a) {
  add_up(k, a.terms, a.rows, a.out, a.bias, a.y);
  k.activate({.count = a.rows * a.out, .activation = Activation::tanh, .x = a.y, .y = a.y});
  if (a.dropped != nullptr) k.dropout({.rows = a.rows, .cols = a.out, .dropout = a.dropout, .x = a.y, .y = a.dropped});
}

template <class T>
void tanh_step_backward(const Kernels<T>& k, const TanhStepBackward<T>& a) {
  const Size count = a.rows * a.out;
  k.combine({.count = count, .a = a.dy, .y = a.dz});
  for (const Term<T>& term : a.terms)
    if (term.rows > 0) multiply(k, term, a.out, true, true, a.dz);
  if (a.dropout.rate > 0) k.dropout({.rows = a.rows, .cols = a.out, .dropout = a.dropout, .x = a.dz, .y = a.dz});
  k.activate_backward({.count = count, .activation = Activation::tanh, .saved = a.y, .dy = a.dz, .dx = a.dz});
}

template <class T>
void run_part(const Kernels<T>& k, const RowPart<T>& part) {
  struct {
    const Kernels<T>& kernels;
    void operator()(const LinearPacked<T>& a) const { kernels.linear_packed(a); }
    void operator()(const Norm<T>& a) const { kernels.norm(a); }
    void operator()(const Attention<T>& a) const { kernels.attention(a); }
  } const run{k};
  std::visit(run, part);
}

template <class T>
void row_program(const Kernels<T>& k, const RowProgram<T>& a) {
  for (Size i = 0; i < a.count; ++i) run_part(k, a.parts[i]);
}

}  // namespace dragoman::kernels::composed
