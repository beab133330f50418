#pragma once

#include <cstdint>

#include "kernels/contract.h"
#include "kernels/cuda/runtime/alignment.h"
#include "kernels/cuda/runtime/runtime.h"
#include "kernels/cuda/runtime/shared_memory.h"

// Device code shared by all CUDA kernels.
namespace dragoman::kernels::cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;

// ---- numbers --------------------------------------------------------------------------------------------------

// Arithmetic is in f32; T is the type in memory.
__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(bf16 x) { return __uint_as_float(std::uint32_t{x.bits} << 16); }

template <class T>
__device__ inline T rounded(float x);
template <>
__device__ inline float rounded<float>(float x) {
  return x;
}
template <>
__device__ inline bf16 rounded<bf16>(float x) {
  bf16 result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
  return result;
}

// Two numbers in one register, the first in the lower half.
__device__ inline std::uint32_t pack_bf16(float low, float high) {
  std::uint32_t result;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}
__device__ inline float low_bf16(std::uint32_t pair) { return __uint_as_float(pair << 16); }
__device__ inline float high_bf16(std::uint32_t pair) { return __uint_as_float(pair & 0xFFFF0000u); }

// y = value, or y += value.
template <class T>
__device__ inline void put(T& y, float value, bool accumulate) {
  y = rounded<T>(accumulate ? to_float(y) + value : value);
}

__device__ inline float sigmoid(float x) { return 1 / (1 + expf(-x)); }

// Eight adjacent values at an address divisible by 16.
__device__ inline void load8(const float* from, float (&to)[8]) {
  const float4 a = reinterpret_cast<const float4*>(from)[0], b = reinterpret_cast<const float4*>(from)[1];
  to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w, to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
}
__device__ inline void load8(const bf16* from, float (&to)[8]) {
  const uint4 a = *reinterpret_cast<const uint4*>(from);
  to[0] = low_bf16(a.x), to[1] = high_bf16(a.x), to[2] = low_bf16(a.y), to[3] = high_bf16(a.y);
  to[4] = low_bf16(a.z), to[5] = high_bf16(a.z), to[6] = low_bf16(a.w), to[7] = high_bf16(a.w);
}
__device__ inline void store8(float* to, const float (&from)[8]) {
  reinterpret_cast<float4*>(to)[0] = make_float4(from[0], from[1], from[2], from[3]);
  reinterpret_cast<float4*>(to)[1] = make_float4(from[4], from[5], from[6], from[7]);
}
__device__ inline uint4 pack8(const float (&from)[8]) {
  return make_uint4(pack_bf16(from[0], from[1]), pack_bf16(from[2], from[3]), pack_bf16(from[4], from[5]),
                    pack_bf16(from[6], from[7]));
}
__device__ inline void store8(bf16* to, const float (&from)[8]) { *reinterpret_cast<uint4*>(to) = pack8(from); }

// Eight values as stored in memory: a load can be in flight until the values are unpacked.
template <class T>
struct Eight {
  uint4 raw[sizeof(T) / 2];

  __device__ void load(const T* from) {
    for (unsigned i = 0; i < sizeof(T) / 2; ++i) raw[i] = reinterpret_cast<const uint4*>(from)[i];
  }
  __device__ void unpack(float (&to)[8]) const {
    if constexpr (sizeof(T) == 4) {
      for (int i = 0; i < 2; ++i) {
        to[4 * i] = __uint_as_float(raw[i].x), to[4 * i + 1] = __uint_as_float(raw[i].y);
        to[4 * i + 2] = __uint_as_float(raw[i].z), to[4 * i + 3] = __uint_as_float(raw[i].w);
      }
    } else {
      to[0] = low_bf16(raw[0].x), to[1] = high_bf16(raw[0].x), to[2] = low_bf16(raw[0].y), to[3] = high_bf16(raw[0].y);
      to[4] = low_bf16(raw[0].z), to[5] = high_bf16(raw[0].z), to[6] = low_bf16(raw[0].w), to[7] = high_bf16(raw[0].w);
    }
  }
};

