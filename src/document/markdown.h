#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace dragoman::document {

// The segments of a Markdown document (CommonMark with the tables, task lists, strikethrough and footnotes of GitHub).
//
// Lines of a paragraph are joined. Emphasis, links and inline HTML are tags around their text. These stay as they are:
// front matter, code blocks and code spans, HTML blocks, link destinations and reference definitions, images, footnote
// marks, formulas, template tags such as {{ name }}, and the bars of tables.
std::vector<Segment> read_markdown(std::string_view document, const Options& options);

// Appends text with a backslash before characters that would be markup.
void append_markdown_text(std::string_view text, std::string& out);

}  // namespace dragoman::document
