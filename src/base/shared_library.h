#pragma once

#include <dlfcn.h>

namespace dragoman {

// A C library that is loaded at run time, because it may not be installed. It stays loaded: closing it would leak the
// memory that it allocated when it was loaded.
class SharedLibrary {
 public:
  explicit SharedLibrary(const char* name) : library_(dlopen(name, RTLD_LAZY)) {}

  bool is_loaded() const { return library_ != nullptr; }
  // Calls a function that returns 0 on success. False if it fails, or if there is no such library or function.
  template <class... Args>
  bool call(const char* name, Args... args) const {
    if (library_ == nullptr) return false;
    using Function = int (*)(Args...);
    const auto function = reinterpret_cast<Function>(dlsym(library_, name));
    return function != nullptr && function(args...) == 0;
  }

 private:
  void* library_;
};

}  // namespace dragoman
