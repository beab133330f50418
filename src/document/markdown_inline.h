#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "document/paragraph.h"

namespace dragoman::document {

// Labels of reference definitions: [text][label] and [label] are links only if there is one.
using MarkdownLabels = std::unordered_set<std::string>;

// As labels are compared: in lower case, with single spaces.
std::string markdown_label(std::string_view text);

// Adds the text and the markup of a Markdown paragraph to `paragraph`, and finishes it. `lines` are its lines in the
// document without indentation and marks of blocks.
void add_markdown(std::string_view document, std::span<const Range> lines, const MarkdownLabels& labels,
                  Paragraph& paragraph);

}  // namespace dragoman::document
