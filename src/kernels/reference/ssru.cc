#include <cmath>
#include <vector>

#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class T>
T logistic(T x) {
  return 1 / (1 + std::exp(-x));
}

// One column of one sentence: its rows, and its values in them.
template <class T>
struct Column {
  const Ssru<T>& a;
  Size sentence, column;

  Size begin() const { return a.offsets[sentence]; }
  Size end() const { return a.offsets[sentence + 1]; }
  T forget(Size row) const { return logistic(a.gates[row * 2 * a.hidden + column]); }
  T input(Size row) const { return a.gates[row * 2 * a.hidden + a.hidden + column]; }
  T first() const { return a.c_first ? a.c_first[sentence * a.hidden + column] : T(0); }
};

template <class T, class F>
void each_column(const Ssru<T>& a, F&& f) {
  for (Size s = 0; s < a.sentences; ++s)
    for (Size d = 0; d < a.hidden; ++d) f(Column<T>{a, s, d});
}

template <class T>
void ssru(const Ssru<T>& a) {
  each_column(a, [&](const Column<T>& one) {
    T c = one.first();
    for (Size row = one.begin(); row < one.end(); ++row) {
      const Size at = row * a.hidden + one.column;
      const T f = one.forget(row);
      c = f * c + (1 - f) * one.input(row);
      a.h[at] = c > 0 ? c : T(0);
      if (a.c) a.c[at] = c;
    }
    a.c_last[one.sentence * a.hidden + one.column] = c;
  });
}

// From the last row to the first, dc being the sum of what later rows and h contribute:
// dg = dc (c_before - x) f (1 - f);  dx = dc (1 - f);  dc_before = dc f.
template <class T>
void ssru_backward(const SsruBackward<T>& b) {
  const Ssru<T>& a = b.forward;
  each_column(a, [&](const Column<T>& one) {
    const Size state = one.sentence * a.hidden + one.column;
    T dc = b.dc_last ? b.dc_last[state] : T(0);
    for (Size row = one.end() - 1; row >= one.begin(); --row) {
      const Size at = row * a.hidden + one.column, gate = at + row * a.hidden;
      if (b.dh && a.c[at] > 0) dc += b.dh[at];
      const T f = one.forget(row), before = row > one.begin() ? a.c[at - a.hidden] : one.first();
      if (b.dgates) {
        put(b.dgates[gate], dc * (before - one.input(row)) * f * (1 - f), b.accumulate_dgates);
        put(b.dgates[gate + a.hidden], dc * (1 - f), b.accumulate_dgates);
      }
      dc *= f;
    }
    if (b.dc_first) put(b.dc_first[state], dc, b.accumulate_dc_first);
  });
}

}  // namespace

template <class T>
void fill_ssru(Kernels<T>& kernels) {
  kernels.ssru = ssru<T>;
  kernels.ssru_backward = ssru_backward<T>;
}

template void fill_ssru(Kernels<float>&);
template void fill_ssru(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling
