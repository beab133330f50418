#pragma once

#include "kernels/cuda/runtime/device.cuh"

// One unit of an LSTM; see the reference for the equations.
namespace dragoman::kernels::cuda {

struct LstmUnit {
  float i, f, g, o, c, h;
};

// How activations are computed: to full f32 accuracy, or to 1e-6 with a third of the instructions, which is still more
// accurate than bf16.
struct ExactMath {
  __device__ static float sigmoid(float x) { return cuda::sigmoid(x); }
  __device__ static float tanh(float x) { return tanhf(x); }
};
struct FastMath {
  __device__ static float sigmoid(float x) { return __fdividef(1.0f, 1.0f + __expf(-x)); }
  __device__ static float tanh(float x) { return 1 - 2 * sigmoid(-2 * x); }
};

template <class Math = ExactMath>
__device__ inline LstmUnit lstm_unit(float i, float f, float g, float o, float c_before) {
  LstmUnit u{Math::sigmoid(i), Math::sigmoid(f), Math::tanh(g), Math::sigmoid(o), 0, 0};
  u.c = u.f * c_before + u.i * u.g;
  u.h = u.o * Math::tanh(u.c);
  return u;
}

struct LstmUnitGradient {
  float i, f, g, o, c_before;
};

// Takes gates after their activations; returns gradients with respect to the values before the activations.
template <class Math = ExactMath>
__device__ inline LstmUnitGradient lstm_unit_backward(float i, float f, float g, float o, float c_before, float c,
                                                      float dh, float dc) {
  const float tanh_c = Math::tanh(c);
  const float total = dc + dh * o * (1 - tanh_c * tanh_c);
  return {total * g * i * (1 - i), total * c_before * f * (1 - f), total * i * (1 - g * g), dh * tanh_c * o * (1 - o),
          total * f};
}

// A whole layer in bf16, together with its `beside` layer, in one launch with clusters and in two without; false where
// the size is not supported. The caller computes the gradient of the weight.
bool lstm_on_tensor_cores(const LstmLayer<bf16>& a);
bool lstm_on_tensor_cores(const LstmLayerBackward<bf16>& b);

}  // namespace dragoman::kernels::cuda
