#include "serve/term_collector.h"

#include "search/words.h"
#include "serve/http_message.h"
#include "text/unicode.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kMostTerms = 10'000, kLongestTerm = 1024;

bool is_good(const std::string& term) { return term.size() <= kLongestTerm && search::count_display_words(term) > 0; }

// Tabs, line ends and escape sequences: a translation is one line of text.
bool has_control_characters(std::string_view term) {
  for (std::size_t at = 0; at < term.size();) {
    const text::CodePoint point = text::code_point_at(term, at);
    if (point.code < 0x20 || (point.code >= 0x7F && point.code < 0xA0)) return true;
    at += point.length;
  }
  return false;
}

}  // namespace

void TermCollector::add(const std::string& source, const std::string& target) {
  if (!is_good(source) || !is_good(target))
    throw HttpError(400, fmt::format("term {}: expected a source term and a target term of 1 to {} bytes",
                                     terms_.size() + 1, kLongestTerm));
  if (has_control_characters(source) || has_control_characters(target))
    throw HttpError(400, fmt::format("term {}: expected no tabs, line ends or other control characters in a term",
                                     terms_.size() + 1));
  const auto [place, is_new] = places_.try_emplace(source, terms_.size());
  if (!is_new) {
    terms_[place->second].second = target;
    return;
  }
  if (terms_.size() == kMostTerms) throw HttpError(400, fmt::format("expected at most {} terms", kMostTerms));
  terms_.emplace_back(source, target);
}

void TermCollector::add(const run::TermList& terms) {
  for (const auto& [source, target] : terms.all()) add(source, target);
}

std::shared_ptr<const run::TermList> TermCollector::finish() && {
  return std::make_shared<run::TermList>(std::move(terms_));
}

}  // namespace dragoman::serve
