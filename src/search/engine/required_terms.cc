#include "search/engine/required_terms.h"

#include <algorithm>
#include <bit>
#include <map>

#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

constexpr std::size_t kMostPlaced = 16;  // terms of a sentence; each may take a search

std::size_t count_targets(const RequiredTerm& term, std::string_view text) {
  return count_whole(text, term.target, term.ending) +
         (term.other.empty() ? 0 : count_whole(text, term.other, term.ending));
}

// Whether the word of `text` that begins at byte `begin`, or after a space there, is the term.
bool stands_at(const RequiredTerm& term, std::string_view text, std::size_t begin) {
  begin = std::min(text.find_first_not_of(' ', begin), text.size());
  const std::size_t end = text.find(' ', begin + std::min(term.target.size(), text.size() - begin));
  return count_targets(term, text.substr(begin, end - begin)) > 0;
}

// Whether a term replaces another one, an address or a number that is a part of it.
bool contains_other(const RequiredTerm& term, const RequiredTerm& other) {
  return (other.ending == Ending::none || other.ending == Ending::no_digit) &&
         term.source.size() > other.source.size() && term.source.find(other.source) != std::string::npos &&
         term.target.find(other.target) != std::string::npos;
}

}  // namespace

std::vector<RequiredTerm> list_terms(std::string_view text, const Terms& terms) {
  const std::vector<std::vector<text::Span>> places = find_terms(text, terms);
  std::map<std::string_view, std::size_t> times;  // of each target
  std::size_t most = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::size_t count = std::max<std::size_t>(places[i].size(), 1);
    times[trimmed(terms[i].second)] += count;
    most = std::max(most, count);
  }
  std::vector<RequiredTerm> list;
  for (std::size_t round = 0; round < most; ++round)
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const bool has_place = round < places[i].size();
      if (round > 0 && (!has_place || list.size() >= kMostPlaced)) continue;
      RequiredTerm& term = list.emplace_back();
      term = {terms[i].first, std::string(trimmed(terms[i].second))};
      term.ending = ending_of(term.target);
      if (has_place) term.place = places[i][round];
      term.times = times[term.target];
    }
  return list;
}

void RequiredTerms::add(RequiredTerm term) {
  const text::Tokenizer& target = model_->target();
  Spelling spelling = spell_in_sentence(target, term.target);
  std::string decoded = target.decode(spelling.ids);
  decoded.erase(0, decoded.find_first_not_of(' '));
  std::erase_if(terms_, [&](const Term& other) { return contains_other(term, other.required); });
  for (Term& other : terms_) other.was_placed = false;
  const bool is_exact = decoded == term.target && (!is_in_capitals_ || text::upper_case(term.target) == term.target);
  Tokens others = term.other.empty() ? Tokens() : spell_in_sentence(target, term.other).ids;
  if (others.size() != spelling.ids.size()) others.clear();
  terms_.push_back({std::move(term), std::move(spelling), std::move(others), is_exact});
  std::vector<Tokens> sequences, others_of_all;
  std::vector<Ending> endings;
  for (const Term& one : terms_) {
    sequences.push_back(one.spelling.ids);
    others_of_all.push_back(one.others);
    endings.push_back(one.required.ending);
  }
  constraints_ =
      Constraints(std::move(sequences), std::move(endings), model_->target_edges(), std::move(others_of_all));
}

bool RequiredTerms::cover(std::string_view text) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const Term& term) { return term.required.source.find(text) != std::string::npos; });
}

Constraints RequiredTerms::constraint(const PlacedTerm& placed) const {
  return {{placed.ids}, {placed.ending}, model_->target_edges(), {placed.others}};
}

void RequiredTerms::add_tokens(Tokens& ids) const {
  for (const Term& term : terms_) {
    ids.insert(ids.end(), term.spelling.ids.begin(), term.spelling.ids.end());
    ids.insert(ids.end(), term.others.begin(), term.others.end());
  }
}

bool RequiredTerms::all_are_exact() const {
  return std::all_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.is_exact; });
}

