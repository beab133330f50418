#pragma once

#include <stdexcept>

#include "dragoman/export.h"

namespace dragoman {

// The exception type of the library. The message says what was expected, what was found, and where.
class DRAGOMAN_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dragoman
