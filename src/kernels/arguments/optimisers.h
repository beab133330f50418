#pragma once

#include "kernels/types.h"

// Sums and optimisers over one flat buffer.
namespace dragoman::kernels {

// result = the sum of x^2; a number in the memory of the kernels, like everything else.
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

// Gradients whose norm, the root of `squares`, is above `limit` are brought down to it. Without squares or with limit 0
// they stay as they are.
struct Clipping {
  const double* squares = nullptr;
  double limit = 0;
};
// What they are multiplied by, where the host may read the squares.
double clipping_factor(const Clipping& clip);

// Adam (Kingma and Ba) and AdamW (Loshchilov and Hutter). `step` counts from 1. Decoupled decay takes
// rate * weight_decay of the weight away; otherwise the decay is added to the gradient.
template <class T>
struct Adam {
  Size count = 0;
  Stat<T>* weight = nullptr;
  const Stat<T>* gradient = nullptr;
  Stat<T>* first = nullptr;   // running mean of gradients
  Stat<T>* second = nullptr;  // running mean of their squares
  bf16* copy = nullptr;       // optional: the new weights as products read them in mixed precision
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
  Stat<T>* velocity = nullptr;  // optional: without it there is no momentum
  bf16* copy = nullptr;         // optional, as for Adam
  double rate = 1e-2, momentum = 0, weight_decay = 0;
  Clipping clip{};
};

}  // namespace dragoman::kernels
