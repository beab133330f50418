#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace dragoman {

// Holds a T whose destructor never runs. For function-local statics that other static objects, or threads that nobody
// joins, may still use when the process ends: static objects are destroyed in an order that depends on their first use.
template <class T>
class NeverDestroyed {
 public:
  template <class... Arguments>
  explicit NeverDestroyed(Arguments&&... arguments) {
    new (memory_) T(std::forward<Arguments>(arguments)...);
  }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T& operator*() { return *std::launder(reinterpret_cast<T*>(memory_)); }
  T* operator->() { return &**this; }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
};

}  // namespace dragoman
