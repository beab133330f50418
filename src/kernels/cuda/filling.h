#pragma once

#include "kernels/contract.h"

// Every file of kernels fills its entries of the table, for float and for bf16.
namespace dragoman::kernels::cuda {

template <class T>
void fill_linear(Kernels<T>& kernels);
template <class T>
void fill_packed(Kernels<T>& kernels);
template <class T>
void fill_matmul(Kernels<T>& kernels);
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
void fill_row_program(Kernels<T>& kernels);
template <class T>
void fill_elementwise(Kernels<T>& kernels);
template <class T>
void fill_optimiser(Kernels<T>& kernels);

}  // namespace dragoman::kernels::cuda
