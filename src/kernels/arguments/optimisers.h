#pragma once

#include "kernels/types.h"

// Sums and optimisers over flat buffers.
namespace dragoman::kernels {

// result = the sum of x^2. `result` is in the memory of the device, like all arrays.
template <class T>
struct SumSquares {
  Size count = 0;
  const Stat<T>* x = nullptr;
  double* result = nullptr;
};

// to += scale * the sum of x.
template <class T>
struct AddSum {
  Size count = 0;
  const T* x = nullptr;
  double scale = 1;
  double* to = nullptr;
};

// Gradient clipping: gradients with a norm (the square root of `squares`) above `limit` are scaled down to it. Without
// squares or with limit 0 they are used as they are.
struct Clipping {
  const double* squares = nullptr;
  double limit = 0;
};
// The factor of the gradients; the host must be able to read the squares.
double clipping_factor(const Clipping& clip);

// Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019). `step` counts from 1. Decoupled weight decay subtracts
// rate * weight_decay * weight; otherwise weight_decay * weight is added to the gradient.
template <class T>
struct Adam {
  Size count = 0;
  Stat<T>* weight = nullptr;
  const Stat<T>* gradient = nullptr;
  Stat<T>* first = nullptr;   // running mean of gradients
  Stat<T>* second = nullptr;  // running mean of their squares
  bf16* copy = nullptr;       // optional: the new weights in bf16, for mixed precision
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;
  Size step = 1;
  Clipping clip{};
};

// Stochastic gradient descent: velocity = momentum * velocity + gradient; weight -= rate * velocity.
template <class T>
struct Sgd {
  Size count = 0;
  Stat<T>* weight = nullptr;
  const Stat<T>* gradient = nullptr;
  Stat<T>* velocity = nullptr;  // optional: null for no momentum
  bf16* copy = nullptr;         // optional, as for Adam
  double rate = 1e-2, momentum = 0, weight_decay = 0;
  Clipping clip{};
};

}  // namespace dragoman::kernels
