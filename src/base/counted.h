#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstdint>
#include <string_view>

namespace dragoman {

// A number of things in a message, with commas: "1 line", "2,000 lines". Formatted only when the message is needed;
// must not outlive the words.
struct Counted {
  std::uint64_t count;
  std::string_view thing, plural;  // no plural: the thing with an s
};
template <std::integral N>
Counted counted(N count, std::string_view thing, std::string_view plural = {}) {
  return {static_cast<std::uint64_t>(count), thing, plural};
}

}  // namespace dragoman

template <>
struct fmt::formatter<dragoman::Counted> : fmt::formatter<fmt::string_view> {
  format_context::iterator format(const dragoman::Counted& counted, format_context& context) const;
};
