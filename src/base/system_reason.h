#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace dragoman {

// In a message: why the last system call failed. errno is read when the message is made, hence after the condition of
// check(); std::strerror(errno) beside a condition that makes the call may be evaluated before it.
inline constexpr struct SystemReason { } system_reason; }  // namespace dragoman

template <>
struct fmt::formatter<dragoman::SystemReason> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(dragoman::SystemReason, Context& context) const {
    return fmt::formatter<std::string_view>::format(std::strerror(errno), context);
  }
};
