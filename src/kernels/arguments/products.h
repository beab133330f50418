#pragma once

#include "kernels/types.h"

// Matrix products: linear layers, packed weights, grouped products, projections along the length.
namespace dragoman::kernels {

// y = activation(x W + b). W is [in, out], or [out, in] when `transposed`.
template <class T>
struct Linear {
  Size rows = 0, in = 0, out = 0;
  bool transposed = true;
  Activation activation = Activation::none;
  const T* x = nullptr;       // [rows, in]
  const T* weight = nullptr;  // [out, in] or [in, out]
  const T* bias = nullptr;    // [out], optional
  T* y = nullptr;             // [rows, out]
  T* z = nullptr;             // [rows, out], optional: the input of the activation, where needs_input()
};

template <class T>
struct LinearBackward {
  Size rows = 0, in = 0, out = 0;
  bool transposed = true;
  Activation activation = Activation::none;
  const T* x = nullptr;       // [rows, in]
  const T* weight = nullptr;  // as forward
  const T* saved = nullptr;   // [rows, out]: z where needs_input(), otherwise y; unused for none
  const T* dy = nullptr;      // [rows, out]
  T* dz = nullptr;            // [rows, out]: workspace, unless the activation is none
  T* dx = nullptr;            // [rows, in], optional
  bool accumulate_dx = false;
  Stat<T>* dweight = nullptr;  // as weight, optional
  Stat<T>* dbias = nullptr;    // [out], optional
};

// Packs a weight into the layout of linear_packed: an opaque array, written once and read by every call.
//
// A narrow format also rounds the activations, row by row. bf16: both factors are rounded to nearest, sums are f32.
// int8: a column of W becomes whole numbers -127 .. 127 times largest |w| / 127, and a row of x likewise; sums are
// exact, and y = b + sum * (scale of the row * scale of the column). A row with a NaN or an infinity gives NaN.
template <class T>
struct PackWeight {
  Size in = 0, out = 0;
  WeightFormat format = WeightFormat::same;
  bool transposed = true;     // as Linear
  const T* weight = nullptr;  // [out, in] or [in, out]
  // Instead of `weight`, on the CPU: a weight [out, in] that is int8 or bf16 already, which is packed without rounding
  // it again.
  const std::int8_t* numbers = nullptr;  // [out, in]
  const float* scales = nullptr;         // [out], of `numbers`
  const bf16* halves = nullptr;          // [out, in]
  void* packed = nullptr;                // optional: null to ask for the size only
  Size* bytes = nullptr;                 // optional: the size of `packed`
};

// y = activation(x W + b) with a packed weight. A row of y has the same bits whatever the other rows are and whatever
// the number of threads is.
template <class T>
struct LinearPacked {
  Size rows = 0, in = 0, out = 0;
  WeightFormat format = WeightFormat::same;
  Activation activation = Activation::none;
  const T* x = nullptr;          // [rows, in]
  const void* packed = nullptr;  // of [in, out]
  const T* bias = nullptr;       // [out], optional
  T* y = nullptr;                // [rows, out]
};

// Some columns of a packed weight as a packed weight of its own, of the size that PackWeight gives for [in, count]. On
// the CPU, products with it have the bits of the same columns of products with the whole weight.
template <class T>
struct PickColumns {
  Size in = 0, out = 0, count = 0;
  WeightFormat format = WeightFormat::same;
  const T* weight = nullptr;              // [out, in]: what was packed
  const void* packed = nullptr;           // of [in, out]
  const std::int32_t* columns = nullptr;  // [count], each in [0, out)
  void* picked = nullptr;                 // of [in, count]
};

// The numbers of some columns of a packed weight, one column per row of y: what the weight was rounded to.
template <class T>
struct UnpackColumns {
  Size in = 0, out = 0, count = 0;
  WeightFormat format = WeightFormat::same;
  const void* packed = nullptr;           // of [in, out]
  const std::int32_t* columns = nullptr;  // [count], each in [0, out)
  T* y = nullptr;                         // [count, in]
};

// Top-k of the logits x W + b of every row and the log-sum-exp of the whole row; the [rows, out] matrix is never
// written. Equal logits are ordered by id. The bits of a row do not depend on the others, as in linear_packed.
template <class T>
struct TopScores {
  Size rows = 0, in = 0, out = 0, best = 0;
  WeightFormat format = WeightFormat::same;
  const T* x = nullptr;          // [rows, in]
  const void* packed = nullptr;  // of [in, out]
  const T* bias = nullptr;       // [out], optional
  Stat<T>* log_sum = nullptr;    // [rows]
  Stat<T>* scores = nullptr;     // [rows, best], best first; -inf where no id is left
  std::int32_t* ids = nullptr;   // [rows, best]; -1 where no id is left
};

// One product of a group: c[m, n] = op(a) op(b). Each matrix starts at an element offset into its array and has a row
// stride.
struct Product {
  Size m = 0, n = 0, k = 0;
  Size a = 0, b = 0, c = 0;
  Size a_stride = 0, b_stride = 0, c_stride = 0;
};

// A group of products of possibly different sizes: batched (equal sizes) or segmented (one per sentence). No two
// products of a group write the same element.
template <class T>
struct Matmul {
  Size count = 0;
  const Product* products = nullptr;
  bool transposed_a = false;  // a is stored [k, m]
  bool transposed_b = false;  // b is stored [n, k]
  double alpha = 1;
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  bool accumulate = false;
};

// Linformer's projection of every sentence along its length (Wang et al. 2020), by one matrix or by two. For projection
// p and a sentence of n rows from offsets[s] on:
// y[p][s * mixtures + i] = sum over j < n of projections[p][i, j] x[offsets[s] + j].
template <class T>
struct ProjectLength {
  Size sentences = 0, mixtures = 0, size = 0;  // size: columns of x
  Size longest = 0;                            // rows of the longest sentence
  Size length = 0;                             // columns of a projection, at least as many
  const std::int32_t* offsets = nullptr;       // [sentences + 1]
  const T* projections[2] = {};                // [mixtures, length] each, the second optional
  const T* x = nullptr;                        // [rows, x_stride]
  Size x_stride = 0;
  T* y[2] = {};  // [sentences * mixtures, size], one per projection

  constexpr Size parts() const { return projections[1] != nullptr ? 2 : 1; }
};

template <class T>
struct ProjectLengthBackward {
  ProjectLength<T> forward;
  const T* dy[2] = {};  // [sentences * mixtures, size], one per projection; null stands for zeros
  T* dx = nullptr;      // [rows, dx_stride], optional
  Size dx_stride = 0;
  bool accumulate_dx = false;
  Stat<T>* dprojections[2] = {};  // [mixtures, length] each, optional, added to
};

}  // namespace dragoman::kernels
