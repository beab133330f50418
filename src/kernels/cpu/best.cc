#include <algorithm>
#include <cmath>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/best.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

// The best of a row so far, in order.
class Best {
 public:
  Best(Size capacity, float* values, std::int32_t* columns) : capacity_(capacity), values_(values), columns_(columns) {}

  bool takes(float value) const { return count_ < capacity_ || value > values_[capacity_ - 1]; }
  void insert(float value, Size column) {
    Size at = std::upper_bound(values_, values_ + count_, value, std::greater<>()) - values_;
    count_ = std::min(count_ + 1, capacity_);
    std::copy_backward(values_ + at, values_ + count_ - 1, values_ + count_);
    std::copy_backward(columns_ + at, columns_ + count_ - 1, columns_ + count_);
    values_[at] = value;
    columns_[at] = static_cast<std::int32_t>(column);
  }

 private:
  Size capacity_, count_ = 0;
  float* values_;
  std::int32_t* columns_;
};

HWY_INLINE float exp_sum(Size count, const float* x, float largest) {
  Four sum(hn::Zero(kTag));
  const V by = hn::Set(kTag, largest);
  each_four_of(x, count, by, [=, &sum](Size, auto& v, auto lanes) HWY_ATTR {
    constexpr int kCount = length_of<decltype(v)>;
    for (int i = 0; i < kCount; ++i) v[i] = hn::Sub(v[i], by);
    exp_of(v);
    for (int i = 0; i < kCount; ++i) sum.v[i] = hn::Add(sum.v[i], lanes.only(v[i]));
  });
  return sum.sum();
}

// Most stretches of a row hold nothing that belongs among the best: one maximum tells.
void best_of_row(const BestOfRows<float>& a, Size r) {
  constexpr Size kStretch = 64;
  const float* x = a.x + r * a.cols;
  Best best(a.best, a.values + r * a.best, a.columns + r * a.best);
  float largest = -std::numeric_limits<float>::infinity();
  for (Size begin = 0; begin < a.cols; begin += kStretch) {
    const Size end = std::min(begin + kStretch, a.cols);
    const float here = row_max(end - begin, x + begin);
    largest = std::max(largest, here);
    if (!best.takes(here)) continue;
    for (Size c = begin; c < end; ++c)
      if (best.takes(x[c])) best.insert(x[c], c);
  }
  a.log_sum[r] = largest + std::log(exp_sum(a.cols, x, largest));
}

void best_of_rows(const BestOfRows<float>& a) {
  threads::split(a.rows, row_grain(a.cols, kGrain / 4), [&](Size begin, Size end) {
    for (Size r = begin; r < end; ++r) best_of_row(a, r);
  });
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(best_of_rows);

void fill_best(Kernels<float>& kernels) {
  kernels.best_of_rows = [](const auto& a) { HWY_DYNAMIC_DISPATCH(best_of_rows)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
