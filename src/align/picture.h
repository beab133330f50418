#pragma once

#include <functional>
#include <span>
#include <string>

#include "align/alignment.h"

// Pictures of one pair's alignment: source words down, target words across.
namespace dragoman::align {

struct PictureWords {
  std::span<const std::string> source, target;
};

// How dark a place is, 0 to 1.
using Shade = std::function<float(int source, int target)>;

// For a terminal. Places are shaded in four steps; links are drawn full.
std::string draw_text(const PictureWords& words, const Links& links, const Shade& shade);
// A drawing of its own, with a frame around each link.
std::string draw_svg(const PictureWords& words, const Links& links, const Shade& shade);

}  // namespace dragoman::align
