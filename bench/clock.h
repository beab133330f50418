#pragma once

#include <chrono>
#include <functional>

namespace dragoman::bench {

// Wall time of `work`, in seconds.
inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace dragoman::bench
