#pragma once

#include "kernels/cuda/device.cuh"

// One unit of an LSTM; see the reference for the equations.
namespace dragoman::kernels::cuda {

struct LstmUnit {
  float i, f, g, o, c, h;
};

__device__ inline LstmUnit lstm_unit(float i, float f, float g, float o, float c_before) {
  LstmUnit u{sigmoid(i), sigmoid(f), tanhf(g), sigmoid(o), 0, 0};
  u.c = u.f * c_before + u.i * u.g;
  u.h = u.o * tanhf(u.c);
  return u;
}

struct LstmUnitGradient {
  float i, f, g, o, c_before;
};

// Gates after their activations in, gradients of the values before them out.
__device__ inline LstmUnitGradient lstm_unit_backward(float i, float f, float g, float o, float c_before, float c,
                                                      float dh, float dc) {
  const float tanh_c = tanhf(c);
  const float total = dc + dh * o * (1 - tanh_c * tanh_c);
  return {total * g * i * (1 - i), total * c_before * f * (1 - f), total * i * (1 - g * g), dh * tanh_c * o * (1 - o),
          total * f};
}

// A whole layer in one launch, and the one beside it in the same, in bf16 where its size allows it; false where it does
// not. The gradient of the weight is left to the caller.
bool lstm_on_tensor_cores(const LstmLayer<bf16>& a);
bool lstm_on_tensor_cores(const LstmLayerBackward<bf16>& b);

}  // namespace dragoman::kernels::cuda
