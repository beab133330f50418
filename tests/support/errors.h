#pragma once

#include <functional>
#include <string>

#include "base/error.h"

namespace dragoman::support {

// The message of the Error that `action` throws.
inline std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace dragoman::support
