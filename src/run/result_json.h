#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "dragoman/translator.h"
#include "report/beam_tree.h"

// Translations as JSON.
namespace dragoman::run {

nlohmann::ordered_json to_json(const Translation& translation);

// {"line", "source", "source_tokens", "parts", "translations"} and, if there are any, "explanations".
nlohmann::ordered_json to_json(std::uint64_t line, const Request& request, const TranslationResult& result);

// The beam of a sentence: {"line", "source", "nodes"}.
nlohmann::ordered_json tree_to_json(std::uint64_t line, const Request& request, const TranslationResult& result);
// Reads such a beam, to draw it. Throws the JSON library's exception if it is damaged; the caller knows the file.
report::BeamTree tree_from_json(const nlohmann::ordered_json& json);

}  // namespace dragoman::run
