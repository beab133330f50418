#pragma once

#include <cstdint>
#include <vector>

#include "kernels/contract.h"

// Each file of this folder fills its entries of the contract. Highway compiles the bodies once per instruction set, in
// a namespace each; the function in the entry dispatches to the best one that this CPU supports.
namespace dragoman::kernels::cpu_filling {

void fill_linear(Kernels<float>& kernels);
void fill_linear_packed(Kernels<float>& kernels);
void fill_top_scores(Kernels<float>& kernels);
void fill_project_length(Kernels<float>& kernels);
void fill_rows(Kernels<float>& kernels);
void fill_norm(Kernels<float>& kernels);
void fill_softmax(Kernels<float>& kernels);
void fill_attention(Kernels<float>& kernels);
void fill_attention_backward(Kernels<float>& kernels);
void fill_additive(Kernels<float>& kernels);
void fill_lstm(Kernels<float>& kernels);
void fill_lstm_layer(Kernels<float>& kernels);
void fill_ssru(Kernels<float>& kernels);
void fill_steps(Kernels<float>& kernels);
void fill_elementwise(Kernels<float>& kernels);
void fill_optimiser(Kernels<float>& kernels);

// The instruction sets that the bodies are compiled for and this CPU supports, as bits of Highway, the best first.
std::vector<std::int64_t> instruction_sets();
// Computes by one of these, for tests; 0: by the best.
void use_instruction_set(std::int64_t target);

// Grain size of element-wise loops: about how many elements (a load, a few operations, a store) justify one more
// thread.
constexpr Size kGrain = 16384;

// The grain in rows of `cols` elements.
constexpr Size row_grain(Size cols, Size grain = kGrain) { return cols > 0 ? (grain + cols - 1) / cols : grain; }

}  // namespace dragoman::kernels::cpu_filling
