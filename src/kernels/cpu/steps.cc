#include "kernels/steps.h"

#include "kernels/cpu/cpu.h"
#include "kernels/fillings.h"

namespace dragoman::kernels::cpu_filling {

void fill_steps(Kernels<float>& kernels) {
  kernels.lstm_step = [](const auto& a) { composed::lstm_step(cpu(), a); };
  kernels.lstm_step_backward = [](const auto& a) { composed::lstm_step_backward(cpu(), a); };
  kernels.tanh_step = [](const auto& a) { composed::tanh_step(cpu(), a); };
  kernels.tanh_step_backward = [](const auto& a) { composed::tanh_step_backward(cpu(), a); };
  kernels.row_program = [](const auto& a) { composed::row_program(cpu(), a); };
}

}  // namespace dragoman::kernels::cpu_filling
