#pragma once

#include <cstdint>
#include <string>

#include "dragoman/translator.h"

// Pictures of one translation as SVG files. `line` is for error messages.
namespace dragoman::run {

// The tree of all hypotheses that were in the beam.
std::string draw_beam(std::uint64_t line, const Request& request, const TranslationResult& result);

// The attention of the best translation: over the source and, if the model has it, over the decoder's own past.
std::string draw_attention(std::uint64_t line, const TranslationResult& result);

}  // namespace dragoman::run
