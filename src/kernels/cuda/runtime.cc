#include "kernels/cuda/runtime.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "base/error.h"

namespace dragoman::kernels::cuda {
namespace {

// Pinned memory through which small arrays travel. It is used from front to back; an event marks when each half has
// been read, so that a half is written again only after that.
class Staging {
 public:
  static constexpr std::size_t kSize = std::size_t{16} << 20, kHalf = kSize / 2;

  // A place of `bytes`, at most kHalf.
  char* reserve(std::size_t bytes, cudaStream_t on) {
    bytes = (bytes + 255) / 256 * 256;
    if (memory_ == nullptr) {
      check_status(cudaMallocHost(reinterpret_cast<void**>(&memory_), kSize), "staging memory");
      for (cudaEvent_t& event : read_) check_status(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
    }
    const bool leaves_first = at_ < kHalf && at_ + bytes > kHalf;
    const bool leaves_second = at_ + bytes > kSize;
    if (leaves_first || leaves_second) {
      check_status(cudaEventRecord(read_[leaves_second], on), "event");
      at_ = leaves_second ? 0 : kHalf;
      check_status(cudaEventSynchronize(read_[!leaves_second]), "event");
    }
    char* place = memory_ + at_;
    at_ += bytes;
    return place;
  }

 private:
  char* memory_ = nullptr;
  std::size_t at_ = 0;
  std::array<cudaEvent_t, 2> read_{};
};

struct Runtime {
  std::mutex mutex;
  int gpu = 0;
  cudaStream_t stream = nullptr;
  int multiprocessors = 0, capability = 0;
  Staging staging;
};

// Each thread has its own, so that the kernels of one call find what its first one wrote.
struct ScratchMemory {
  void* memory = nullptr;
  std::size_t size = 0;
};
thread_local std::array<ScratchMemory, static_cast<std::size_t>(Scratch::count)> scratch_memory{};

Runtime& runtime() {
  static Runtime one;
  return one;
}

// What is released stays with the pool.
void keep_released_memory(int gpu) {
  cudaMemPool_t pool = nullptr;
  check_status(cudaDeviceGetDefaultMemPool(&pool, gpu), "memory pool");
  std::uint64_t all = ~std::uint64_t{0};
  check_status(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "memory pool");
}

std::string find_problem() {
  int driver = 0, gpus = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "there is no NVIDIA driver here";
  if (driver / 1000 < CUDART_VERSION / 1000)
    return fmt::format("the NVIDIA driver is too old: it knows CUDA {}.{}, this program needs {}", driver / 1000,
                       driver % 1000 / 10, CUDART_VERSION / 1000);
  const cudaError_t status = cudaGetDeviceCount(&gpus);
  if (status != cudaSuccess) return fmt::format("the NVIDIA driver answers: {}", cudaGetErrorString(status));
  return gpus == 0 ? "there is no NVIDIA GPU here" : "";
}

}  // namespace

void check_status(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  fail("[cuda] {}: {}", what, cudaGetErrorString(status));
}

const std::string& problem() {
  static const std::string sentence = find_problem();
  return sentence;
}

int count() {
  int gpus = 0;
  if (problem().empty()) check_status(cudaGetDeviceCount(&gpus), "number of GPUs");
  return gpus;
}

void select(int gpu) {
  check(problem().empty(), "{}", problem());
  check(gpu >= 0 && gpu < count(), "there is no cuda:{}; this machine has {} GPUs", gpu, count());
  const std::lock_guard lock(runtime().mutex);
  check(runtime().stream == nullptr || runtime().gpu == gpu, "this process works on cuda:{} already", runtime().gpu);
  runtime().gpu = gpu;
}

cudaStream_t stream() {
  thread_local bool ready = false;
  Runtime& all = runtime();
  if (ready) return all.stream;
  check(problem().empty(), "{}", problem());
  const std::lock_guard lock(all.mutex);
  check_status(cudaSetDevice(all.gpu), "choosing the GPU");
  if (all.stream == nullptr) {
    keep_released_memory(all.gpu);
    const auto attribute = [&](cudaDeviceAttr which) {
      int value = 0;
      check_status(cudaDeviceGetAttribute(&value, which, all.gpu), "attributes of the GPU");
      return value;
    };
    all.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
    all.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
    check_status(cudaStreamCreateWithFlags(&all.stream, cudaStreamNonBlocking), "stream");
  }
  ready = true;
  return all.stream;
}

int multiprocessors() {
  stream();
  return runtime().multiprocessors;
}

int compute_capability() {
  stream();
  return runtime().capability;
}

std::string name() {
  cudaDeviceProp properties{};
  stream();
  check_status(cudaGetDeviceProperties(&properties, runtime().gpu), "properties");
  return properties.name;
}

MemoryState memory_state() {
  MemoryState state;
  stream();
  check_status(cudaMemGetInfo(&state.free, &state.total), "memory");
  return state;
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocAsync(&memory, std::max<std::size_t>(bytes, 256), stream());
  if (status != cudaSuccess) {
    cudaGetLastError();
    const MemoryState state = memory_state();
    fail("[memory] {} bytes could not be had on cuda: {} of {} are free", bytes, state.free, state.total);
  }
  return memory;
}

void release(void* memory) {
  if (memory != nullptr) cudaFreeAsync(memory, stream());
}

void* allocate_shared(std::size_t bytes) {
  void* memory = nullptr;
  stream();
  check_status(cudaMallocHost(&memory, std::max<std::size_t>(bytes, 1)), "shared memory");
  return memory;
}

void release_shared(void* memory) {
  wait();
  cudaFreeHost(memory);
}

void copy_from_host(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const cudaStream_t on = stream();
  if (bytes > Staging::kHalf / 8) {
    check_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, on), "copy from the host");
    return wait();
  }
  const std::lock_guard lock(runtime().mutex);
  char* staged = runtime().staging.reserve(bytes, on);
  std::memcpy(staged, from, bytes);
  check_status(cudaMemcpyAsync(to, staged, bytes, cudaMemcpyHostToDevice, on), "copy from the host");
}

void copy_to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) check_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), "copy to the host");
  wait();
}

void clear(void* memory, std::size_t bytes) {
  if (bytes > 0) check_status(cudaMemsetAsync(memory, 0, bytes, stream()), "clear");
}

void wait() { check_status(cudaStreamSynchronize(stream()), "waiting for the GPU"); }

std::size_t shared_bytes(const char* op, Size numbers) {
  constexpr Size kMost = Size{200} << 10;
  // Loops over shared memory are compiled to reads of four numbers, the last of which may lie behind the array.
  const Size bytes = (numbers + 3) / 4 * 4 * static_cast<Size>(sizeof(float));
  check(bytes <= kMost, "[{}] a sentence of {} tokens is longer than a block of the GPU can hold", op, numbers);
  return static_cast<std::size_t>(bytes);
}

void* scratch_bytes(Scratch purpose, std::size_t bytes) {
  ScratchMemory& mine = scratch_memory[static_cast<std::size_t>(purpose)];
  if (mine.size < bytes) {
    release(mine.memory);
    mine.size = std::max<std::size_t>(bytes + bytes / 2, std::size_t{1} << 16);
    mine.memory = allocate(mine.size);
    if (purpose == Scratch::tickets) clear(mine.memory, mine.size);
  }
  return mine.memory;
}

unsigned* tickets(Size count) { return scratch<unsigned>(Scratch::tickets, count); }

}  // namespace dragoman::kernels::cuda