bool RequiredTerms::can_be_placed() const { return !terms_.empty() && terms_.size() <= kMostPlaced && all_are_exact(); }

// A term that was placed may have become a part of a longer word if its ending allows it.
bool RequiredTerms::is_missing(const Term& term, std::string_view text) {
  const RequiredTerm& required = term.required;
  const std::size_t count = count_targets(required, text);
  if (count >= required.times || (count > 0 && term.was_placed)) return false;
  const std::size_t at = text.find(required.target);
  return !term.was_placed || at == std::string_view::npos ||
         !is_kept(required.ending, text.substr(at + required.target.size()));
}

bool RequiredTerms::are_missing_in(std::string_view translation) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) { return is_missing(term, translation); });
}

std::optional<TermPlace> RequiredTerms::find_place(const Term& term, const TermContext& context,
                                                   std::span<const int> words, std::size_t fixed) const {
  text::Span source;
  if (term.required.place) {
    source = *term.required.place;
  } else {
    const std::size_t begin = find_word(context.source, term.required.source);
    if (begin == std::string::npos) return std::nullopt;
    source = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + term.required.source.size())};
  }
  std::optional<TermPlace> place = find_term_place(context.attention, context.source_spans, source, words, fixed);
  if (place && place->start + term.spelling.ids.size() > static_cast<std::size_t>(context.max_length)) place.reset();
  return place;
}

// A term in small letters that begins the translation instead of a word with a capital has one, too.
Tokens RequiredTerms::spell_at(const Term& term, const TermPlace& place, std::string_view translation) const {
  const std::string& words = term.spelling.text;
  const bool is_first = place.start == 0 && !translation.empty() && !words.empty();
  if (!is_first || !text::is_upper(text::code_point_at(translation, 0).code) || text::lower_case(words) != words)
    return term.spelling.ids;
  const std::size_t first = text::code_point_at(words, 0).length;
  const Spelling with_capital =
      spell(model_->target(), text::upper_case(words.substr(0, first)).append(words.substr(first)));
  return model_->target().decode(with_capital.ids) == with_capital.text ? with_capital.ids : term.spelling.ids;
}

// The token after a placed term is kept, too: it may depend on the ending of the term.
std::optional<PlacedTerm> RequiredTerms::place(const TermContext& context, const std::optional<PlacedTerm>& placed) {
  const text::Tokenizer& target = model_->target();
  const std::string text = target.decode(context.ids);
  const std::vector<text::Span> spans = target_spans(target, context.ids, text);
  const std::vector<int> words = words_of(text, spans);
  std::size_t fixed = context.prefix;
  if (placed) fixed = placed->place.start + placed->ids.size() + (placed->ending == Ending::any ? 0 : 1);
  fixed = std::min(fixed, context.ids.size());
  std::optional<TermPlace> leftmost;
  Term* next = nullptr;
  for (Term& term : terms_) {
    if (!is_missing(term, context.translation)) continue;
    std::optional<TermPlace> place = term.was_placed ? std::nullopt : find_place(term, context, words, fixed);
    const bool is_met = count_targets(term.required, context.translation) > 0;
    if (is_met && (!place || stands_at(term.required, text, spans[place->start].begin))) {
      term.was_placed = true;
      continue;
    }
    if (!place) return std::nullopt;
    step_back(*place, context.ids, term.spelling.ids, fixed);
    if (leftmost && leftmost->start <= place->start) continue;
    leftmost = place;
    next = &term;
  }
  if (next == nullptr) return std::nullopt;
  next->was_placed = true;
  const auto begin = context.ids.begin();
  Tokens ids = spell_at(*next, *leftmost, context.translation);
  return PlacedTerm{.ending = next->required.ending,
                    .place = *leftmost,
                    .ids = ids,
                    .others = ids.size() == next->others.size() ? next->others : Tokens(),
                    .fixed = {begin, begin + static_cast<std::ptrdiff_t>(leftmost->fixed)}};
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
