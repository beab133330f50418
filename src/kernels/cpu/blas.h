#pragma once

#include <cblas.h>

#include <atomic>
#include <string>

namespace dragoman::kernels::cpu_filling {

// OpenBLAS, which is loaded when it is first used: Transformers translate without it.
struct Blas {
  decltype(&cblas_sgemm) sgemm = nullptr;
  decltype(&cblas_sgemv) sgemv = nullptr;
  decltype(&openblas_set_num_threads) set_num_threads = nullptr;
  decltype(&openblas_get_config) get_config = nullptr;
  decltype(&openblas_get_corename) get_corename = nullptr;
};

// Uses one thread. Throws Error if the library is not installed.
const Blas& blas();

// A call of a function of OpenBLAS: BlasCall()->sgemm(...). Every call that runs at the same time as others has a
// buffer of its own, and OpenBLAS asks the system for it again and again until it gets one. If there is no memory for
// it, this throws Error instead.
class BlasCall {
 public:
  BlasCall();
  ~BlasCall() { --running_; }
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;

  const Blas* operator->() const { return &blas_; }

 private:
  inline static std::atomic<int> running_ = 0;
  const Blas& blas_;
};

// The core that OpenBLAS should be told to use, because it took one without the instructions of this CPU; empty if
// none. Releases of OpenBLAS do not know CPUs that are newer than they are, and a build without the kernels of Cooper
// Lake and later CPUs takes those of Haswell for them.
std::string better_core(const std::string& core);

}  // namespace dragoman::kernels::cpu_filling
