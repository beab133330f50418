#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace dragoman::document {

// The segments of SubRip subtitles. The lines of a subtitle are joined, because sentences go on from one to the next;
// the lines of a dialogue, which begin with a dash, are segments of their own. Numbers, times, tags such as <i> and
// positions such as {\an8} stay. Throws Error if there is text but no line of times.
std::vector<Segment> read_subtitles(std::string_view document, const Options& options);

// Breaks a text into at most `lines` lines of about the same length, at spaces.
std::string wrap_lines(std::string text, std::size_t lines);

}  // namespace dragoman::document
