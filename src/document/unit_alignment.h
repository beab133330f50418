#pragma once

#include <span>
#include <vector>

#include "document/tag_tree.h"
#include "dragoman/alignment.h"
#include "text/units.h"

namespace dragoman::document {

// What the units of a translation translate.
struct UnitAlignment {
  static constexpr int kNone = -1;

  std::vector<int> source;  // per unit of the translation: a unit of the segment, or kNone
  std::vector<int> node;    // per unit of the translation: the innermost node of the tree that it belongs to
};

// Takes the source of each word from the links; those of punctuation marks are unreliable. A unit without a source
// takes an unused source between those of its neighbours, words from words and marks from marks; if there is none, it
// belongs to the node that contains both neighbours. Without any links, the words of the translation are spread evenly
// over those of the segment.
UnitAlignment align_units(const TagTree& tree, std::span<const text::Unit> target, std::span<const SpanLink> links);

}  // namespace dragoman::document
