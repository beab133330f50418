#include "kernels/cuda/runtime/runtime.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/machine.h"
#include "kernels/cuda/runtime/collector.h"

namespace dragoman::kernels::cuda {
namespace {

// Pinned memory through which small arrays travel to the GPU. It is used from front to back; an event marks when each
// half has been read, so that a half is written again only after that. Arrays that lie side by side on the GPU, with
// nobody's bytes in between, travel together: they are sent before the next kernel.
class Staging {
 public:
  static constexpr std::size_t kSize = std::size_t{16} << 20, kHalf = kSize / 2;

  bool waits() const { return waiting_ > 0; }
  // Whether an array can travel with those that wait.
  bool follows(const void* to, std::size_t bytes) const {
    return waits() && roomy_ && static_cast<const char*>(to) == to_ + waiting_ && fits(bytes);
  }
  // Whether an array takes the place of others that must have been read: the stream then has to be settled.
  bool turns(std::size_t bytes) const { return memory_ != nullptr && !fits(bytes); }
  // At most kHalf bytes that follow what waits, or nothing waits. `roomy`: the bytes up to the next multiple of 256 may
  // be overwritten.
  void put(void* to, const void* from, std::size_t bytes, bool roomy, cudaStream_t on) {
    char* place = reserve(bytes, on);
    std::memcpy(place, from, bytes);
    if (!waits()) to_ = static_cast<char*>(to), from_ = place;
    last_ = bytes;
    roomy_ = roomy;
    waiting_ = static_cast<std::size_t>(place - from_) + padded(bytes);
  }
  struct Load {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  // What waits, which is then on its way. Where nobody's bytes follow it is whole sixteens of bytes.
  Load take() {
    const std::size_t bytes = waiting_ - padded(last_) + (roomy_ ? (last_ + 15) / 16 * 16 : last_);
    waiting_ = 0;
    return {to_, from_, bytes};
  }

  static std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  static void* pinned(std::size_t bytes) {
    void* memory = nullptr;
    check_status(cudaMallocHost(&memory, bytes), "staging memory");
    return memory;
  }

