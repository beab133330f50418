#pragma once

#include "document/paragraph.h"
#include "document/references.h"

namespace dragoman::document {

// Adds text with character references to a paragraph. Runs of white space count as one space.
void add_markup_text(std::string_view document, Range bytes, Markup markup, Paragraph& paragraph);

}  // namespace dragoman::document
