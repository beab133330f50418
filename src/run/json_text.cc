#include "run/json_text.h"

#include <nlohmann/json.hpp>

namespace dragoman::run {

std::string to_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace dragoman::run
