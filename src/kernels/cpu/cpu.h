#pragma once

#include "kernels/contract.h"

// Each file of this folder fills its part of the list. The bodies live in per-instruction-set namespaces; what a file
// puts into the list asks Highway for the one that this CPU can run.
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
void fill_steps(Kernels<float>& kernels);
void fill_elementwise(Kernels<float>& kernels);
void fill_optimiser(Kernels<float>& kernels);

// About how many elements of light work (a load, a few operations, a store) are worth a second thread.
constexpr Size kGrain = 16384;

// How many rows of `cols` elements make one grain.
constexpr Size row_grain(Size cols, Size grain = kGrain) { return cols > 0 ? (grain + cols - 1) / cols : grain; }

}  // namespace dragoman::kernels::cpu_filling
