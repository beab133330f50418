#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <span>

#include "kernels/types.h"

// Pinned host buffers through which small arrays are copied to and from a GPU.
namespace dragoman::kernels::cuda {

// A double buffer for uploads. An event per half marks when the GPU has read it; only then is the half written again.
// Arrays that are adjacent in GPU memory, but for padding that may be overwritten, are merged into one transfer, which
// is sent before the next kernel.
class Staging {
 public:
  static constexpr std::size_t kSize = std::size_t{16} << 20, kHalf = kSize / 2;

  bool has_pending() const { return pending_ > 0; }
  // Whether an array can be merged with the pending ones.
  bool can_merge(const void* to, std::size_t bytes) const {
    return has_pending() && may_pad_ && static_cast<const char*>(to) == to_ + pending_ && fits_half(bytes);
  }
  // Whether an array would go to the other half; everything staged must be submitted to the stream first.
  bool changes_half(std::size_t bytes) const { return memory_ != nullptr && !fits_half(bytes); }
  // Stages an array of at most kHalf bytes; requires that nothing is pending or that can_merge() is true. `may_pad`:
  // the bytes after the array in GPU memory, up to the next multiple of 256, may be overwritten.
  void put(void* to, const void* from, std::size_t bytes, bool may_pad, cudaStream_t stream);

  struct Transfer {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  // Returns the pending bytes as one transfer and clears them. With padding, the size is a multiple of 16.
  Transfer take();

 private:
  // Whether an array fits after the previous one in the same half.
  bool fits_half(std::size_t bytes) const;
  char* reserve(std::size_t bytes, cudaStream_t stream);

  char* memory_ = nullptr;
  std::size_t at_ = 0;
  std::array<cudaEvent_t, 2> read_{};     // per half: the GPU has read it
  char *to_ = nullptr, *from_ = nullptr;  // of the pending bytes
  std::size_t pending_ = 0, last_ = 0;    // bytes with padding, and bytes of the last array without
  bool may_pad_ = false;
};

// A buffer for downloads.
class ReturnBuffer {
 public:
  // Whether all arrays fit at once.
  static bool fits(std::span<const HostCopy> copies);
  // Starts copying from the GPU to the buffer, with one transfer per run of adjacent arrays.
  void request(std::span<const HostCopy> copies, cudaStream_t stream);
  // Copies from the buffer to the destinations; called after a synchronisation with the stream.
  void deliver(std::span<const HostCopy> copies) const;

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 20;

  char* memory_ = nullptr;
};

}  // namespace dragoman::kernels::cuda
