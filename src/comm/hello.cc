#include "comm/hello.h"

#include <array>
#include <charconv>
#include <sstream>

#include "base/error.h"
#include "base/quote.h"

namespace dragoman::comm {
namespace {

constexpr const char* kMagic = "dragoman rank 1";

int number_of(const std::string& text) {
  int number = -1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  check(status == std::errc() && end == text.data() + text.size() && number >= 0, "expected a number but got '{}'",
        excerpt(text));
  return number;
}

}  // namespace

std::string Hello::serialize() const {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n", kMagic, version, host, token, rank, size, watches ? 1 : 0);
}

Hello Hello::parse(const std::string& bytes) {
  std::istringstream in(bytes);
  std::array<std::string, 7> lines;
  for (std::string& line : lines) check(bool(std::getline(in, line)), "expected {} lines", lines.size());
  check(lines[0] == kMagic, "expected '{}'", kMagic);
  return {.version = lines[1],
          .host = escaped(lines[2]),
          .token = lines[3],
          .rank = number_of(lines[4]),
          .size = number_of(lines[5]),
          .watches = number_of(lines[6]) == 1};
}

}  // namespace dragoman::comm
