#include "run/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace dragoman::run {
namespace {

// Terminals obey DEL and C1 controls (U+0080 to U+009F), which JSON may contain as they are.
std::string without_controls(const std::string& json) {
  std::string text;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const auto next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
    if (byte == 0x7F) {
      text += "\\u007f";
    } else if (byte == 0xC2 && next < 0xA0) {
      text += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      text += json[i];
    }
  }
  return text;
}

}  // namespace

std::string to_text(const nlohmann::ordered_json& json, int indent) {
  return without_controls(json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace dragoman::run
