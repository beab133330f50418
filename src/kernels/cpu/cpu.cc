#include "kernels/cpu/cpu.h"

#include "kernels/cpu/targets.h"

#include <hwy/highway.h>

#include <string_view>

#include "base/error.h"
#include "kernels/cpu/blas.h"
#include "kernels/cpu/narrow_weights.h"
#include "kernels/cpu/split.h"
#include "kernels/fillings.h"

namespace dragoman::kernels {

const Kernels<float>& cpu() {
  static const Kernels<float> filled = [] {
    Kernels<float> kernels("cpu");
    cpu_filling::fill_linear(kernels);
    cpu_filling::fill_linear_packed(kernels);
    cpu_filling::fill_top_scores(kernels);
    cpu_filling::fill_project_length(kernels);
    cpu_filling::fill_rows(kernels);
    cpu_filling::fill_norm(kernels);
    cpu_filling::fill_softmax(kernels);
    cpu_filling::fill_attention(kernels);
    cpu_filling::fill_attention_backward(kernels);
    cpu_filling::fill_additive(kernels);
    cpu_filling::fill_lstm(kernels);
    cpu_filling::fill_lstm_layer(kernels);
    cpu_filling::fill_ssru(kernels);
    cpu_filling::fill_steps(kernels);
    cpu_filling::fill_elementwise(kernels);
    cpu_filling::fill_optimiser(kernels);
    return kernels;
  }();
  return filled;
}

std::vector<std::int64_t> cpu_filling::instruction_sets() {
  // A better target is a lower bit.
  std::vector<std::int64_t> sets;
  for (std::int64_t left = static_cast<std::int64_t>(hwy::SupportedTargets()) & HWY_TARGETS; left != 0;
       left &= left - 1)
    sets.push_back(left & -left);
  return sets;
}

void cpu_filling::use_instruction_set(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(static_cast<decltype(hwy::SupportedTargets())>(target));
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

const char* cpu_instruction_set() {
  const std::vector<std::int64_t> sets = cpu_filling::instruction_sets();
  if (sets.empty()) return hwy::TargetName(HWY_STATIC_TARGET);
  const char* name = hwy::TargetName(static_cast<decltype(hwy::SupportedTargets())>(sets.front()));
  return std::string_view(name).starts_with("AVX3") ? "AVX-512" : name;  // Highway's own name for it
}

const char* cpu_product_kernel(WeightFormat format) {
  if (format != WeightFormat::same) return cpu_filling::narrow_kernel(format).name;
  return cpu_filling::split_kernel() ? "AMX" : "OpenBLAS";
}

bool cpu_emulates_bf16() { return cpu_filling::narrow_kernel(WeightFormat::bf16).emulated; }

float round_to_int8(Size count, const float* x, std::int8_t* to) {
  return cpu_filling::round_line(WeightFormat::int8, count, x, count, reinterpret_cast<char*>(to));
}

BlasInfo blas_info() try {
  const cpu_filling::Blas& blas = cpu_filling::blas();
  return {blas.get_config(), blas.get_corename(), ""};
} catch (const Error& error) {
  return {"", "", error.what()};
}

}  // namespace dragoman::kernels
