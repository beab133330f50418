#include "kernels/steps.h"

#include "kernels/cuda/filling.h"
#include "kernels/cuda/products/sums_tiles.cuh"
#include "kernels/cuda/recurrence/step_ends.cuh"

// Steps of recurrent decoders: in bf16, products and epilogue are one launch where the sizes are supported. Otherwise a
// step is composed of other entries (kernels/steps.h).
namespace dragoman::kernels::cuda {
namespace {

using sums::Cell, sums::CellBackward, sums::Tanh, sums::TanhBackward;

// Puts terms that do not depend on the previous kernel first, so that they can be computed while it drains.
sums::Work work_of(Size rows, Size cols, const Terms<bf16>& terms, bool back) {
  sums::Work work{.rows = static_cast<int>(rows), .cols = static_cast<int>(cols)};
  work.swapped = terms[1].independent && !terms[0].independent;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term<bf16>& term = terms[work.swapped ? 1 - i : i];
    work.terms[i] = {.x = term.x,
                     .weight = term.weight,
                     .x_stride = term.x_stride,
                     .weight_stride = back ? cols : term.size,
                     .rows = static_cast<int>(term.rows),
                     .size = static_cast<int>(term.size)};
    work.independent += term.independent ? 1 : 0;
  }
  return work;
}

void lstm_step(const LstmStep<bf16>& a) {
  const LstmCell<bf16>& cell = a.cell;
  if (cell.rows == 0) return;
  const sums::Work work = work_of(cell.rows, 4 * cell.hidden, a.terms, false);
  if (!sums::fits<Cell>(work) || !aligned16(cell.gates, cell.c_before, cell.h, cell.c, a.bias, a.dropped))
    return composed::lstm_step(half(), a);
  sums::launch("lstm_step", work, Cell{a.cell, a.bias, a.dropped, Drop(a.dropout)});
}

void lstm_step_backward(const LstmStepBackward<bf16>& a) {
  const LstmCellBackward<bf16>& cell = a.cell;
  if (cell.rows == 0) return;
  const sums::Work work = work_of(cell.rows, cell.hidden, a.terms, true);
  if (!sums::fits<CellBackward<false>>(work) ||
      !aligned16(cell.gates, cell.c_before, cell.c, cell.dh, cell.dc, cell.dgates, cell.dc_before))
    return composed::lstm_step_backward(half(), a);
  const Drop drop(a.dropout);
  if (drop.drops)
    sums::launch("lstm_step_backward", work, CellBackward<true>{cell, drop});
  else
    sums::launch("lstm_step_backward", work, CellBackward<false>{cell, drop});
}

void tanh_step(const TanhStep<bf16>& a) {
  if (a.rows == 0) return;
  const sums::Work work = work_of(a.rows, a.out, a.terms, false);
  if (!sums::fits<Tanh>(work) || !aligned16(a.bias, a.y, a.dropped)) return composed::tanh_step(half(), a);
  sums::launch("tanh_step", work, Tanh{a.out, a.bias, a.y, a.dropped, Drop(a.dropout)});
}

void tanh_step_backward(const TanhStepBackward<bf16>& a) {
  if (a.rows == 0) return;
  const sums::Work work = work_of(a.rows, a.out, a.terms, true);
  if (!sums::fits<TanhBackward>(work) || !aligned16(a.y, a.dy, a.dz)) return composed::tanh_step_backward(half(), a);
  sums::launch("tanh_step_backward", work, TanhBackward{a.out, a.y, a.dy, a.dz, Drop(a.dropout)});
}

}  // namespace

template <>
void fill_steps(Kernels<float>& kernels) {
  kernels.lstm_step = [](const auto& a) { composed::lstm_step(f32(), a); };
  kernels.lstm_step_backward = [](const auto& a) { composed::lstm_step_backward(f32(), a); };
  kernels.tanh_step = [](const auto& a) { composed::tanh_step(f32(), a); };
  kernels.tanh_step_backward = [](const auto& a) { composed::tanh_step_backward(f32(), a); };
}

template <>
void fill_steps(Kernels<bf16>& kernels) {
  kernels.lstm_step = lstm_step;
  kernels.lstm_step_backward = lstm_step_backward;
  kernels.tanh_step = tanh_step;
  kernels.tanh_step_backward = tanh_step_backward;
}

}  // namespace dragoman::kernels::cuda
