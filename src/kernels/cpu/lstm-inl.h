// One row of an LSTM cell. The gates are four consecutive vectors of `hidden` values: input, forget, cell, output.
#if defined(DRAGOMAN_KERNELS_CPU_LSTM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_LSTM_INL
#undef DRAGOMAN_KERNELS_CPU_LSTM_INL
#else
#define DRAGOMAN_KERNELS_CPU_LSTM_INL
#endif

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {

// A row of the cell. `more` is added to the gates before the activations, unless it is null.
struct CellRow {
  Size hidden;
  float* gates;
  const float* more;
  const float* c_before;  // null: zeros
  float* h;
  float* c;

  HWY_INLINE void forward() const {
    each_vector(0, hidden, [&](Size d, auto lanes) HWY_ATTR {
      const auto gate = [&](Size which) HWY_ATTR {
        const Size at = which * hidden + d;
        const V before = lanes.load(gates + at);
        return more ? hn::Add(before, lanes.load(more + at)) : before;
      };
      const V i = sigmoid(gate(0)), f = sigmoid(gate(1)), g = tanh(gate(2)), o = sigmoid(gate(3));
      const V from_input = hn::Mul(i, g);
      const V cell = c_before ? hn::MulAdd(f, lanes.load(c_before + d), from_input) : from_input;
      lanes.store(i, gates + d);
      lanes.store(f, gates + hidden + d);
      lanes.store(g, gates + 2 * hidden + d);
      lanes.store(o, gates + 3 * hidden + d);
      lanes.store(cell, c + d);
      lanes.store(hn::Mul(o, tanh(cell)), h + d);
    });
  }
};

// dc_total = dc + dh o (1 - tanh(c)^2);  do = dh tanh(c);  di = dc_total g;  df = dc_total c_before;
// dg = dc_total i;  dc_before = dc_total f; each gate times the derivative of its activation.
struct CellRowBackward {
  Size hidden;
  const float* gates;
  const float* c_before;  // null: zeros
  const float* c;
  const float* dh;  // null: zeros
  const float* dc;  // null: zeros
  float* dgates;
  float* dc_before;  // null: not needed
  bool accumulate;

  HWY_INLINE void run() const {
    each_vector(0, hidden, [&](Size d, auto lanes) HWY_ATTR {
      const V zero = hn::Zero(kTag), one = splat(1);
      const V i = lanes.load(gates + d), f = lanes.load(gates + hidden + d);
      const V g = lanes.load(gates + 2 * hidden + d), o = lanes.load(gates + 3 * hidden + d);
      const V tanh_c = tanh(lanes.load(c + d));
      const V dh_d = dh ? lanes.load(dh + d) : zero;
      const V total = hn::MulAdd(hn::Mul(dh_d, o), hn::NegMulAdd(tanh_c, tanh_c, one), dc ? lanes.load(dc + d) : zero);
      const V before = c_before ? lanes.load(c_before + d) : zero;
      lanes.store(hn::Mul(hn::Mul(total, g), hn::NegMulAdd(i, i, i)), dgates + d);
      lanes.store(hn::Mul(hn::Mul(total, before), hn::NegMulAdd(f, f, f)), dgates + hidden + d);
      lanes.store(hn::Mul(hn::Mul(total, i), hn::NegMulAdd(g, g, one)), dgates + 2 * hidden + d);
      lanes.store(hn::Mul(hn::Mul(dh_d, tanh_c), hn::NegMulAdd(o, o, o)), dgates + 3 * hidden + d);
      if (dc_before) put(lanes, hn::Mul(total, f), dc_before + d, accumulate);
    });
  }
};

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
