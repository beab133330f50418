#include "run/term_list.h"

#include <algorithm>
#include <set>

#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::run {

TermList::TermList(std::vector<Term> terms) : terms_(std::move(terms)) {
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    places_.push_back({i, terms_[i].first.size(), kNone});
    longest_ = std::max(longest_, terms_[i].first.size());
  }
  std::stable_sort(places_.begin(), places_.end(),
                   [this](const Place& a, const Place& b) { return source(a) < source(b); });
  for (std::size_t i = 1; i < places_.size(); ++i) {
    std::size_t shorter = i - 1;
    while (shorter != kNone && !source(places_[i]).starts_with(source(places_[shorter])))
      shorter = places_[shorter].shorter;
    places_[i].shorter = shorter;
  }
}

// All sources that a text begins with are also beginnings of the last source that is not greater than the text.
template <class F>
void TermList::each_beginning(std::string_view text, F&& use) const {
  const auto after = std::upper_bound(places_.begin(), places_.end(), text,
                                      [this](std::string_view a, const Place& b) { return a < source(b); });
  if (after == places_.begin()) return;
  const std::string_view last = source(*(after - 1));
  const auto common =
      static_cast<std::size_t>(std::mismatch(text.begin(), text.end(), last.begin(), last.end()).first - text.begin());
  if (common == 0) return;
  for (auto at = static_cast<std::size_t>(after - places_.begin() - 1); at != kNone; at = places_[at].shorter)
    if (places_[at].length <= common) use(places_[at]);
}

std::vector<TermList::Term> TermList::in(std::string_view text, std::size_t most) const {
  std::set<std::size_t> found;
  std::string other;  // the text from a capital on, with a small letter
  std::size_t length = 0;
  for (std::size_t begin = 0; begin < text.size() && found.size() < most && !terms_.empty(); begin += length) {
    const text::CodePoint first = text::code_point_at(text, begin);
    length = first.length;
    if (!search::stands_alone(text, begin, text.size())) continue;
    each_beginning(text.substr(begin), [&](const Place& place) {
      if (found.size() < most && search::stands_alone(text, begin, begin + place.length)) found.insert(place.term);
    });
    const char32_t small = text::to_lower(first.code);
    if (small == first.code || text::to_upper(small) != first.code) continue;
    other.clear();
    text::append_utf8(small, other);
    const std::size_t small_length = other.size();
    other += text.substr(begin + length, longest_);
    each_beginning(other, [&](const Place& place) {
      const std::size_t end = begin + length + place.length - small_length;
      if (found.size() < most && search::stands_alone(text, begin, end)) found.insert(place.term);
    });
  }
  std::vector<Term> terms;
  for (const std::size_t i : found) terms.push_back(terms_[i]);
  return terms;
}

}  // namespace dragoman::run
