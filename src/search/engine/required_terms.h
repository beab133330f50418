#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/constrain/constraints.h"
#include "search/constrain/source_terms.h"
#include "search/engine/model.h"
#include "search/engine/term_places.h"
#include "search/surface.h"

namespace dragoman::search {

// What a translation must contain.
struct RequiredTerm {
  std::string source;  // what it translates, as the source writes it
  std::string target;
  Ending ending = Ending::any;
  std::string other{};                // does as well as `target`; empty if nothing does
  std::optional<text::Span> place{};  // of `source` in the source; none means the first one
  // How often the source needs the target, here and in other places. One of them must be met, the others where a word
  // of the translation comes from their source: what the source repeats, a translation may leave to a pronoun.
  std::size_t times = 1;
};

// The terms that a text needs, each once, and then again for the other places of its source, as far as all of them can
// be placed. A term whose source the end of the text cuts has no place.
std::vector<RequiredTerm> list_terms(std::string_view text, const Terms& terms);

// A term that the search writes at a token, after some that are fixed.
struct PlacedTerm {
  Ending ending = Ending::any;
  TermPlace place{};
  Tokens ids{};     // of the term; at the beginning of a sentence, it has a capital
  Tokens others{};  // instead of them
  Tokens fixed{};
};

// What a search knows of its best translation and the source when it looks for the place of a term.
struct TermContext {
  std::string_view source;
  std::span<const text::Span> source_spans;  // of its tokens
  std::span<const std::int32_t> ids;         // of the translation
  std::string_view translation;
  const Attention& attention;
  std::size_t prefix = 0;  // tokens that were forced
  int max_length = 0;
};

// The terms that the translation of one sentence must contain, with their tokens.
class RequiredTerms {
 public:
  // The translation of a text in capitals may be in capitals, whatever its tokens are (text/signs.h).
  RequiredTerms(const Model& model, bool is_in_capitals) : model_(&model), is_in_capitals_(is_in_capitals) {}

  // A term replaces addresses and numbers that are a part of it. No term counts as placed then.
  void add(RequiredTerm term);

  std::size_t size() const { return terms_.size(); }
  // Whether the source of a term contains `text`.
  bool cover(std::string_view text) const;
  // All terms, or one of them, as sequences of tokens.
  const Constraints& constraints() const { return constraints_; }
  Constraints constraint(const PlacedTerm& placed) const;
  // Adds the tokens of all terms to `ids`.
  void add_tokens(Tokens& ids) const;

  // Whether terms can be placed one by one: all of them decode to their text, and they are few.
  bool can_be_placed() const;
  // Whether the translation lacks a term.
  bool are_missing_in(std::string_view translation) const;
  // The leftmost place of a missing term, to the right of the term `placed` before. The term counts as placed from now
  // on. None if no term is missing any more, since what the source repeats has no place, or if another one has none.
  std::optional<PlacedTerm> place(const TermContext& context, const std::optional<PlacedTerm>& placed);

  // The terms among the tokens from `first` on that decoding does not spell as the user did. Follows the terms as the
  // search did.
  std::vector<Literal> literals_in(std::span<const std::int32_t> ids, std::size_t first) const;

 private:
  struct Term {
    RequiredTerm required;
    Spelling spelling;
    Tokens others;            // of the other target, if it has as many tokens
    bool is_exact;            // decoding it gives its text
    bool was_placed = false;  // or needs no place
  };
  static bool is_missing(const Term& term, std::string_view text);
  bool all_are_exact() const;
  std::optional<TermPlace> find_place(const Term& term, const TermContext& context, std::span<const int> words,
                                      std::size_t fixed) const;
  Tokens spell_at(const Term& term, const TermPlace& place, std::string_view translation) const;

  const Model* model_;
  bool is_in_capitals_;
  std::vector<Term> terms_;
  Constraints constraints_;
};

}  // namespace dragoman::search
