#pragma once

#include "kernels/contract.h"

namespace dragoman::kernels::cuda {

// to[c] += sum over rows of x[r, c], in a fixed order.
template <class T>
void add_columns(Size rows, Size cols, const T* x, float* to);

// y[r, c] = row[c], or 0 without a row; with relu, what is above 0 of it.
template <class T>
void repeat_row(Size rows, Size cols, const T* row, bool relu, T* y);

// y = y + row, or what is above 0 of it.
template <class T>
void finish_rows(Size rows, Size cols, const T* row, bool relu, T* y);

}  // namespace dragoman::kernels::cuda
