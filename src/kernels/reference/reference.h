#pragma once

#include "kernels/contract.h"

// Each file of this folder fills its entries of the contract, for float and double.
namespace dragoman::kernels::reference_filling {

template <class T>
void fill_linear(Kernels<T>& kernels);
template <class T>
void fill_linear_packed(Kernels<T>& kernels);
template <class T>
void fill_top_scores(Kernels<T>& kernels);
template <class T>
void fill_project_length(Kernels<T>& kernels);
template <class T>
void fill_rows(Kernels<T>& kernels);
template <class T>
void fill_norm(Kernels<T>& kernels);
template <class T>
void fill_softmax(Kernels<T>& kernels);
template <class T>
void fill_attention(Kernels<T>& kernels);
template <class T>
void fill_lstm(Kernels<T>& kernels);
template <class T>
void fill_ssru(Kernels<T>& kernels);
template <class T>
void fill_steps(Kernels<T>& kernels);
template <class T>
void fill_elementwise(Kernels<T>& kernels);
template <class T>
void fill_optimiser(Kernels<T>& kernels);

// y = value, or y += value.
template <class T>
void put(T& y, T value, bool accumulate) {
  y = accumulate ? y + value : value;
}

template <class T>
T activate(Activation activation, T x);
// The derivative of an activation as a function of its input where needs_input(), otherwise of its output.
template <class T>
T activation_slope(Activation activation, T saved);

}  // namespace dragoman::kernels::reference_filling
