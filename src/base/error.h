#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace dragoman {

// The one exception type of the program. The message says what was expected, what came, and where.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// There is no memory left for something that may be tried again in smaller pieces.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

// Throws Error with the formatted message unless `condition` holds.
template <class... Args>
void check(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) [[unlikely]]
    fail(format, std::forward<Args>(args)...);
}

}  // namespace dragoman
