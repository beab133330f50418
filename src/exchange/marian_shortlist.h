#pragma once

#include <string>

#include "align/shortlist.h"

namespace dragoman::exchange {

// A lexical shortlist in Marian's binary format, as Firefox has them (lex.50.50.*.bin).
align::Shortlist read_marian_shortlist(const std::string& path, const align::Shortlist::Vocabularies& vocabularies);

}  // namespace dragoman::exchange
