#pragma once

#include <fmt/core.h>

#include <random>
#include <string>

namespace dragoman {

// An identifier that cannot be guessed: 128 random bits of the system, in the usual form of a UUID.
inline std::string random_id() {
  std::random_device system;
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", system(), system() & 0xffffU, system() & 0xfffU,
                     0x8000U | (system() & 0x3fffU), system() & 0xffffU, system());
}

}  // namespace dragoman
