#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <span>

#include "kernels/types.h"

// Pinned host memory that small arrays pass through on their way to and from a GPU.
namespace dragoman::kernels::cuda {

// A ring buffer for uploads, in two halves. An event per half marks when the GPU has read it; the half is not written
// again before that. Adjacent arrays are merged into one transfer, which is sent before the next kernel: the GPU memory
// between two of them is padding that may be overwritten.
class Staging {
 public:
  static constexpr std::size_t kSize = std::size_t{16} << 20, kHalf = kSize / 2;

  bool has_pending() const { return pending_ > 0; }
  // Whether an array can be merged with the pending ones.
  bool can_merge(const void* to, std::size_t bytes) const {
    return has_pending() && may_pad_ && static_cast<const char*>(to) == to_ + pending_ && fits_half(bytes);
  }
  // Whether an array goes to the other half; everything staged must have been sent to the stream before.
  bool changes_half(std::size_t bytes) const { return memory_ != nullptr && !fits_half(bytes); }
  // Stages at most kHalf bytes; either nothing is pending or can_merge() is true. `may_pad`: the GPU's bytes behind the
  // array, up to the next multiple of 256, may be overwritten.
  void put(void* to, const void* from, std::size_t bytes, bool may_pad, cudaStream_t stream);

  struct Transfer {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  // The pending bytes as one transfer; nothing is pending afterwards. With padding, its size is a multiple of 16.
  Transfer take();

 private:
  // Whether the array fits behind the previous one, in the same half.
  bool fits_half(std::size_t bytes) const;
  char* reserve(std::size_t bytes, cudaStream_t stream);

  char* memory_ = nullptr;
  std::size_t at_ = 0;
  std::array<cudaEvent_t, 2> read_{};     // per half
  char *to_ = nullptr, *from_ = nullptr;  // of the pending bytes
  std::size_t pending_ = 0, last_ = 0;    // bytes with padding, and bytes of the last array without
  bool may_pad_ = false;
};

// A buffer for downloads.
class ReturnBuffer {
 public:
  // Whether all of them fit at once.
  static bool fits(std::span<const HostCopy> copies);
  // Copies to the buffer, one transfer per run of adjacent arrays.
  void request(std::span<const HostCopy> copies, cudaStream_t stream);
  // Copies from the buffer to where the arrays go; after a synchronisation with the stream.
  void deliver(std::span<const HostCopy> copies) const;

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 20;

  char* memory_ = nullptr;
};

}  // namespace dragoman::kernels::cuda
