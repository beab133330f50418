#pragma once

#include <string_view>
#include <vector>

#include "document/document.h"

namespace dragoman::document {

// The segments of plain text. A line is a paragraph of its own, because in the texts that people paste a line break
// more often ends a heading, a list item or an address than it wraps a sentence; Split::paragraphs joins the lines
// between blank lines. Indentation, blank lines and marks of lists, quotations and headings stay as they are.
std::vector<Segment> read_text(std::string_view document, const Options& options);

}  // namespace dragoman::document
