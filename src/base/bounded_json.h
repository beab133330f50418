#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"

namespace dragoman {

// Throws Error if the text is nested deeper than 32 levels or has more than a million values. The headers and
// vocabularies that this program writes have 3 levels and up to some 100,000 values. The limits keep the memory of the
// parsed values below about 100 MB plus the text, whatever the text is.
void check_json_limits(std::string_view text);

// Parses JSON that a stranger may have written: every model, checkpoint and tokenizer file is read with it.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  check_json_limits(text);
  Json value = Json::parse(text.begin(), text.end(), nullptr, false);
  check(!value.is_discarded(), "not valid JSON");
  return value;
}

}  // namespace dragoman
