#pragma once

#include <cstddef>
#include <string_view>

#include "document/segment.h"

namespace dragoman::document {

// The first URL (with http, https, ftp or mailto, or beginning with "www."), domain (example.org) or e-mail address in
// `text` from byte `begin` on. Punctuation after it does not belong to it. {text.size(), text.size()} if there is none.
// In markup, an address may contain "&amp;" and ends before any other reference.
Range find_address(std::string_view text, std::size_t begin);

// The same without domains, or a run of emoji: what documents keep out of the text to translate.
Range find_kept(std::string_view text, std::size_t begin);
// What was found from byte `begin` on, with the brackets or quotation marks directly around it, which a translation of
// the rest would lose.
Range with_marks(std::string_view text, std::size_t begin, Range found);
Range find_kept_with_marks(std::string_view text, std::size_t begin);

}  // namespace dragoman::document
