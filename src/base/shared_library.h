#pragma once

#include <dlfcn.h>

#include "base/error.h"

namespace dragoman {

// A C library that is loaded at run time, because it may not be installed. It stays loaded: closing it would leak the
// memory that it allocated when it was loaded.
class SharedLibrary {
 public:
  // `flags` are those of dlopen().
  explicit SharedLibrary(const char* name, int flags = RTLD_LAZY) : name_(name), library_(dlopen(name, flags)) {}

  bool is_loaded() const { return library_ != nullptr; }
  // Calls a function that returns 0 on success. False if it fails, or if there is no such library or function.
  template <class... Args>
  bool call(const char* name, Args... args) const {
    if (library_ == nullptr) return false;
    using Function = int (*)(Args...);
    const auto function = reinterpret_cast<Function>(dlsym(library_, name));
    return function != nullptr && function(args...) == 0;
  }
  // Points `found` to a function or an object of the library. Throws Error if there is none; `expected` names the
  // library that has it.
  template <class Pointer>
  void find(const char* name, Pointer& found, const char* expected) const {
    found = reinterpret_cast<Pointer>(dlsym(library_, name));
    check(found != nullptr, "{} has no {}: expected {}", name_, name, expected);
  }

 private:
  const char* name_;
  void* library_;
};

}  // namespace dragoman
