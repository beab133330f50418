#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "document/document.h"

namespace dragoman::document {

// Appends text to a document, spelled as its format requires.
using AppendText = std::function<void(std::string_view text, std::string& out)>;

// Appends the translation of a segment with the segment's tags, each of them once. They go where the words between them
// have gone; tags stay properly nested, and spaces stay on the side of a tag where they were.
void append_with_tags(const Segment& segment, std::string_view document, const Translated& translated,
                      const AppendText& append_text, std::string& out);

}  // namespace dragoman::document
