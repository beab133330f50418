#pragma once

#include "kernels/cuda/runtime/device.cuh"

// Blocks of a cluster write to each other's shared memory (compute capability 9.0; elsewhere nobody asks for it).
namespace dragoman::kernels::cuda {

__device__ inline std::uint32_t shared_address(const void* here) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(here));
}

// The number of this block in its cluster.
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}

// What others send to a block is counted in bytes as it arrives: whoever waits for it waits for nothing else. Turns are
// counted from 0; of each it must be said how much is expected, and no block may send for one before the receiver has
// seen the last but one. Lies in shared memory, at the same place in every block.
class Arrivals {
 public:
  // By one thread; then all threads of the cluster call begin_cluster() before anything is sent.
  __device__ void begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&state_)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }
  // By one thread.
  __device__ void expect([[maybe_unused]] std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&state_)), "r"(bytes)
                 : "memory");
#endif
  }
  // Writes to what is `here` in this block, in the block of this rank, and counts it there.
  __device__ void send([[maybe_unused]] std::uint32_t rank, [[maybe_unused]] const void* here,
                       [[maybe_unused]] const uint4& value) const {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
            at(rank, here)),
        "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(at(rank, &state_))
        : "memory");
#endif
  }
  __device__ void send(std::uint32_t rank, const void* here, const float (&value)[4]) const {
    send(rank, here,
         make_uint4(__float_as_uint(value[0]), __float_as_uint(value[1]), __float_as_uint(value[2]),
                    __float_as_uint(value[3])));
  }
  __device__ void send([[maybe_unused]] std::uint32_t rank, [[maybe_unused]] const void* here,
                       [[maybe_unused]] const float2& value) const {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(at(rank, here)),
        "f"(value.x), "f"(value.y), "r"(at(rank, &state_))
        : "memory");
#endif
  }
  // Until all that is expected in a turn is here. It lies in shared memory, of which nobody has copies: to order what
  // the block's threads do is enough.
  __device__ void wait([[maybe_unused]] int turn) const {
#if __CUDA_ARCH__ >= 900
    std::uint32_t done = 0;
    while (done == 0)
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(done)
          : "r"(shared_address(&state_)), "r"(turn % 2)
          : "memory");
#endif
  }

 private:
  __device__ static std::uint32_t at([[maybe_unused]] std::uint32_t rank, const void* here) {
    std::uint32_t there = shared_address(here);
#if __CUDA_ARCH__ >= 900
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(there) : "r"(rank));
#endif
    return there;
  }

  std::uint64_t state_;
};

// All threads of a block say that it has begun, and later wait until the other blocks have.
__device__ inline void begin_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
__device__ inline void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

}  // namespace dragoman::kernels::cuda
