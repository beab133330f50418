#include "kernels/cuda/runtime/staging.h"

#include <cstring>

#include "kernels/cuda/runtime/runtime.h"

namespace dragoman::kernels::cuda {
namespace {

std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

char* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check_status(cudaMallocHost(&memory, bytes), "staging memory");
  return static_cast<char*>(memory);
}

}  // namespace

void Staging::put(void* to, const void* from, std::size_t bytes, bool may_pad, cudaStream_t stream) {
  char* staged = reserve(bytes, stream);
  std::memcpy(staged, from, bytes);
  if (!has_pending()) to_ = static_cast<char*>(to), from_ = staged;
  last_ = bytes;
  may_pad_ = may_pad;
  pending_ = static_cast<std::size_t>(staged - from_) + padded(bytes);
}

Staging::Transfer Staging::take() {
  const std::size_t bytes = pending_ - padded(last_) + (may_pad_ ? (last_ + 15) / 16 * 16 : last_);
  pending_ = 0;
  return {to_, from_, bytes};
}

bool Staging::fits_half(std::size_t bytes) const {
  const std::size_t end = at_ + padded(bytes);
  return at_ <= kHalf ? end <= kHalf : end <= kSize;
}

char* Staging::reserve(std::size_t bytes, cudaStream_t stream) {
  bytes = padded(bytes);
  if (memory_ == nullptr) {
    memory_ = allocate_pinned(kSize);
    for (cudaEvent_t& event : read_) check_status(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  }
  const bool leaves_first = at_ < kHalf && at_ + bytes > kHalf;
  const bool leaves_second = at_ + bytes > kSize;
  if (leaves_first || leaves_second) {
    check_status(cudaEventRecord(read_[leaves_second], stream), "event");
    at_ = leaves_second ? 0 : kHalf;
    check_status(cudaEventSynchronize(read_[!leaves_second]), "event");
  }
  char* staged = memory_ + at_;
  at_ += bytes;
  return staged;
}

bool ReturnBuffer::fits(std::span<const HostCopy> copies) {
  std::size_t bytes = 0;
  for (const HostCopy& one : copies) bytes += padded(one.bytes);
  return bytes <= kSize;
}

void ReturnBuffer::request(std::span<const HostCopy> copies, cudaStream_t stream) {
  if (memory_ == nullptr) memory_ = allocate_pinned(kSize);
  char* staged = memory_;
  for (std::size_t i = 0; i < copies.size();) {
    const auto* from = static_cast<const char*>(copies[i].from);
    std::size_t bytes = copies[i++].bytes;
    for (; i < copies.size() && copies[i].from == from + bytes && bytes == padded(bytes); ++i) bytes += copies[i].bytes;
    if (bytes > 0) check_status(cudaMemcpyAsync(staged, from, bytes, cudaMemcpyDeviceToHost, stream), "copy");
    staged += padded(bytes);
  }
}

void ReturnBuffer::deliver(std::span<const HostCopy> copies) const {
  const char* staged = memory_;
  for (const HostCopy& one : copies) {
    if (one.bytes > 0) std::memcpy(one.to, staged, one.bytes);
    staged += padded(one.bytes);
  }
}

}  // namespace dragoman::kernels::cuda
