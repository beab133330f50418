#pragma once

#include <string>

namespace dragoman::comm {

// The introduction that a process sends when it joins.
struct Hello {
  std::string version{}, host{}, token{};
  int rank = 0, size = 0;
  bool watches = false;  // the second connection of a rank, for signs of life

  std::string serialize() const;
  // Throws Error unless the bytes have this form.
  static Hello parse(const std::string& bytes);
};

}  // namespace dragoman::comm
