#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace dragoman::text {

// Maps bytes of a UTF-8 text to characters.
class Characters {
 public:
  explicit Characters(std::string_view text) : starts_{0} {
    for (const char byte : text) starts_.push_back(starts_.back() + ((byte & 0xC0) != 0x80));
  }
  // The number of characters that begin before a byte; all of them for a byte beyond the end.
  int before(std::size_t byte) const { return starts_[std::min(byte, starts_.size() - 1)]; }

 private:
  std::vector<int> starts_;
};

}  // namespace dragoman::text
