#include <cmath>
#include <limits>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/softmax.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

template <class Arguments>
Size row_begin(const Arguments& a, Size row) {
  return a.starts ? a.starts[row] : row * a.cols;
}

// The grain in rows, from their average length.
template <class Arguments>
Size grain_of(const Arguments& a) {
  return a.rows > 0 ? row_grain(row_begin(a, a.rows) / a.rows, kGrain / 4) : 1;
}

void softmax(const Softmax<float>& a) {
  threads::split(a.rows, grain_of(a), [&](Size first, Size last) HWY_ATTR {
    for (Size r = first; r < last; ++r) {
      const Size begin = row_begin(a, r), count = row_begin(a, r + 1) - begin;
      if (count == 0) continue;
      const float sum = exp_row(count, a.x + begin, row_max(count, a.x + begin), a.y + begin);
      scale_row(count, 1 / sum, a.y + begin);
    }
  });
}

void softmax_backward(const SoftmaxBackward<float>& a) {
  threads::split(a.rows, grain_of(a), [&](Size first, Size last) HWY_ATTR {
    for (Size r = first; r < last; ++r) {
      const Size begin = row_begin(a, r), count = row_begin(a, r + 1) - begin;
      const float* y = a.y + begin;
      const float* dy = a.dy + begin;
      float* dx = a.dx + begin;
      const bool accumulate = a.accumulate_dx;
      const V dot = hn::Set(kTag, dot_row(count, y, dy));
      each_four_of(y, count, hn::Zero(kTag), [=](Size c, auto& v, auto lanes) HWY_ATTR {
        constexpr int kCount = length_of<decltype(v)>;
        for (int i = 0; i < kCount; ++i) v[i] = hn::Mul(v[i], hn::Sub(lanes.load(dy + c + i * kLanes), dot));
        for (int i = 0; i < kCount; ++i) put(lanes, v[i], dx + c + i * kLanes, accumulate);
      });
    }
  });
}

// Sums over one row of logits, relative to the largest.
struct RowSums {
  float of_exp, of_logits;
};

// If the gradient is needed, the exponentials overwrite the logits, so that they are computed only once.
template <bool keep_exp>
HWY_INLINE RowSums sum_logits(Size count, float* logits, float largest) {
  Four of_exp(hn::Zero(kTag)), of_logits(hn::Zero(kTag));
  const V top = hn::Set(kTag, largest);
  each_four_of(logits, count, top, [=, &of_exp, &of_logits](Size c, auto& v, auto lanes) DRAGOMAN_BODY {
    constexpr int kCount = length_of<decltype(v)>;
    for (int i = 0; i < kCount; ++i) {
      v[i] = hn::Sub(v[i], top);
      of_logits.v[i] = hn::Add(of_logits.v[i], v[i]);
    }
    exp_of(v);
    for (int i = 0; i < kCount; ++i) {
      if (keep_exp) lanes.store(v[i], logits + c + i * kLanes);
      of_exp.v[i] = hn::Add(of_exp.v[i], lanes.only(v[i]));
    }
  });
  return {of_exp.sum(), of_logits.sum()};
}

void cross_entropy_row(const CrossEntropy<float>& a, Size r) {
  float* logits = a.logits + r * a.classes;
  const auto classes = static_cast<float>(a.classes), smoothing = static_cast<float>(a.smoothing);
  const float largest = row_max(a.classes, logits);
  const float target = logits[a.targets[r]] - largest;
  const bool gradient = a.gradient_scale != 0;
  const RowSums sums =
      gradient ? sum_logits<true>(a.classes, logits, largest) : sum_logits<false>(a.classes, logits, largest);
  const float log_sum = std::log(sums.of_exp);
  const float uniform = log_sum - sums.of_logits / classes;
  a.nll[r] = log_sum - target;
  a.loss[r] = (1 - smoothing) * a.nll[r] + smoothing * uniform;
  if (!gradient) return;
  const auto scale = static_cast<float>(a.gradient_scale);
  const V stretch = hn::Set(kTag, scale / sums.of_exp), shift = hn::Set(kTag, scale * smoothing / classes);
  each_vector(0, a.classes, [=](Size c, auto lanes) HWY_ATTR {
    lanes.store(hn::MulSub(lanes.load(logits + c), stretch, shift), logits + c);
  });
  logits[a.targets[r]] -= scale * (1 - smoothing);
}

void cross_entropy(const CrossEntropy<float>& a) {
  threads::split(a.rows, row_grain(a.classes, kGrain / 4), [&](Size begin, Size end) {
    for (Size r = begin; r < end; ++r) cross_entropy_row(a, r);
  });
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(softmax);
HWY_EXPORT(softmax_backward);
HWY_EXPORT(cross_entropy);

void fill_softmax(Kernels<float>& kernels) {
  kernels.softmax = [](const auto& a) { HWY_DYNAMIC_DISPATCH(softmax)(a); };
  kernels.softmax_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(softmax_backward)(a); };
  kernels.cross_entropy = [](const auto& a) { HWY_DYNAMIC_DISPATCH(cross_entropy)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
