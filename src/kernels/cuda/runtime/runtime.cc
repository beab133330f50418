#include "kernels/cuda/runtime/runtime.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/error.h"
#include "base/machine.h"
#include "kernels/cuda/runtime/lane.h"

namespace dragoman::kernels::cuda {
namespace {

bool common = false;

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

OnGpu::~OnGpu() {
  try {
    enter(before_);
  } catch (const Error&) {  // the next synchronisation with that GPU reports its failure
  }
}

cudaStream_t stream() {
  Lane& mine = this_lane();
  mine.send_uploads();
  mine.kernels.before_launch(mine.stream);
  return mine.stream;
}

cudaStream_t direct_stream() { return this_lane().flush(); }

CUstream_st* submitted_stream() { return direct_stream(); }

void* driver_function(const char* name, unsigned version) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check_status(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found), name);
  check(function != nullptr, "[cuda] the driver has no {}", name);
  return function;
}

GpuLimits gpu_limits() {
  this_lane();
  GpuLimits limits = this_runtime().limits();
  if (common) limits.capability_90 = false;
  return limits;
}

bool supports_clusters(const void* kernel, const char* name) {
  cudaFuncAttributes attributes{};
  check_status(cudaFuncGetAttributes(&attributes, kernel), name);
  return attributes.ptxVersion >= 90;
}

void set_common(bool on) { common = on; }

std::string name() {
  cudaDeviceProp properties{};
  this_lane();
  check_status(cudaGetDeviceProperties(&properties, current_gpu()), "properties");
  return properties.name;
}

std::string address() {
  std::array<char, 32> text{};
  this_lane();
  check_status(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), current_gpu()), "PCI address");
  return text.data();
}

FreeMemory free_memory() {
  FreeMemory memory;
  wait();
  check_status(cudaMemGetInfo(&memory.free, &memory.total), "memory");
  cudaMemPool_t pool = nullptr;
  check_status(cudaDeviceGetDefaultMemPool(&pool, current_gpu()), "memory pool");
  std::uint64_t reserved = 0, used = 0;
  check_status(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "memory pool");
  check_status(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "memory pool");
  memory.free += reserved - used;
  return memory;
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocAsync(&memory, std::max<std::size_t>(bytes, 256), this_lane().flush_kernels());
  if (status != cudaSuccess) {
    cudaGetLastError();
    const FreeMemory left = free_memory();
    throw OutOfMemory(fmt::format("[memory] cannot allocate {} bytes on cuda:{}: {} of {} are free", bytes,
                                  current_gpu(), left.free, left.total));
  }
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  try {
    cudaFreeAsync(memory, direct_stream());
  } catch (const Error&) {  // pending work could not be submitted; the next synchronisation reports why
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

void copy_from_host(void* to, const void* from, std::size_t bytes, bool may_pad) {
  if (bytes == 0) return;
  Lane& mine = this_lane();
  if (bytes <= Staging::kHalf / 8) {
    if (!mine.staging.can_merge(to, bytes)) mine.send_uploads();
    if (mine.staging.changes_half(bytes)) mine.flush();
    return mine.staging.put(to, from, bytes, may_pad, mine.stream);
  }
  check_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, mine.flush()), "copy from the host");
  wait();
}

}  // namespace

void copy_from_host(void* to, const void* from, std::size_t bytes) { copy_from_host(to, from, bytes, false); }
void upload(void* to, const void* from, std::size_t bytes) { copy_from_host(to, from, bytes, true); }

void copy_to_host(std::span<const HostCopy> copies) {
  Lane& mine = this_lane();
  const cudaStream_t on = mine.flush();
  if (ReturnBuffer::fits(copies)) {
    mine.returns.request(copies, on);
    wait();
    return mine.returns.deliver(copies);
  }
  for (const HostCopy& one : copies)
    if (one.bytes > 0)
      check_status(cudaMemcpyAsync(one.to, one.from, one.bytes, cudaMemcpyDeviceToHost, on), "copy to the host");
  wait();
}

void wait() {
  Lane& mine = this_lane();
  check_status(cudaStreamSynchronize(mine.flush()), "waiting for the GPU");
  mine.kernels.gpu_is_idle();
}

Delivery::Delivery(std::size_t bytes) : gpu_(current_gpu()), bytes_(bytes), memory_(allocate_shared(bytes)) {
  check_status(cudaEventCreateWithFlags(&arrived_, cudaEventDisableTiming), "event");
}

Delivery::~Delivery() {
  if (arrived_ != nullptr) cudaEventDestroy(arrived_);
  try {
    const OnGpu here(gpu_);
    release_shared(memory_);
  } catch (const Error&) {  // the GPU cannot be entered any more; the memory ends with the process
  }
}

void Delivery::send(const void* from) {
  const OnGpu here(gpu_);
  const cudaStream_t on = direct_stream();
  check_status(cudaMemcpyAsync(memory_, from, bytes_, cudaMemcpyDeviceToHost, on), "copy to the host");
  check_status(cudaEventRecord(arrived_, on), "event");
}

const void* Delivery::wait() const {
  check_status(cudaEventSynchronize(arrived_), "waiting for the GPU");
  return memory_;
}

Milestone::Milestone() : gpu_(current_gpu()) {
  check_status(cudaEventCreateWithFlags(&reached_, cudaEventDisableTiming), "event");
}

Milestone::~Milestone() {
  if (reached_ != nullptr) cudaEventDestroy(reached_);
}

void Milestone::set() {
  const OnGpu here(gpu_);
  check_status(cudaEventRecord(reached_, this_lane().flush()), "event");
}

void Milestone::await() const {
  const OnGpu here(gpu_);
  check_status(cudaStreamWaitEvent(this_lane().flush(), reached_, 0), "waiting for another stream");
}

std::size_t shared_bytes(const char* op, Size numbers) {
  constexpr Size kMost = Size{200} << 10;
  // The compiler vectorises reads of shared memory: the last four floats may extend beyond the array.
  const Size bytes = (numbers + 3) / 4 * 4 * static_cast<Size>(sizeof(float));
  check(bytes <= kMost, "[{}] a sentence of {} tokens does not fit into the shared memory of a block of the GPU", op,
        numbers);
  return static_cast<std::size_t>(bytes);
}

void* scratch_bytes(Scratch purpose, std::size_t bytes) {
  ScratchMemory& mine = this_lane().scratch[static_cast<std::size_t>(purpose)];
  if (mine.size < bytes) {
    release(mine.memory);
    mine = {};  // stays empty if the allocation throws
    const std::size_t size = std::max<std::size_t>(bytes + bytes / 2, std::size_t{1} << 16);
    mine = {allocate(size), size};
    if (purpose == Scratch::tickets) clear(mine.memory, mine.size);
  }
  return mine.memory;
}

unsigned* tickets(Size count) { return scratch<unsigned>(Scratch::tickets, count); }

}  // namespace dragoman::kernels::cuda
