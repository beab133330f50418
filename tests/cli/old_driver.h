#pragma once

#include <cstdlib>
#include <string>

#include "kernels/cuda/cuda.h"

namespace dragoman::cli {

// During its lifetime, programs find a CUDA 11.2 driver before any other.
class WithOldDriver {
 public:
  WithOldDriver() { setenv(kVariable, (DRAGOMAN_OLD_DRIVER ":" + before_).c_str(), 1); }
  ~WithOldDriver() { setenv(kVariable, before_.c_str(), 1); }
  WithOldDriver(const WithOldDriver&) = delete;
  WithOldDriver& operator=(const WithOldDriver&) = delete;

  // The message that programs then print.
  static std::string sentence() {
    const std::string& problem = kernels::cuda::problem();
    if (problem.find("without CUDA") != std::string::npos) return problem;
    return "the NVIDIA driver is too old: it knows CUDA 11.2, this program needs";
  }

 private:
  static constexpr const char* kVariable = "LD_LIBRARY_PATH";
  static std::string value() {
    const char* const now = std::getenv(kVariable);
    return now != nullptr ? now : "";
  }

  std::string before_ = value();
};

}  // namespace dragoman::cli
