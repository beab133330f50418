#include <algorithm>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/ssru.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

// Columns that one piece of work takes through the rows of a sentence.
constexpr Size kStrip = 256;

// Calls f(sentence, begin, end) for all sentences and strips of columns.
template <class F>
void each_strip(const Ssru<float>& a, F&& f) {
  const Size strips = (a.hidden + kStrip - 1) / kStrip, pieces = a.sentences * strips;
  if (pieces == 0) return;
  const Size elements = std::max<Size>(1, a.rows * a.hidden / pieces);
  threads::split(pieces, row_grain(elements, kGrain / 4), [&](Size begin, Size end) HWY_ATTR {
    for (Size i = begin; i < end; ++i) {
      const Size first = i % strips * kStrip;
      f(i / strips, first, std::min(a.hidden, first + kStrip));
    }
  });
}

// The cell state before a row; null for zeros.
HWY_INLINE const float* state_before(const Ssru<float>& a, Size s, Size row) {
  if (row > a.offsets[s]) return a.c ? a.c + (row - 1) * a.hidden : a.c_last + s * a.hidden;
  return a.c_first ? a.c_first + s * a.hidden : nullptr;
}

// c = x + f (c_before - x).
void run_strip(const Ssru<float>& a, Size s, Size begin, Size end) {
  float* last = a.c_last + s * a.hidden;
  for (Size row = a.offsets[s]; row < a.offsets[s + 1]; ++row) {
    const float* gates = a.gates + row * 2 * a.hidden;
    const float* before = state_before(a, s, row);
    float* c = a.c ? a.c + row * a.hidden : last;
    each_vector(begin, end, [&](Size d, auto lanes) HWY_ATTR {
      const V f = sigmoid(lanes.load(gates + d)), x = lanes.load(gates + a.hidden + d);
      const V was = before ? lanes.load(before + d) : hn::Zero(kTag);
      const V now = hn::MulAdd(f, hn::Sub(was, x), x);
      lanes.store(now, c + d);
      lanes.store(activate<Activation::relu>(now), a.h + row * a.hidden + d);
    });
  }
  const float* state = state_before(a, s, a.offsets[s + 1]);
  if (!state)
    std::fill(last + begin, last + end, 0.0f);
  else if (state != last)
    std::copy(state + begin, state + end, last + begin);
}

void ssru(const Ssru<float>& a) {
  each_strip(a, [&](Size s, Size begin, Size end) HWY_ATTR { run_strip(a, s, begin, end); });
}

// From the last row to the first, dc being the sum of what later rows and h contribute:
// dg = dc (c_before - x) f (1 - f);  dx = dc (1 - f);  dc_before = dc f.
void run_strip_backward(const SsruBackward<float>& b, Size s, Size begin, Size end) {
  const Ssru<float>& a = b.forward;
  HWY_ALIGN float dc[kStrip] = {};  // of columns begin .. end
  if (b.dc_last) std::copy(b.dc_last + s * a.hidden + begin, b.dc_last + s * a.hidden + end, dc);
  for (Size row = a.offsets[s + 1] - 1; row >= a.offsets[s]; --row) {
    const float* gates = a.gates + row * 2 * a.hidden;
    const float* before = state_before(a, s, row);
    float* dgates = b.dgates ? b.dgates + row * 2 * a.hidden : nullptr;
    each_vector(begin, end, [&](Size d, auto lanes) HWY_ATTR {
      const V f = sigmoid(lanes.load(gates + d)), x = lanes.load(gates + a.hidden + d);
      const V was = before ? lanes.load(before + d) : hn::Zero(kTag);
      V total = lanes.load(dc + d - begin);
      if (b.dh) {
        const Size at = row * a.hidden + d;
        total = hn::Add(total, activate_backward<Activation::relu>(lanes.load(a.c + at), lanes.load(b.dh + at)));
      }
      if (dgates) {
        put(lanes, hn::Mul(hn::Mul(total, hn::Sub(was, x)), hn::NegMulAdd(f, f, f)), dgates + d, b.accumulate_dgates);
        put(lanes, hn::NegMulAdd(total, f, total), dgates + a.hidden + d, b.accumulate_dgates);
      }
      lanes.store(hn::Mul(total, f), dc + d - begin);
    });
  }
  if (!b.dc_first) return;
  float* first = b.dc_first + s * a.hidden;
  each_vector(begin, end, [&](Size d, auto lanes) HWY_ATTR {
    put(lanes, lanes.load(dc + d - begin), first + d, b.accumulate_dc_first);
  });
}

void ssru_backward(const SsruBackward<float>& b) {
  each_strip(b.forward, [&](Size s, Size begin, Size end) HWY_ATTR { run_strip_backward(b, s, begin, end); });
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(ssru);
HWY_EXPORT(ssru_backward);

void fill_ssru(Kernels<float>& kernels) {
  kernels.ssru = [](const auto& a) { HWY_DYNAMIC_DISPATCH(ssru)(a); };
  kernels.ssru_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(ssru_backward)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
