#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/lstm.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/lstm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

void lstm_cell(const LstmCell<float>& a) {
  threads::split(a.rows, row_grain(4 * a.hidden, kGrain / 4), [&](Size begin, Size end) HWY_ATTR {
    for (Size r = begin; r < end; ++r) {
      const Size at = r * a.hidden;
      CellRow{a.hidden, a.gates + 4 * at, nullptr, a.c_before + at, a.h + at, a.c + at}.forward();
    }
  });
}

void lstm_cell_backward(const LstmCellBackward<float>& a) {
  threads::split(a.rows, row_grain(4 * a.hidden, kGrain / 2), [&](Size begin, Size end) HWY_ATTR {
    for (Size r = begin; r < end; ++r) {
      const Size at = r * a.hidden;
      CellRowBackward{a.hidden,
                      a.gates + 4 * at,
                      a.c_before + at,
                      a.c + at,
                      a.dh ? a.dh + at : nullptr,
                      a.dc ? a.dc + at : nullptr,
                      a.dgates + 4 * at,
                      a.dc_before ? a.dc_before + at : nullptr,
                      a.accumulate_dc_before}
          .run();
    }
  });
}

void gru_cell(const GruCell<float>& a) {
  const Size hidden = a.hidden;
  threads::split(a.rows, row_grain(3 * hidden, kGrain / 4), [&](Size begin, Size end) HWY_ATTR {
    for (Size row = begin; row < end; ++row) {
      float* x = a.x_gates + row * 3 * hidden;
      const float* more = a.h_gates + row * 3 * hidden;
      each_vector(0, hidden, [&](Size d, auto lanes) HWY_ATTR {
        const V r = sigmoid(hn::Add(lanes.load(x + d), lanes.load(more + d)));
        const V u = sigmoid(hn::Add(lanes.load(x + hidden + d), lanes.load(more + hidden + d)));
        const V n = tanh(hn::MulAdd(r, lanes.load(more + 2 * hidden + d), lanes.load(x + 2 * hidden + d)));
        lanes.store(r, x + d);
        lanes.store(u, x + hidden + d);
        lanes.store(n, x + 2 * hidden + d);
        const V before = lanes.load(a.h_before + row * hidden + d);
        lanes.store(hn::MulAdd(u, hn::Sub(before, n), n), a.h + row * hidden + d);
      });
    }
  });
}

// dn = dh (1 - u) (1 - n^2);  du = dh (h_before - n) u (1 - u);  dr = dn hn r (1 - r);  the state's part of n is
// multiplied by the reset gate: dhn = dn r.
void gru_cell_backward(const GruCellBackward<float>& a) {
  const Size hidden = a.hidden;
  threads::split(a.rows, row_grain(3 * hidden), [&](Size begin, Size end) HWY_ATTR {
    for (Size row = begin; row < end; ++row)
      each_vector(0, hidden, [&](Size d, auto lanes) HWY_ATTR {
        const Size gate = row * 3 * hidden + d, at = row * hidden + d;
        const V one = splat(1), dh = lanes.load(a.dh + at);
        const V r = lanes.load(a.x_gates + gate), u = lanes.load(a.x_gates + gate + hidden);
        const V n = lanes.load(a.x_gates + gate + 2 * hidden), state_part = lanes.load(a.h_gates + gate + 2 * hidden);
        const V dn = hn::Mul(hn::Mul(dh, hn::Sub(one, u)), hn::NegMulAdd(n, n, one));
        const V du = hn::Mul(hn::Mul(dh, hn::Sub(lanes.load(a.h_before + at), n)), hn::NegMulAdd(u, u, u));
        const V dr = hn::Mul(hn::Mul(dn, state_part), hn::NegMulAdd(r, r, r));
        lanes.store(dr, a.dx_gates + gate);
        lanes.store(dr, a.dh_gates + gate);
        lanes.store(du, a.dx_gates + gate + hidden);
        lanes.store(du, a.dh_gates + gate + hidden);
        lanes.store(dn, a.dx_gates + gate + 2 * hidden);
        lanes.store(hn::Mul(dn, r), a.dh_gates + gate + 2 * hidden);
        if (a.dh_before) put(lanes, hn::Mul(dh, u), a.dh_before + at, a.accumulate_dh_before);
      });
  });
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(lstm_cell);
HWY_EXPORT(lstm_cell_backward);
HWY_EXPORT(gru_cell);
HWY_EXPORT(gru_cell_backward);

void fill_lstm(Kernels<float>& kernels) {
  kernels.lstm_cell = [](const auto& a) { HWY_DYNAMIC_DISPATCH(lstm_cell)(a); };
  kernels.lstm_cell_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(lstm_cell_backward)(a); };
  kernels.gru_cell = [](const auto& a) { HWY_DYNAMIC_DISPATCH(gru_cell)(a); };
  kernels.gru_cell_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(gru_cell_backward)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
