#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/build.h"

// Shared by the tests of this room.
namespace dragoman::text {

inline LineSource lines_of(std::vector<std::string> lines) {
  return [lines = std::move(lines), at = std::size_t{0}](std::string& line) mutable {
    if (at == lines.size()) return false;
    line = lines[at++];
    return true;
  };
}

inline std::vector<std::int32_t> ids_of(const Tokenizer& tokenizer, std::string_view line) {
  std::vector<std::int32_t> ids;
  tokenizer.encode(line, ids);
  return ids;
}

}  // namespace dragoman::text
