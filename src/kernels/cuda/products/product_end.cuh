#pragma once

#include "kernels/cuda/products/sums.cuh"
#include "kernels/cuda/rows/activation.cuh"

namespace dragoman::kernels::cuda::sums {

// The epilogue of a single product: c = activation(alpha a b + bias). With `accumulate`, the old c is added before the
// activation.
template <bool kTransposed, bool kIndependent>
struct Put {
  static constexpr int kGroups = 1;
  static constexpr bool kBack = !kTransposed, kIndependentWeights = kIndependent, kSeparate = false;
  float alpha;
  Activation activation;
  bool accumulate;
  const bf16* bias;
  bf16* c;
  Size c_stride;

  struct Operands {
    Raw4 bias, c;
  };
  __device__ Operands load_operands(Size row, Size col) const {
    return {load4(bias != nullptr ? bias + col : nullptr), load4(accumulate ? c + row * c_stride + col : nullptr)};
  }
  __device__ void finish(Size row, Size col, const Operands& operands, Sums<kGroups, kSeparate>& sums) const {
    Four value = sums[0][0];
#pragma unroll
    for (int e = 0; e < 4; ++e) value[e] *= alpha;
    value += operands.bias;
    value += operands.c;
    if (activation != Activation::none)
#pragma unroll
      for (int e = 0; e < 4; ++e) value[e] = activated(activation, value[e]);
    store4(c + row * c_stride + col, value);
  }
};

}  // namespace dragoman::kernels::cuda::sums
