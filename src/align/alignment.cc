#include "align/alignment.h"

#include <algorithm>

#include "base/error.h"

namespace dragoman::align {

void sort_links(Links& links) {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

bool has_link(const Links& links, int source, int target) {
  return std::binary_search(links.begin(), links.end(), Link{source, target});
}

std::string to_pharaoh(const Links& links) {
  std::string text;
  for (const Link& link : links) text += fmt::format("{}{}-{}", text.empty() ? "" : " ", link.source, link.target);
  return text;
}

Links parse_pharaoh(const std::string& line, const std::string& where) {
  eval::SentenceLinks parsed = eval::parse_links(line, {}, where);
  Links links = std::move(parsed.sure);
  links.insert(links.end(), parsed.possible.begin(), parsed.possible.end());
  sort_links(links);
  return links;
}

void check_links(const Links& links, std::size_t source_words, std::size_t target_words, const std::string& where) {
  for (const Link& link : links) {
    const bool exists = link.source >= 0 && link.target >= 0 && static_cast<std::size_t>(link.source) < source_words &&
                        static_cast<std::size_t>(link.target) < target_words;
    check(exists, "{}: the link {}-{} points outside the pair, which has {} source and {} target words", where,
          link.source, link.target, source_words, target_words);
  }
}

Links swap_sides(const Links& links) {
  Links swapped;
  swapped.reserve(links.size());
  for (const Link& link : links) swapped.push_back({link.target, link.source});
  sort_links(swapped);
  return swapped;
}

}  // namespace dragoman::align
