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

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(lstm_cell);
HWY_EXPORT(lstm_cell_backward);

void fill_lstm(Kernels<float>& kernels) {
  kernels.lstm_cell = [](const auto& a) { HWY_DYNAMIC_DISPATCH(lstm_cell)(a); };
  kernels.lstm_cell_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(lstm_cell_backward)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
