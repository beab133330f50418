#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "text/unicode.h"

namespace dragoman::support {

// The line generator of tests/golden/make_byte_bpe.py: lines of mixed scripts and, sometimes, of bytes that are not
// UTF-8.
class LineGenerator {
 public:
  explicit LineGenerator(std::uint64_t seed) : state_(seed) {
    std::ifstream in(DRAGOMAN_GOLDEN "/byte_bpe_fragments.txt", std::ios::binary);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("word ")) fragments_.push_back({unescape(line.substr(5)), 0, 0});
      if (line.starts_with("range ")) {
        std::istringstream numbers(line.substr(6));
        std::uint32_t first = 0, last = 0;
        numbers >> std::hex >> first >> last;
        fragments_.push_back({"", first, last});
      }
    }
  }

  std::string next() {
    std::string line;
    for (std::uint64_t count = below(15); count-- > 0;) {
      const Fragment& fragment = fragments_[below(fragments_.size())];
      if (fragment.last > 0)
        text::append_utf8(fragment.first + static_cast<char32_t>(below(fragment.last - fragment.first + 1)), line);
      else
        line += fragment.text;
      if (below(3) == 0) line += ' ';
    }
    return line;
  }

 private:
  struct Fragment {
    std::string text;
    std::uint32_t first, last;
  };

  static std::string unescape(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') {
        out += text[i];
        continue;
      }
      const char kind = text[++i];
      if (kind == 'x') {
        out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
        i += 2;
      } else if (kind == 'u') {
        const std::size_t end = text.find('}', i);
        text::append_utf8(static_cast<char32_t>(std::stoul(text.substr(i + 2, end - i - 2), nullptr, 16)), out);
        i = end;
      } else {
        out += kind == 'n' ? '\n' : kind == 't' ? '\t' : ' ';
      }
    }
    return out;
  }

  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

  std::uint64_t state_;
  std::vector<Fragment> fragments_;
};

// FNV-1a over ids of 4 bytes.
inline std::uint32_t fnv(const std::vector<std::int32_t>& ids) {
  std::uint32_t state = 0x811C9DC5u;
  for (const std::int32_t id : ids)
    for (int byte = 0; byte < 4; ++byte)
      state = (state ^ (static_cast<std::uint32_t>(id) >> (8 * byte) & 0xFFu)) * 0x01000193u;
  return state;
}

}  // namespace dragoman::support