 private:
  // Whether the next place is the one behind the last.
  bool fits(std::size_t bytes) const {
    const std::size_t end = at_ + padded(bytes);
    return at_ <= kHalf ? end <= kHalf : end <= kSize;
  }
  char* reserve(std::size_t bytes, cudaStream_t on) {
    bytes = padded(bytes);
    if (memory_ == nullptr) {
      memory_ = static_cast<char*>(pinned(kSize));
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

  char* memory_ = nullptr;
  std::size_t at_ = 0;
  std::array<cudaEvent_t, 2> read_{};
  char *to_ = nullptr, *from_ = nullptr;  // what waits: where to and where it is
  std::size_t waiting_ = 0, last_ = 0;    // its bytes, padding included, and those of its last array
  bool roomy_ = false;
};

// Pinned memory through which small arrays travel back.
class Arrivals {
 public:
  static constexpr std::size_t kSize = std::size_t{1} << 20;

  // Whether all of them find room at once.
  static bool fit(std::span<const HostCopy> copies) {
    std::size_t bytes = 0;
    for (const HostCopy& one : copies) bytes += Staging::padded(one.bytes);
    return bytes <= kSize;
  }
  // They are asked for, and, once the stream has been waited for, handed over.
  void ask_for(std::span<const HostCopy> copies, cudaStream_t on) {
    if (memory_ == nullptr) memory_ = static_cast<char*>(Staging::pinned(kSize));
    char* place = memory_;
    for (std::size_t i = 0; i < copies.size();) {
      // What lies side by side travels together.
      const auto* from = static_cast<const char*>(copies[i].from);
      std::size_t bytes = copies[i++].bytes;
      for (; i < copies.size() && copies[i].from == from + bytes && bytes == Staging::padded(bytes); ++i)
        bytes += copies[i].bytes;
      if (bytes > 0) check_status(cudaMemcpyAsync(place, from, bytes, cudaMemcpyDeviceToHost, on), "copy");
      place += Staging::padded(bytes);
    }
  }
  void hand_over(std::span<const HostCopy> copies) const {
    const char* place = memory_;
    for (const HostCopy& one : copies) {
      if (one.bytes > 0) std::memcpy(one.to, place, one.bytes);
      place += Staging::padded(one.bytes);
    }
  }

 private:
  char* memory_ = nullptr;
};

bool common = false;

struct ScratchMemory {
  void* memory = nullptr;
  std::size_t size = 0;
};

// What a thread works with: a stream, what is on its way there, and memory that only this stream's work touches.
struct Lane {
  cudaStream_t stream = nullptr;
  void (*held_back)() = nullptr;
  Collector kernels;
  Staging staging;
  Arrivals arrivals;
  std::array<ScratchMemory, static_cast<std::size_t>(Scratch::count)> scratch{};

  void ask_for_held_back() {
    if (held_back != nullptr) std::exchange(held_back, nullptr)();
  }
  // The stream for getting memory: what is held back may use the stream later.
  cudaStream_t without_kernels() {
    kernels.hand_over(stream);
    return stream;
  }
  // What waits to be sent goes among the kernels that wait: it was asked for after them.
  void send() {
    if (!staging.waits()) return;
    const Staging::Load load = staging.take();
    if (load.bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(load.to) % 16 == 0) {
      kernels.expect_copy(stream);
      return fetch(load.to, load.from, load.bytes);
    }
    kernels.hand_over(stream);
    check_status(cudaMemcpyAsync(load.to, load.from, load.bytes, cudaMemcpyHostToDevice, stream), "copy from the host");
  }
  // The stream when everything asked for is there, in the order in which it was.
  cudaStream_t settled() {
    ask_for_held_back();
    send();
    kernels.hand_over(stream);
    return stream;
  }
};

// Lanes of threads that ended serve those that come later.
struct Runtime {
  std::mutex mutex;
  int gpu = 0;
  int multiprocessors = 0;
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<Lane*> free;

  Lane& take();
  void give_back(Lane& lane) {
    const std::lock_guard lock(mutex);
    free.push_back(&lane);
  }
};

Runtime& runtime() {
  static Runtime& one = *std::make_unique<Runtime>().release();  // never ends: the driver may have ended before
  return one;
}

struct Hold {
  Lane* lane = nullptr;

  ~Hold() {
    if (lane == nullptr) return;
    try {
      lane->settled();
    } catch (const Error&) {  // a GPU that fails now fails whoever waits for it next
    }
    runtime().give_back(*lane);
  }
};

Lane& lane() {
  thread_local Hold hold;
  if (hold.lane == nullptr) hold.lane = &runtime().take();
  return *hold.lane;
}

// What is released stays with the pool.
void keep_released_memory(int gpu) {
  cudaMemPool_t pool = nullptr;
  check_status(cudaDeviceGetDefaultMemPool(&pool, gpu), "memory pool");
  std::uint64_t all = ~std::uint64_t{0};
  check_status(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "memory pool");
}

std::string find_problem() {
  const int driver = cuda_driver();
  if (driver == 0) return "there is no NVIDIA driver here";
  if (driver / 1000 < CUDART_VERSION / 1000)
    return fmt::format("the NVIDIA driver is too old: it knows CUDA {}.{}, this program needs {}", driver / 1000,
                       driver % 1000 / 10, CUDART_VERSION / 1000);
  int gpus = 0;
  const cudaError_t status = cudaGetDeviceCount(&gpus);
  if (status != cudaSuccess) return fmt::format("the NVIDIA driver answers: {}", cudaGetErrorString(status));
  return gpus == 0 ? "there is no NVIDIA GPU here" : "";
}

Lane& Runtime::take() {
  check(problem().empty(), "{}", problem());
  const std::lock_guard lock(mutex);
  check_status(cudaSetDevice(gpu), "choosing the GPU");
  if (!free.empty()) {
    Lane& again = *free.back();
    free.pop_back();
    return again;
  }
  if (lanes.empty()) {
    keep_released_memory(gpu);
    check_status(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, gpu), "multiprocessors");
  }
  auto fresh = std::make_unique<Lane>();
  check_status(cudaStreamCreateWithFlags(&fresh->stream, cudaStreamNonBlocking), "stream");
  lanes.push_back(std::move(fresh));
  return *lanes.back();
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
  check(runtime().lanes.empty() || runtime().gpu == gpu, "this process works on cuda:{} already", runtime().gpu);
  runtime().gpu = gpu;
}

cudaStream_t stream() {
  Lane& mine = lane();
  mine.ask_for_held_back();
  mine.send();
  mine.kernels.expect(mine.stream);
  return mine.stream;
}

cudaStream_t direct_stream() { return lane().settled(); }

void hold_back(void (*now)()) {
  Lane& mine = lane();
  mine.settled();  // what is sent from here on was asked for later
  mine.held_back = now;
}

bool is_held_back(void (*now)()) { return lane().held_back == now; }

bool take_back(void (*now)()) {
  if (!is_held_back(now)) return false;
  lane().held_back = nullptr;
  return true;
}

void* driver_function(const char* name, unsigned version) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check_status(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found), name);
  check(function != nullptr, "[cuda] the driver has no {}", name);
  return function;
}

int multiprocessors() {
  lane();
  return runtime().multiprocessors;
}

bool knows_clusters(const void* kernel, const char* name) {
  cudaFuncAttributes attributes{};
  check_status(cudaFuncGetAttributes(&attributes, kernel), name);
  return attributes.ptxVersion >= 90;
}

bool is_capability_90() {
  static const bool is = [] {
    lane();
    int major = 0, minor = 0;
    check_status(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, runtime().gpu), "capability");
    check_status(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, runtime().gpu), "capability");
    return major == 9 && minor == 0;
  }();
  return is && !common;
}

