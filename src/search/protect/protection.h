#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/translator.h"
#include "search/constrain/constraints.h"
#include "store/model_file.h"

// Protection of what a translation must keep, whatever the languages are: addresses, placeholders and tags, digits, and
// an end to repetitions. A translation that loses something is searched for again, with what is lost as constraints;
// the new one counts if it lacks less and loses nothing else.
namespace dragoman::search {

// The entry of a model's card that asks for protection: "on".
inline constexpr const char* kProtectCard = "protect";

// Whether translations are protected: as the options say, or else the card of the model, if there is one. Sampling is
// not a search.
bool is_protected(const SearchOptions& options, const store::ModelInfo* model);

// What a translation lacks.
struct LostPart {
  std::string source;   // as the source has it
  std::string target;   // what the translation must contain
  std::string other{};  // or this, a number with points and commas exchanged; empty if there is no choice
  Ending ending = Ending::any;

  bool operator==(const LostPart&) const = default;
};

// Copies and numbers, each once.
std::vector<LostPart> lost_parts(std::string_view source, std::string_view translation);

// Whether a translation that lacks `now` is better than one that lacks `before`: it lacks fewer parts and no other
// ones.
bool lacks_less(std::span<const LostPart> now, std::span<const LostPart> before);

// Whether a text has words, but neither letters nor digits, as "***" and emoji: nothing to translate.
bool is_only_marks(std::string_view text);

// ---- Copies (copies.cc) ----

// A part of a source text that a translation must contain unchanged.
struct Copy {
  text::Span span;
  Ending ending = Ending::any;
};

// Addresses (URLs, domains, e-mail), paths, command-line options, placeholders (document/placeholders.h), tags, code
// between backquotes and emoji, in order. Tags are none if the text has a closing tag: where an element belongs is the
// model's to say.
std::vector<Copy> find_copies(std::string_view text);

// ---- Numbers (numbers.cc) ----

// The words with digits, outside of `copies`, whose digits the translation lacks. It may separate them as its language
// does: 1,234.5 and 1 234,5 are the same number. What languages write in other ways is not missed: numbers up to
// twelve, which may be words, the hours of another clock, and a date or a range that is taken apart.
std::vector<LostPart> find_lost_numbers(std::string_view source, std::string_view translation,
                                        std::span<const Copy> copies);

// Whether the translation `before` has digits of the source that `now` lacks, of small numbers too.
bool loses_digits(std::string_view source, std::string_view before, std::string_view now);

// ---- Loops (loops.cc) ----

// The shortest tokens that follow themselves three times or more; empty if there are none.
Tokens find_loop(std::span<const std::int32_t> ids);
// How many times in a row `loop` is in `ids`, at most.
std::size_t times_in_a_row(std::span<const std::int32_t> loop, std::span<const std::int32_t> ids);

// Whether the repetition of `loop` is a fault of the translation of `source`. The digits of a number may follow
// themselves, and so may marks if some do in the source, such as a line of dots.
bool is_fault(std::string_view loop, std::string_view source);

}  // namespace dragoman::search
