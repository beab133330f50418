#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dragoman::run {

// JSON as text, on one line or indented. Bytes that are not UTF-8, such as a byte-level token or a file name can have,
// become U+FFFD; control characters are escaped.
std::string to_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace dragoman::run
