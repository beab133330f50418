#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/tokenizer.h"

// Which terms a text needs. A term is found as a whole word or several, as it is written or with a capital as its first
// letter.
namespace dragoman::search {

using Terms = std::vector<std::pair<std::string, std::string>>;  // sources and what they are translated with

// All places of a term, in order, without overlaps.
std::vector<text::Span> find_term(std::string_view text, std::string_view term);

// For each term the places that it has for itself: what lies inside a place of a longer term belongs to that one.
std::vector<std::vector<text::Span>> find_terms(std::string_view text, std::span<const Terms::value_type> terms);

// Keeps the terms that have such a place and a translation; of several with the same source, the first.
Terms needed_terms(std::string_view text, Terms terms);

}  // namespace dragoman::search