inline constexpr float kLog2E = 1.44269504088896340736f;

// 2^x to 22 bits; results below 2^-126 are 0.
__device__ inline float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// ---- sums in a fixed order ------------------------------------------------------------------------------------

__device__ inline float warp_sum(float x) {
  for (int apart = kWarp / 2; apart > 0; apart /= 2) x += __shfl_xor_sync(kAllLanes, x, apart);
  return x;
}
__device__ inline double warp_sum(double x) {
  for (int apart = kWarp / 2; apart > 0; apart /= 2) x += __shfl_xor_sync(kAllLanes, x, apart);
  return x;
}
__device__ inline float warp_max(float x) {
  for (int apart = kWarp / 2; apart > 0; apart /= 2) x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, apart));
  return x;
}

// Reductions over all threads of a block; every thread gets the result. `room` has space for one number per warp.
template <class T>
__device__ inline T block_sum(T x, T* room) {
  x = warp_sum(x);
  __syncthreads();
  if (threadIdx.x % kWarp == 0) room[threadIdx.x / kWarp] = x;
  __syncthreads();
  T sum = 0;
  for (unsigned w = 0; w < blockDim.x / kWarp; ++w) sum += room[w];
  return sum;
}
__device__ inline float block_max(float x, float* room) {
  x = warp_max(x);
  __syncthreads();
  if (threadIdx.x % kWarp == 0) room[threadIdx.x / kWarp] = x;
  __syncthreads();
  float most = room[0];
  for (unsigned w = 1; w < blockDim.x / kWarp; ++w) most = fmaxf(most, room[w]);
  return most;
}

// ---- sentences ------------------------------------------------------------------------------------------------

// The sentence that contains this row; empty sentences contain none.
__device__ inline Size sentence_of(const std::int32_t* offsets, Size sentences, Size row) {
  Size low = 0, high = sentences;
  while (high - low > 1) {
    const Size middle = (low + high) / 2;
    if (offsets[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// ---- dropout --------------------------------------------------------------------------------------------------

// A Dropout with precomputed threshold and scale.
struct Drop {
  bool drops = false;
  std::uint32_t threshold = 0;
  float scale = 1;
  RandomKey key{};

  Drop() = default;
  explicit Drop(const Dropout& dropout)
      : drops(dropout.rate > 0),
        threshold(dropout.threshold()),
        scale(static_cast<float>(dropout.scale())),
        key(dropout.key) {}

  __device__ float factor(std::uint64_t element) const {
    if (!drops) return 1;
    const std::uint64_t j = element % Dropout::kGroup;
    const Philox::Block block = key.block(element / Dropout::kGroup * 4 + j % 4, Dropout::kRounds);
    const std::uint32_t word = j / 16 == 0 ? (j / 8 == 0 ? block[0] : block[1]) : (j / 8 == 2 ? block[2] : block[3]);
    return (j % 8 < 4 ? word & 0xFFFFu : word >> 16) >= threshold ? scale : 0.0f;
  }

  // Which of eight elements are kept, one bit each. `element` is the index of the first and divisible by 8. Four
  // adjacent lanes must call it together for a group of 32 elements: lane % 4 selects the eight.
  __device__ unsigned keeps8(std::uint64_t element) const {
    const unsigned eight = threadIdx.x % 4;
    const Philox::Block block = key.block(element / Dropout::kGroup * 4 + eight, Dropout::kRounds);
    unsigned kept = 0;
    for (unsigned apart = 0; apart < 4; ++apart) {
      const unsigned from = eight ^ apart;
      const std::uint32_t mine = from < 2 ? (from == 0 ? block[0] : block[1]) : (from == 2 ? block[2] : block[3]);
      const std::uint32_t word = __shfl_xor_sync(kAllLanes, mine, apart);
      kept |= ((word & 0xFFFFu) >= threshold ? 1u : 0u) << from;
      kept |= ((word >> 16) >= threshold ? 1u : 0u) << (from + 4);
    }
    return kept;
  }
};

}  // namespace dragoman::kernels::cuda
