#pragma once

#include "kernels/types.h"

// Kernels over rows: gather and scatter, layer norm, softmax, rotary positions.
namespace dragoman::kernels {

// ---- moving rows --------------------------------------------------------------------------------------------------

// y[r] = scale * table[index[r]] + positions[position[r]]: embeddings, gathering rows, repeating one row.
template <class T>
struct GatherRows {
  Size rows = 0, cols = 0;
  const std::int32_t* index = nullptr;  // [rows]
  const T* table = nullptr;             // [., cols]
  double scale = 1;
  const std::int32_t* position = nullptr;  // [rows], with positions
  const T* positions = nullptr;            // [., cols], optional
  T* y = nullptr;                          // [rows, cols]
};

// dtable[index[r]] += scale * dy[r]. Rows with the same index are added in a fixed order.
template <class T>
struct ScatterRows {
  Size rows = 0, cols = 0, table_rows = 0;
  const std::int32_t* index = nullptr;  // [rows]
  double scale = 1;
  const T* dy = nullptr;              // [rows, cols]
  Stat<T>* dtable = nullptr;          // [table_rows, cols], added to
  std::int32_t* workspace = nullptr;  // [2 * rows]
};

// Copies a block of a matrix into a block of another, or adds it: concatenation, slices, and their gradients.
template <class T>
struct CopyBlock {
  Size rows = 0, cols = 0;
  const T* from = nullptr;
  Size from_stride = 0;
  T* to = nullptr;
  Size to_stride = 0;
  bool accumulate = false;
};

// ---- normalisation and softmax ------------------------------------------------------------------------------------

// s = x + dropout(branch); y = gain * (s - mean(s)) / sqrt(var(s) + epsilon) + bias, for each row.
// Without a branch, s = x: plain layer norm.
template <class T>
struct Norm {
  Size rows = 0, cols = 0;
  double epsilon = 1e-5;
  const T* x = nullptr;       // [rows, cols]
  const T* branch = nullptr;  // [rows, cols], optional
  Dropout dropout{};
  const T* gain = nullptr;  // [cols]
  const T* bias = nullptr;  // [cols]
  T* sum = nullptr;         // [rows, cols]: s; required with a branch
  T* y = nullptr;           // [rows, cols]
  Stat<T>* mean = nullptr;  // [rows]
  Stat<T>* rstd = nullptr;  // [rows]: 1 / sqrt(var + epsilon)
};

template <class T>
struct NormBackward {
  Size rows = 0, cols = 0;
  const T* sum = nullptr;  // the input of the norm: `sum` of forward, or x without a branch
  const T* gain = nullptr;
  const Stat<T>* mean = nullptr;
  const Stat<T>* rstd = nullptr;
  const T* dy = nullptr;
  const T* dsum = nullptr;  // optional: the gradient of `sum` from elsewhere (the residual path)
  Dropout dropout{};
  T* dx = nullptr;  // optional
  bool accumulate_dx = false;
  T* dbranch = nullptr;  // optional
  bool accumulate_dbranch = false;
  Stat<T>* dgain = nullptr;  // optional
  Stat<T>* dbias = nullptr;  // optional
};

// y = softmax(x) over each row. Rows have `cols` elements, or, with `starts`, row r is elements starts[r] ..
// starts[r + 1] of a ragged array. An empty row is skipped. x and y may be the same array.
template <class T>
struct Softmax {
  Size rows = 0, cols = 0;
  const std::int32_t* starts = nullptr;  // [rows + 1], optional
  const T* x = nullptr;
  T* y = nullptr;
};

// dx = y * (dy - sum(y * dy)).
template <class T>
struct SoftmaxBackward {
  Size rows = 0, cols = 0;
  const std::int32_t* starts = nullptr;
  const T* y = nullptr;
  const T* dy = nullptr;
  T* dx = nullptr;
  bool accumulate_dx = false;
};

// Softmax cross-entropy with label smoothing: from logits to losses and, in place, to the gradient of the logits.
//   loss = (1 - smoothing) * -log p(target) + smoothing * mean over classes of -log p(class)
//   logits become gradient_scale * (p - q), q the smoothed target distribution, unless gradient_scale is 0.
template <class T>
struct CrossEntropy {
  Size rows = 0, classes = 0;
  T* logits = nullptr;                    // [rows, classes]
  const std::int32_t* targets = nullptr;  // [rows]
  double smoothing = 0;
  double gradient_scale = 0;
  Stat<T>* loss = nullptr;  // [rows]
  Stat<T>* nll = nullptr;   // [rows]: -log p(target)
};

// ---- positions ----------------------------------------------------------------------------------------------------

// Rotary position embedding (Su et al. 2021): in every head the pair (x[i], x[i + size / 2]) is rotated by the angle
// position * 10000^(-2 i / size); `inverse` rotates back, which is also the gradient.
template <class T>
struct Rotate {
  Size rows = 0, heads = 0, size = 0;      // size: of one head, even
  const std::int32_t* position = nullptr;  // [rows]
  const T* x = nullptr;                    // [rows, heads * size], rows x_stride apart
  Size x_stride = 0;
  T* y = nullptr;
  Size y_stride = 0;
  bool inverse = false, accumulate = false;
};

}  // namespace dragoman::kernels
