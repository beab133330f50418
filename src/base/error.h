#pragma once

#include <fmt/core.h>

#include "dragoman/error.h"

namespace dragoman {

// Thrown when memory runs out; the caller may retry with smaller pieces.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

// Throws Error with the formatted message. Formatting is compiled once, in error.cc; the template below only collects
// the arguments, which keeps compile times short.
[[noreturn]] void fail_with(fmt::string_view format, fmt::format_args args);
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  fail_with(format, fmt::make_format_args(args...));
}

// Throws unless `condition` holds.
template <class... Args>
void check(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) [[unlikely]]
    fail_with(format, fmt::make_format_args(args...));
}

}  // namespace dragoman
