#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/constraints.h"
#include "search/model.h"
#include "search/surface.h"
#include "search/term_places.h"

namespace dragoman::search {

// A term that the search writes at a token, after some that are fixed.
struct PlacedTerm {
  std::size_t term = 0;
  TermPlace place{};
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

  // `source` is what the term translates, as the source writes it. No term counts as placed then.
  void add(const std::string& source, const std::string& term, Ending ending);

  std::size_t size() const { return terms_.size(); }
  // Whether the source of a term contains `text`.
  bool cover(std::string_view text) const;
  // All terms, or one of them, as sequences of tokens.
  const Constraints& constraints() const { return constraints_; }
  Constraints constraint(std::size_t term) const;
  // Adds the tokens of all terms to `ids`.
  void add_tokens(Tokens& ids) const;

  // Whether terms can be placed one by one: all of them decode to their text, and they are few.
  bool can_be_placed() const;
  // Whether the translation lacks a term.
  bool are_missing_in(std::string_view translation) const;
  // The leftmost place of a missing term, to the right of the term `placed` before; none if one of the terms has no
  // place. The term counts as placed from now on.
  std::optional<PlacedTerm> place(const TermContext& context, const std::optional<PlacedTerm>& placed);

  // The terms among the tokens from `first` on that decoding does not spell as the user did. Follows the terms as the
  // search did.
  std::vector<Literal> literals_in(std::span<const std::int32_t> ids, std::size_t first) const;

 private:
  struct Term {
    std::string source;
    Spelling spelling;
    Ending ending;
    bool is_exact;  // decoding it gives its text
    bool was_placed = false;
  };
  static bool is_missing(const Term& term, std::string_view text);
  bool all_are_exact() const;

  const Model* model_;
  bool is_in_capitals_;
  std::vector<Term> terms_;
  Constraints constraints_;
};

}  // namespace dragoman::search
