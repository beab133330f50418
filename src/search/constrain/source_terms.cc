#include "search/constrain/source_terms.h"

#include <algorithm>

#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

// Whether the character before byte `at` is `letter`, or its capital.
bool is_before(std::string_view text, std::size_t at, char32_t letter) {
  const bool is_inside_character = at < text.size() && (text[at] & 0xc0) == 0x80;
  if (is_inside_character) return false;
  const char32_t before = text::code_point_before(text, at).code;
  return before == letter || before == text::to_upper(letter);
}

// Which of the places lie inside a longer one. They must be in order of their beginnings.
std::vector<bool> find_inner(std::span<const text::Span> places) {
  std::vector<bool> inner(places.size());
  std::uint32_t reach = 0;  // the end of the places that begin earlier
  for (std::size_t first = 0; first < places.size();) {
    std::size_t last = first;
    std::uint32_t longest = 0;  // the end of those that begin here
    for (; last < places.size() && places[last].begin == places[first].begin; ++last)
      longest = std::max(longest, places[last].end);
    for (std::size_t i = first; i < last; ++i) inner[i] = places[i].end <= reach || places[i].end < longest;
    reach = std::max(reach, longest);
    first = last;
  }
  return inner;
}

}  // namespace

// Looks for what follows the first letter, so that one search finds the term with a small letter and with a capital.
std::vector<text::Span> find_term(std::string_view text, std::string_view term) {
  std::vector<text::Span> places;
  if (term.empty()) return places;
  const text::CodePoint first = text::code_point_at(term, 0);
  const std::string_view rest = term.substr(first.length);
  for (std::size_t at = text.find(rest, 1); at != text.npos && at <= text.size(); at = text.find(rest, at + 1)) {
    if (!is_before(text, at, first.code)) continue;
    const std::size_t begin = at - text::code_point_before(text, at).length, end = at + rest.size();
    const bool overlaps = !places.empty() && begin < places.back().end;
    if (overlaps || !stands_alone(text, begin, end)) continue;
    places.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  }
  return places;
}

std::vector<std::vector<text::Span>> find_terms(std::string_view text, std::span<const Terms::value_type> terms) {
  struct Found {
    text::Span place;
    std::size_t term;
  };
  std::vector<Found> all;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (const text::Span& place : find_term(text, terms[i].first)) all.push_back({place, i});
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& a, const Found& b) { return a.place.begin < b.place.begin; });
  std::vector<text::Span> places;
  for (const Found& found : all) places.push_back(found.place);
  const std::vector<bool> inner = find_inner(places);
  std::vector<std::vector<text::Span>> own(terms.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!inner[i]) own[all[i].term].push_back(all[i].place);
  return own;
}

Terms needed_terms(std::string_view text, Terms terms) {
  std::erase_if(terms, [&](const auto& term) { return term.second.empty() || find_term(text, term.first).empty(); });
  const std::vector<std::vector<text::Span>> places = find_terms(text, terms);
  Terms needed;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto has_same_source = [&](const auto& term) { return term.first == terms[i].first; };
    if (!places[i].empty() && std::none_of(needed.begin(), needed.end(), has_same_source))
      needed.push_back(std::move(terms[i]));
  }
  return needed;
}

}  // namespace dragoman::search
