#pragma once

#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace dragoman::search {

// Words that name one thing and mean nothing else, in order: IBANs in groups of four, BICs, UUIDs, hashes, MAC and
// IPv6 addresses, ISO times.
std::vector<text::Span> find_identifiers(std::string_view text);

}  // namespace dragoman::search
