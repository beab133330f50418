#pragma once

#include "kernels/cuda/runtime/device.cuh"

// Distributed shared memory: blocks of a cluster write to each other's shared memory (compute capability 9.0; never
// called on other GPUs).
namespace dragoman::kernels::cuda {

__device__ inline std::uint32_t shared_address(const void* here) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(here));
}

// The rank of this block in its cluster.
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}

// A transaction barrier (mbarrier) that counts the bytes received from the blocks of a cluster. It must be at the same
// address in the shared memory of every block. It is used in turns, numbered from 0. Each turn needs one expect(). A
// block may send for turn t only after the receiver has finished wait() of turn t - 2.
class Arrivals {
 public:
  // Initialises the barrier; called by one thread. A cluster barrier must follow before anything is sent.
  __device__ void begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&state_)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }
  // Announces the number of bytes of a turn; called by one thread.
  __device__ void expect([[maybe_unused]] std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&state_)), "r"(bytes)
                 : "memory");
#endif
  }
  // Writes a value to the block of this rank (st.async), at the address that `here` has in this block. The receiver's
  // barrier counts the bytes.
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
  // Waits until all expected bytes of a turn have arrived. Acquire at block scope suffices: shared memory is not cached
  // elsewhere, so only the order of this block's own accesses matters.
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

// The cluster barrier, in two steps: all threads of all blocks arrive, and later wait for the others.
__device__ inline void arrive_at_cluster() {
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
