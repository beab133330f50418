#include "run/term_list.h"

#include <set>

#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::run {

TermList::TermList(std::vector<Term> terms) : terms_(std::move(terms)) {
  std::set<std::size_t> lengths;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    by_source_[terms_[i].first].push_back(i);
    lengths.insert(terms_[i].first.size());
  }
  lengths_.assign(lengths.begin(), lengths.end());
}

std::vector<TermList::Term> TermList::in(std::string_view text) const {
  std::set<std::size_t> found;
  if (terms_.empty()) return {};
  std::string words;
  for (std::size_t begin = 0; begin < text.size(); begin += text::code_point_at(text, begin).length) {
    if (!search::stands_alone(text, begin, text.size())) continue;
    for (const std::size_t length : lengths_) {
      if (begin + length > text.size()) break;
      if (!search::stands_alone(text, begin, begin + length)) continue;
      const auto source = by_source_.find(words.assign(text, begin, length));
      if (source != by_source_.end()) found.insert(source->second.begin(), source->second.end());
    }
  }
  std::vector<Term> terms;
  for (const std::size_t i : found) terms.push_back(terms_[i]);
  return terms;
}

}  // namespace dragoman::run
