#include "run/term_list.h"

#include <algorithm>
#include <set>

#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::run {

TermList::TermList(std::vector<Term> terms) : terms_(std::move(terms)) {
  for (std::size_t i = 0; i < terms_.size(); ++i) places_.push_back({i, terms_[i].first.size(), kNone});
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
std::vector<TermList::Term> TermList::in(std::string_view text, std::size_t most) const {
  std::set<std::size_t> found;
  if (terms_.empty()) return {};
  for (std::size_t begin = 0; begin < text.size(); begin += text::code_point_at(text, begin).length) {
    if (!search::stands_alone(text, begin, text.size())) continue;
    const std::string_view rest = text.substr(begin);
    const auto after = std::upper_bound(places_.begin(), places_.end(), rest,
                                        [this](std::string_view a, const Place& b) { return a < source(b); });
    if (after == places_.begin()) continue;
    const std::string_view last = source(*(after - 1));
    const auto common = static_cast<std::size_t>(
        std::mismatch(rest.begin(), rest.end(), last.begin(), last.end()).first - rest.begin());
    if (common == 0) continue;
    for (auto at = static_cast<std::size_t>(after - places_.begin() - 1); at != kNone; at = places_[at].shorter) {
      const std::size_t length = places_[at].length;
      if (length > common || !search::stands_alone(text, begin, begin + length)) continue;
      if (found.size() < most) found.insert(places_[at].term);
    }
    if (found.size() >= most) break;
  }
  std::vector<Term> terms;
  for (const std::size_t i : found) terms.push_back(terms_[i]);
  return terms;
}

}  // namespace dragoman::run
