#pragma once

#include <variant>

#include "kernels/arguments/attention.h"
#include "kernels/arguments/products.h"
#include "kernels/arguments/rows.h"

// Several entries of the contract in one call.
namespace dragoman::kernels {

template <class T>
using RowPart = std::variant<LinearPacked<T>, Norm<T>, Attention<T>>;

// A chain of layers, residual norms and attention in which no row depends on another, as in a step of a Transformer's
// decoder. The result is that of calling the parts' entries in order. A device may instead take a few rows through the
// whole chain in one launch.
//
// All parts have the same number of rows, and each reads the result of the part before it:
// - The first part is a layer; any other layer reads the result of the part before it as x.
// - A norm follows a layer, whose y is its branch. Its x is the first layer's x, the sum or y of an earlier norm, or
//   memory that the program does not write.
// - An attention follows a layer, and its queries are the first columns of the layer's y. Keys and values lie in memory
//   that the program does not write, except that with key_rows each query may read one new row: its own row of y.
// No result overlaps anything else that the program reads or writes.
template <class T>
struct RowProgram {
  Size count = 0;
  const RowPart<T>* parts = nullptr;  // [count], on the host
};

}  // namespace dragoman::kernels
