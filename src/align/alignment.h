#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eval/alignment_error.h"

// Word alignments of sentence pairs.
namespace dragoman::align {

// Words are numbered from 0.
using eval::Link;

// The links of one sentence pair, sorted by source word, then target word, without duplicates.
using Links = std::vector<Link>;

void sort_links(Links& links);
bool has_link(const Links& links, int source, int target);

// Pharaoh format: "0-0 1-2 2-1"; an empty line means no links.
std::string to_pharaoh(const Links& links);
// Sorted, without duplicates. Accepts sure ("3-4") and possible ("3p4") links. `where` names the line in errors.
Links parse_pharaoh(const std::string& line, const std::string& where);

// Fails unless both words of every link exist.
void check_links(const Links& links, std::size_t source_words, std::size_t target_words, const std::string& where);

// The same links with source and target exchanged.
Links swap_sides(const Links& links);

}  // namespace dragoman::align
