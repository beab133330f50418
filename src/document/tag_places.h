#pragma once

#include <span>
#include <vector>

#include "document/tag_tree.h"
#include "document/unit_alignment.h"

namespace dragoman::document {

// Where a node of a segment goes in the translation: around the units [first, last), or between two units.
struct TagPlace {
  std::size_t first = 0, last = 0;
  bool beside_previous = false;  // between two units: beside the one before instead of the one after
};

// Places every node inside its parent's place and outside those of its siblings.
//
// An element goes around the units that belong to it. If they are not together, it goes around the stretch in which
// they outnumber the others most, so that no tag is written twice. An element that has all units of its parent gets all
// of its parent's place. A node without units, or whose units have no counterpart, goes beside the counterpart of the
// unit after or before it, whichever it touches.
std::vector<TagPlace> place_tags(const TagTree& tree, std::span<const Tag> tags, std::span<const text::Unit> target,
                                 const UnitAlignment& alignment);

}  // namespace dragoman::document
