#include "kernels/cuda/runtime/lane.h"

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "kernels/cuda/runtime/check_gpu.h"

namespace dragoman::kernels::cuda {
namespace {

Runtime& runtime_of(int gpu) {
  static PerGpu<Runtime>& all = *std::make_unique<PerGpu<Runtime>>().release();
  return all.at(gpu);
}

// Makes the pool keep released memory instead of returning it to the system.
void keep_released_memory(int gpu) {
  cudaMemPool_t pool = nullptr;
  check_status(cudaDeviceGetDefaultMemPool(&pool, gpu), "memory pool");
  std::uint64_t all = ~std::uint64_t{0};
  check_status(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "memory pool");
}

int attribute_of(int gpu, cudaDeviceAttr attribute) {
  int value = 0;
  check_status(cudaDeviceGetAttribute(&value, attribute, gpu), "GPU attribute");
  return value;
}

// The current GPU of a thread, and its lane on every GPU that it has used.
class ThreadState {
 public:
  ~ThreadState() {
    for (int gpu = 0; gpu < kMostGpus; ++gpu) {
      Lane* lane = lanes_.at(gpu);
      if (lane == nullptr) continue;
      try {
        enter(gpu);
        lane->flush();
      } catch (const Error&) {  // the next synchronisation with this GPU reports its failure
      }
      runtime_of(gpu).give_back(*lane);
    }
  }

  int gpu() const { return current_.number(); }
  // Work not yet submitted to the previous GPU stays in its lane until the thread uses or waits for that GPU again.
  void enter(int gpu) {
    current_.enter(gpu, [](int next) {
      check_gpu(next, count());
      check_status(cudaSetDevice(next), "choosing the GPU");
    });
  }
  Lane& lane() {
    Lane*& mine = lanes_.at(gpu());
    if (mine == nullptr) mine = &runtime_of(gpu()).take_lane(gpu());
    return *mine;
  }

 private:
  CurrentGpu current_;
  PerGpu<Lane*> lanes_;
};

ThreadState& thread_state() {
  thread_local ThreadState mine;
  return mine;
}

}  // namespace

cudaStream_t Lane::flush_kernels() {
  kernels.submit(stream);
  return stream;
}

void Lane::send_uploads() {
  if (!staging.has_pending()) return;
  const Staging::Transfer load = staging.take();
  if (load.bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(load.to) % 16 == 0) {
    kernels.before_copy(stream);
    return fetch(load.to, load.from, load.bytes);
  }
  kernels.submit(stream);
  check_status(cudaMemcpyAsync(load.to, load.from, load.bytes, cudaMemcpyHostToDevice, stream), "copy from the host");
}

cudaStream_t Lane::flush() {
  send_uploads();
  kernels.submit(stream);
  return stream;
}

Lane& Runtime::take_lane(int gpu) {
  check(problem().empty(), "{}", problem());
  const std::lock_guard lock(mutex_);
  check_status(cudaSetDevice(gpu), "choosing the GPU");
  if (!free_.empty()) {
    Lane& again = *free_.back();
    free_.pop_back();
    return again;
  }
  if (lanes_.empty()) start(gpu);
  auto fresh = std::make_unique<Lane>();
  check_status(cudaStreamCreateWithFlags(&fresh->stream, cudaStreamNonBlocking), "stream");
  lanes_.push_back(std::move(fresh));
  return *lanes_.back();
}

void Runtime::give_back(Lane& lane) {
  const std::lock_guard lock(mutex_);
  free_.push_back(&lane);
}

void Runtime::start(int gpu) {
  keep_released_memory(gpu);
  limits_.multiprocessors = attribute_of(gpu, cudaDevAttrMultiProcessorCount);
  limits_.shared_bytes = attribute_of(gpu, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  limits_.capability_90 = attribute_of(gpu, cudaDevAttrComputeCapabilityMajor) == 9 &&
                          attribute_of(gpu, cudaDevAttrComputeCapabilityMinor) == 0;
}

int current_gpu() { return thread_state().gpu(); }
void enter(int gpu) { thread_state().enter(gpu); }

Runtime& this_runtime() { return runtime_of(current_gpu()); }
Lane& this_lane() { return thread_state().lane(); }

}  // namespace dragoman::kernels::cuda
