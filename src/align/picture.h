#pragma once

#include <span>
#include <string>

#include "align/decode.h"

namespace dragoman::align {

// A sentence pair's alignment matrix for a terminal: source words down, target words across. Links are full blocks;
// other cells have one of four shades by their posterior (PairPosteriors::both).
std::string draw_text(std::span<const std::string> source, std::span<const std::string> target, const Links& links,
                      const PairPosteriors& posteriors);

}  // namespace dragoman::align
