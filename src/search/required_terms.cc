#include "search/required_terms.h"

#include <algorithm>
#include <bit>

#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

constexpr std::size_t kMostPlaced = 16;  // terms of a sentence; each may take a search

}  // namespace

void RequiredTerms::add(const std::string& source, const std::string& term, Ending ending) {
  const text::Tokenizer& target = model_->target();
  Spelling spelling = spell_in_sentence(target, term);
  std::string decoded = target.decode(spelling.ids);
  decoded.erase(0, decoded.find_first_not_of(' '));
  for (Term& other : terms_) other.was_placed = false;
  const bool is_exact = decoded == term && (!is_in_capitals_ || text::upper_case(term) == term);
  terms_.push_back({source, std::move(spelling), ending, is_exact});
  std::vector<Tokens> sequences;
  std::vector<Ending> endings;
  for (const Term& one : terms_) {
    sequences.push_back(one.spelling.ids);
    endings.push_back(one.ending);
  }
  constraints_ = Constraints(std::move(sequences), std::move(endings), model_->target_edges());
}

bool RequiredTerms::cover(std::string_view text) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const Term& term) { return term.source.find(text) != std::string::npos; });
}

Constraints RequiredTerms::constraint(std::size_t term) const {
  return {{terms_[term].spelling.ids}, {terms_[term].ending}, model_->target_edges()};
}

void RequiredTerms::add_tokens(Tokens& ids) const {
  for (const Term& term : terms_) ids.insert(ids.end(), term.spelling.ids.begin(), term.spelling.ids.end());
}

bool RequiredTerms::all_are_exact() const {
  return std::all_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.is_exact; });
}

bool RequiredTerms::can_be_placed() const { return !terms_.empty() && terms_.size() <= kMostPlaced && all_are_exact(); }

// A term that was placed may have become a part of a longer word.
bool RequiredTerms::is_missing(const Term& term, std::string_view text) {
  const std::string& wanted = term.spelling.text;
  if (contains_whole(text, wanted, term.ending)) return false;
  const std::size_t at = text.find(wanted);
  return !term.was_placed || at == std::string_view::npos || !is_kept(term.ending, text.substr(at + wanted.size()));
}

bool RequiredTerms::are_missing_in(std::string_view translation) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) { return is_missing(term, translation); });
}

// The token after a placed term is kept, too: it may depend on the ending of the term.
std::optional<PlacedTerm> RequiredTerms::place(const TermContext& context, const std::optional<PlacedTerm>& placed) {
  const text::Tokenizer& target = model_->target();
  const std::string text = target.decode(context.ids);
  const std::vector<int> words = words_of(text, target_spans(target, context.ids, text));
  std::size_t fixed = context.prefix;
  if (placed) {
    const Term& last = terms_[placed->term];
    fixed = placed->place.start + last.spelling.ids.size() + (last.ending == Ending::any ? 0 : 1);
    fixed = std::min(fixed, context.ids.size());
  }
  std::optional<PlacedTerm> next;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (!is_missing(term, context.translation)) continue;
    const std::size_t begin = find_word(context.source, term.source);
    if (term.was_placed || begin == std::string::npos) return std::nullopt;
    const text::Span source{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + term.source.size())};
    std::optional<TermPlace> place = find_term_place(context.attention, context.source_spans, source, words, fixed);
    if (place) step_back(*place, context.ids, term.spelling.ids, fixed);
    if (!place || place->start + term.spelling.ids.size() > static_cast<std::size_t>(context.max_length))
      return std::nullopt;
    if (!next || place->start < next->place.start) next = PlacedTerm{i, *place};
  }
  if (!next) return std::nullopt;
  terms_[next->term].was_placed = true;
  next->fixed.assign(context.ids.begin(), context.ids.begin() + static_cast<std::ptrdiff_t>(next->place.fixed));
  return next;
}

std::vector<Literal> RequiredTerms::literals_in(std::span<const std::int32_t> ids, std::size_t first) const {
  std::vector<Literal> literals;
  if (all_are_exact()) return literals;
  TermProgress progress;
  for (std::size_t i = first; i < ids.size(); ++i) {
    const std::uint64_t before = progress.met;
    progress = constraints_.after(progress, ids[i]);
    if (progress.met == before) continue;
    const Term& term = terms_[static_cast<std::size_t>(std::countr_zero(progress.met ^ before))];
    if (!term.is_exact) literals.push_back({i + 1 - term.spelling.ids.size(), &term.spelling});
  }
  return literals;
}

}  // namespace dragoman::search
