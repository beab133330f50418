#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eval/alignment_error.h"

// Which words of a sentence pair translate each other.
namespace dragoman::align {

// Words counted from 0.
using eval::Link;

// One sentence pair's links, sorted by source and then target word, each once.
using Links = std::vector<Link>;

void sort_links(Links& links);

// Pharaoh text: "0-0 1-2 2-1"; an empty line has no links.
std::string to_pharaoh(const Links& links);
// Sorted and free of duplicates. Sure ("3-4") and possible ("3p4") links both count. `where` names the line in errors.
Links parse_pharaoh(const std::string& line, const std::string& where);

// Fails unless every link joins words that exist.
void check_links(const Links& links, std::size_t source_words, std::size_t target_words, const std::string& where);

// The same links with the sides exchanged.
Links swap_sides(const Links& links);

}  // namespace dragoman::align
