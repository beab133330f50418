#pragma once

#include "kernels/cuda/products/sums.cuh"
#include "kernels/cuda/rows/activation.cuh"

namespace dragoman::kernels::cuda::sums {

// c = activation(alpha a b + bias), or added to c.
template <bool kTransposed, bool kSteadyWeight>
struct Put {
  static constexpr int kGroups = 1;
  static constexpr bool kBack = !kTransposed, kSteady = kSteadyWeight, kApart = false;
  float alpha;
  Activation activation;
  bool accumulate;
  const bf16* bias;
  bf16* c;
  Size c_stride;

  struct Given {
    Raw4 bias, c;
  };
  __device__ Given bring(Size row, Size col) const {
    return {load4(bias != nullptr ? bias + col : nullptr), load4(accumulate ? c + row * c_stride + col : nullptr)};
  }
  __device__ void finish(Size row, Size col, const Given& given, Sums<kGroups, kApart>& sums) const {
    Four value = sums[0][0];
#pragma unroll
    for (int e = 0; e < 4; ++e) value[e] *= alpha;
    value += given.bias;
    value += given.c;
    if (activation != Activation::none)
#pragma unroll
      for (int e = 0; e < 4; ++e) value[e] = activated(activation, value[e]);
    store4(c + row * c_stride + col, value);
  }
};

}  // namespace dragoman::kernels::cuda::sums
