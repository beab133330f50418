#pragma once

#include <string>
#include <vector>

#include "dragoman/translator.h"

namespace dragoman::report {

// The beam search for one sentence: every hypothesis that was ever in the beam (TranslationResult::tree).
struct BeamTree {
  std::vector<TreeNode> nodes;  // parents come before their children; the first one is the root
  std::string title;            // usually the source sentence
  int most_per_step = 8;        // further hypotheses of a step are counted but not drawn
};

// Draws the tree as SVG for an HTML page, from left to right with one column per step. The path of the best translation
// is the straight line at the top. Hypotheses that were dropped from the beam are dimmed. The number below a token is
// the log probability of the hypothesis up to it, and a thicker edge means a more probable token; complete hypotheses
// have their rank and score. The colours are CSS variables of the page (--ink, --dim, --rule, --paper, --s0), with
// those of light mode as a default.
std::string draw(const BeamTree& tree);
// The same drawing as an SVG file, light or dark as the viewer prefers.
std::string draw_file(const BeamTree& tree);

}  // namespace dragoman::report
