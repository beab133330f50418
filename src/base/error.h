#pragma once

#include <fmt/core.h>

#include "dragoman/error.h"

namespace dragoman {

// Memory ran out; the caller may try again with smaller pieces.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

// Throws Error with the formatted message. The template only collects the arguments, so that every file compiles
// little; the formatting itself is compiled once.
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
