#pragma once

#include <span>
#include <vector>

#include "document/document.h"
#include "document/tag_tree.h"
#include "text/units.h"

namespace dragoman::document {

// What the units of a translation translate.
struct UnitAlignment {
  static constexpr int kNone = -1;

  std::vector<int> source;  // per unit of the translation: a unit of the segment, or kNone
  std::vector<int> node;    // per unit of the translation: the innermost node of the tree that it belongs to
};

// Takes the source of each word from the links; those of punctuation marks are unreliable. A unit without a source
// takes an unused one between those of its neighbours: a word a word, and a mark the same mark if possible. If there is
// none, it belongs to the node that contains both neighbours. Without any links, the words of the translation are
// spread evenly over those of the segment. `target` are the units of the translation.
UnitAlignment align_units(const TagTree& tree, std::string_view source_text, std::span<const text::Unit> target,
                          const Translated& translated);

}  // namespace dragoman::document
