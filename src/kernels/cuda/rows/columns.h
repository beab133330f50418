#pragma once

#include "kernels/contract.h"

namespace dragoman::kernels::cuda {

// to[c] += sum over rows of x[r, c], in a fixed order.
template <class T>
void add_columns(Size rows, Size cols, const T* x, float* to);

// y[r, c] = activation(row[c]), or activation(0) without a row.
template <class T>
void repeat_row(Size rows, Size cols, const T* row, Activation activation, T* y);

// y = activation(y + row), or activation(y) without a row.
template <class T>
void finish_rows(Size rows, Size cols, const T* row, Activation activation, T* y);

}  // namespace dragoman::kernels::cuda
