#pragma once

#include "kernels/cuda/runtime/device.cuh"

namespace dragoman::kernels::cuda {

// As in the reference; gelu(x) = x Phi(x).
__device__ inline float activated(Activation activation, float x) {
  switch (activation) {
    case Activation::none: return x;
    case Activation::relu: return x > 0 ? x : (x != x ? x : 0.0f);
    case Activation::gelu: return x * 0.5f * erfcf(-x * 0.70710678118654752f);
    case Activation::silu: return x * sigmoid(x);
    case Activation::tanh: return tanhf(x);
    case Activation::sigmoid: return sigmoid(x);
  }
  return x;
}

// The derivative of the activation. `saved` is its input where needs_input(activation), otherwise its result.
__device__ inline float activation_slope(Activation activation, float saved) {
  switch (activation) {
    case Activation::none: return 1;
    case Activation::relu: return saved > 0 ? 1.0f : 0.0f;
    case Activation::gelu:
      return 0.5f * erfcf(-saved * 0.70710678118654752f) + saved * expf(-saved * saved / 2) * 0.39894228040143268f;
    case Activation::silu: {
      const float s = sigmoid(saved);
      return s * (1 + saved * (1 - s));
    }
    case Activation::tanh: return 1 - saved * saved;
    case Activation::sigmoid: return saved * (1 - saved);
  }
  return 1;
}

}  // namespace dragoman::kernels::cuda
