#pragma once

#include <string_view>
#include <vector>

#include "search/term_endings.h"
#include "text/tokenizer.h"

namespace dragoman::search {

// A part of a source text that a translation must contain unchanged.
struct CopiedPart {
  text::Span span;
  Ending ending = Ending::any;
};

// Identifiers (search/identifiers.h), telephone numbers, ISBNs, IP addresses (with a port or a size of the network),
// version numbers, placeholders, tags without partners, command-line options and emoji, in order. Numbers of other
// kinds, dates and addresses are none of these.
std::vector<CopiedPart> find_copied(std::string_view text);

}  // namespace dragoman::search
