#include "report/svg.h"

#include <fmt/core.h>

#include "base/error.h"
#include "data/utf8.h"

namespace dragoman::report {
namespace {

constexpr const char* kColourStyle =
    ":root{--ink:#1d2430;--dim:#667085;--rule:#d5dae2;--paper:#fff;--panel:#f7f8fa;--s0:#2563eb;--s1:#d9480f}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--dim:#98a2b3;--rule:#333b48;--paper:#14181f;--panel:#"
    "1c222b;"
    "--s0:#74a3ff;--s1:#ff8f5c}}";

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

}  // namespace

double text_width(std::string_view text, double font_size) {
  constexpr double kLetter = 0.6;
  return kLetter * font_size * static_cast<double>(data::count_characters(text));
}

std::string shortened(std::string_view text, std::size_t most) {
  if (data::count_characters(text) <= most) return std::string(text);
  std::size_t end = 0;
  for (std::size_t left = most; end < text.size(); ++end)
    if (starts_character(text[end]) && left-- == 1) break;
  return std::string(text.substr(0, end)) + "…";
}

std::string svg_file(std::string_view drawing, std::string_view style) {
  constexpr std::string_view kStart = "<svg";
  check(drawing.starts_with(kStart), "[svg] expected a drawing that begins with {}", kStart);
  const std::size_t content = drawing.find('>') + 1;
  return fmt::format("<svg xmlns='http://www.w3.org/2000/svg'{}<style>{}{}</style>{}",
                     drawing.substr(kStart.size(), content - kStart.size()), kColourStyle, style,
                     drawing.substr(content));
}

}  // namespace dragoman::report
