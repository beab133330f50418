#include "search/engine/term_places.h"

#include <algorithm>

namespace dragoman::search {

std::optional<TermPlace> find_term_place(const Attention& attention, std::span<const text::Span> source_tokens,
                                         text::Span source, std::span<const int> words, std::size_t fixed) {
  std::optional<TermPlace> best;
  float most = 0;
  std::size_t before = fixed, start = fixed;  // the word before the present one, and this one
  for (std::size_t t = fixed; t < words.size() && t < attention.size(); ++t) {
    if (words[t] < 0) continue;
    if (t > fixed && words[t] != words[t - 1]) {
      before = start, start = t;
      while (start > fixed && words[start - 1] < 0) --start;
    }
    float weight = 0;
    for (std::size_t s = 0; s < source_tokens.size() && s < attention[t].size(); ++s)
      if (source_tokens[s].begin < source.end && source.begin < source_tokens[s].end) weight += attention[t][s];
    if (weight <= most) continue;
    most = weight;
    best = {before, start};
  }
  return best;
}

void step_back(TermPlace& place, std::span<const std::int32_t> translation, std::span<const std::int32_t> term,
               std::size_t fixed) {
  const std::size_t most = std::min(place.start - std::min(fixed, place.start), term.size());
  for (std::size_t length = most; length > 0; --length) {
    const std::size_t start = place.start - length;
    if (!std::equal(term.begin(), term.begin() + static_cast<std::ptrdiff_t>(length),
                    translation.begin() + static_cast<std::ptrdiff_t>(start)))
      continue;
    place = {std::min(place.fixed, start), start};
    return;
  }
}

}  // namespace dragoman::search
