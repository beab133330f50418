// The CUDA interface of a program built without CUDA: problem() says so, and everything else fails with that sentence.
#include "base/error.h"
#include "kernels/cuda/cuda.h"

namespace dragoman::kernels::cuda {

const std::string& problem() {
  static const std::string sentence = "this program was built without CUDA";
  return sentence;
}

int count() { return 0; }
int current_gpu() { return 0; }
void enter(int) { fail("{}", problem()); }
OnGpu::~OnGpu() = default;
std::string name() { return {}; }
std::string address() { return {}; }
FreeMemory free_memory() { return {}; }
void* allocate(std::size_t) { fail("{}", problem()); }
void release(void*) {}
void* allocate_shared(std::size_t) { fail("{}", problem()); }
void release_shared(void*) {}
void copy_from_host(void*, const void*, std::size_t) { fail("{}", problem()); }
void upload(void*, const void*, std::size_t) { fail("{}", problem()); }
void copy_to_host(std::span<const HostCopy>) { fail("{}", problem()); }
void clear(void*, std::size_t) { fail("{}", problem()); }
void wait() {}
CUstream_st* submitted_stream() { fail("{}", problem()); }
Delivery::Delivery(std::size_t bytes) : bytes_(bytes) { fail("{}", problem()); }
Delivery::~Delivery() = default;
void Delivery::send(const void*) {}
const void* Delivery::wait() const { return memory_; }
Milestone::Milestone() { fail("{}", problem()); }
Milestone::~Milestone() = default;
void Milestone::set() {}
void Milestone::await() const {}
bool set_tf32(bool) { return false; }
void set_common(bool) {}

const Kernels<float>& f32() {
  static const Kernels<float> empty("cuda");
  return empty;
}
const Kernels<double>& wide() {
  static const Kernels<double> empty("cuda");
  return empty;
}
const Kernels<bf16>& half() {
  static const Kernels<bf16> empty("cuda");
  return empty;
}

}  // namespace dragoman::kernels::cuda
