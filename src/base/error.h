#pragma once

#include <fmt/core.h>

#include <stdexcept>

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

// Throws Error with the formatted message. The template only collects the arguments: it stands in every file, and
// what it does is compiled once.
[[noreturn]] void fail_with(fmt::string_view format, fmt::format_args args);
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  fail_with(format, fmt::make_format_args(args...));
}

// The same unless `condition` holds.
template <class... Args>
void check(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) [[unlikely]]
    fail_with(format, fmt::make_format_args(args...));
}

}  // namespace dragoman
