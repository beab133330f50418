// Column sums in an order that does not depend on the number of threads.
#if defined(DRAGOMAN_KERNELS_CPU_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_COLUMNS_INL
#undef DRAGOMAN_KERNELS_CPU_COLUMNS_INL
#else
#define DRAGOMAN_KERNELS_CPU_COLUMNS_INL
#endif

#include <algorithm>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {

// Splits `count` items (rows, sentences) into parts whose number depends only on the count. Every part has `cols` sums
// of its own; in the end they are added in the order of the parts.
class PartialSums {
 public:
  PartialSums(Size count, Size least, Size cols)
      : count_(count),
        parts_(std::clamp<Size>(count / std::max<Size>(least, 1), 1, kMost)),
        cols_(cols),
        stride_(round_up(cols, 16)),
        sums_(scratch(Scratch::shared, parts_ * stride_)) {}

  // Calls f(begin, end, sums) for every part; its sums start at zero.
  template <class F>
  void each_part(F&& f) const {
    threads::each(parts_, [&](Size p) {
      float* sums = sums_ + p * stride_;
      std::fill_n(sums, cols_, 0.0f);
      f(count_ * p / parts_, count_ * (p + 1) / parts_, sums);
    });
  }

  // to[i] += the sum of column `first + i` over all parts, for i < count.
  void add_to(float* to, Size first, Size count) const {
    threads::split(count, row_grain(parts_), [&](Size begin, Size end) HWY_ATTR {
      each_vector(begin, end, [&](Size i, auto lanes) HWY_ATTR {
        V sum = lanes.load(sums_ + first + i);
        for (Size p = 1; p < parts_; ++p) sum = hn::Add(sum, lanes.load(sums_ + p * stride_ + first + i));
        lanes.store(hn::Add(lanes.load(to + i), sum), to + i);
      });
    });
  }

 private:
  static constexpr Size kMost = 32;

  Size count_, parts_, cols_, stride_;
  float* sums_;
};

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