void set_common(bool on) { common = on; }

std::string name() {
  cudaDeviceProp properties{};
  lane();
  check_status(cudaGetDeviceProperties(&properties, runtime().gpu), "properties");
  return properties.name;
}

FreeMemory free_memory() {
  FreeMemory memory;
  wait();
  check_status(cudaMemGetInfo(&memory.free, &memory.total), "memory");
  cudaMemPool_t pool = nullptr;
  check_status(cudaDeviceGetDefaultMemPool(&pool, runtime().gpu), "memory pool");
  std::uint64_t reserved = 0, used = 0;
  check_status(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "memory pool");
  check_status(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "memory pool");
  memory.free += reserved - used;
  return memory;
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocAsync(&memory, std::max<std::size_t>(bytes, 256), lane().without_kernels());
  if (status != cudaSuccess) {
    cudaGetLastError();
    const FreeMemory left = free_memory();
    throw OutOfMemory(
        fmt::format("[memory] {} bytes could not be had on cuda: {} of {} are free", bytes, left.free, left.total));
  }
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  try {
    cudaFreeAsync(memory, direct_stream());
  } catch (const Error&) {  // what waited to be sent cannot be sent any more
  }
}

void* allocate_shared(std::size_t bytes) {
  void* memory = nullptr;
  direct_stream();
  check_status(cudaMallocHost(&memory, std::max<std::size_t>(bytes, 1)), "shared memory");
  return memory;
}

void release_shared(void* memory) {
  try {
    wait();
  } catch (const Error&) {  // a GPU that fails no longer uses it
  }
  cudaFreeHost(memory);
}

namespace {

void copy_from_host(void* to, const void* from, std::size_t bytes, bool roomy) {
  if (bytes == 0) return;
  Lane& mine = lane();
  mine.ask_for_held_back();
  if (bytes <= Staging::kHalf / 8) {
    if (!mine.staging.follows(to, bytes)) mine.send();
    if (mine.staging.turns(bytes)) mine.settled();
    return mine.staging.put(to, from, bytes, roomy, mine.stream);
  }
  check_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, mine.settled()), "copy from the host");
  wait();
}

}  // namespace

void copy_from_host(void* to, const void* from, std::size_t bytes) { copy_from_host(to, from, bytes, false); }
void upload(void* to, const void* from, std::size_t bytes) { copy_from_host(to, from, bytes, true); }

void copy_to_host(std::span<const HostCopy> copies) {
  Lane& mine = lane();
  const cudaStream_t on = mine.settled();
  if (Arrivals::fit(copies)) {
    mine.arrivals.ask_for(copies, on);
    wait();
    return mine.arrivals.hand_over(copies);
  }
  for (const HostCopy& one : copies)
    if (one.bytes > 0)
      check_status(cudaMemcpyAsync(one.to, one.from, one.bytes, cudaMemcpyDeviceToHost, on), "copy to the host");
  wait();
}

void wait() {
  Lane& mine = lane();
  check_status(cudaStreamSynchronize(mine.settled()), "waiting for the GPU");
  mine.kernels.gpu_is_idle();
}

Delivery::Delivery(std::size_t bytes) : bytes_(bytes), memory_(allocate_shared(bytes)) {
  check_status(cudaEventCreateWithFlags(&arrived_, cudaEventDisableTiming), "event");
}

Delivery::~Delivery() {
  if (arrived_ != nullptr) cudaEventDestroy(arrived_);
  release_shared(memory_);
}

void Delivery::send(const void* from) {
  const cudaStream_t on = direct_stream();
  check_status(cudaMemcpyAsync(memory_, from, bytes_, cudaMemcpyDeviceToHost, on), "copy to the host");
  check_status(cudaEventRecord(arrived_, on), "event");
}

const void* Delivery::wait() const {
  check_status(cudaEventSynchronize(arrived_), "waiting for the GPU");
  return memory_;
}

std::size_t shared_bytes(const char* op, Size numbers) {
  constexpr Size kMost = Size{200} << 10;
  // Loops over shared memory are compiled to reads of four numbers, the last of which may lie behind the array.
  const Size bytes = (numbers + 3) / 4 * 4 * static_cast<Size>(sizeof(float));
  check(bytes <= kMost, "[{}] a sentence of {} tokens is longer than a block of the GPU can hold", op, numbers);
  return static_cast<std::size_t>(bytes);
}

void* scratch_bytes(Scratch purpose, std::size_t bytes) {
  ScratchMemory& mine = lane().scratch[static_cast<std::size_t>(purpose)];
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
