#pragma once

#include <string>

#include "base/error.h"

namespace dragoman::recipe {

// The result of function(); the place in the recipe is put before the message of an error.
template <class Function>
auto with_place(const std::string& where, Function function) {
  try {
    return function();
  } catch (const Error& error) {
    fail("{}: {}", where, error.what());
  }
}

}  // namespace dragoman::recipe
