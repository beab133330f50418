#pragma once

#include "kernels/types.h"

// Element-wise kernels.
namespace dragoman::kernels {

template <class T>
struct Activate {
  Size count = 0;
  Activation activation = Activation::none;
  const T* x = nullptr;
  T* y = nullptr;
};

template <class T>
struct ActivateBackward {
  Size count = 0;
  Activation activation = Activation::none;
  const T* saved = nullptr;  // x where needs_input(), otherwise y
  const T* dy = nullptr;
  T* dx = nullptr;
  bool accumulate_dx = false;
};

// y = alpha * a + beta * b; without b, y = alpha * a. y may be a or b.
template <class T>
struct Combine {
  Size count = 0;
  double alpha = 1, beta = 1;
  const T* a = nullptr;
  const T* b = nullptr;  // optional
  T* y = nullptr;
};

// y = a * b, or y += a * b.
template <class T>
struct Multiply {
  Size count = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  T* y = nullptr;
  bool accumulate = false;
};

// y = x * dropout.factor(row, column), forward and backward alike.
template <class T>
struct DropElements {
  Size rows = 0, cols = 0;
  Dropout dropout{};
  const T* x = nullptr;
  T* y = nullptr;
  bool accumulate = false;
};

template <class T>
struct Fill {
  Size count = 0;
  T* y = nullptr;
  double value = 0;
};

template <class T>
struct ToBf16 {
  Size count = 0;
  const T* x = nullptr;
  bf16* y = nullptr;
};

template <class T>
struct FromBf16 {
  Size count = 0;
  const bf16* x = nullptr;
  T* y = nullptr;
};

// result = no element of x is infinite or NaN.
template <class T>
struct AllFinite {
  Size count = 0;
  const T* x = nullptr;
  bool* result = nullptr;
};

}  // namespace dragoman::kernels
