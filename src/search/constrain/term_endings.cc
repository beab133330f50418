#include "search/constrain/term_endings.h"

#include <algorithm>

#include "search/surface.h"
#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

bool is_point(char32_t code) { return code == '.' || code == ',' || code == ':'; }

// Other marks, such as slashes and hyphens, continue an address.
bool is_closing(char32_t code) {
  constexpr std::u32string_view kClosing = U".,:;!?'\")]\u2019\u201c\u201d\u00bb\u2026";
  return kClosing.find(code) != kClosing.npos;
}

TokenStart start_of(std::string_view text) {
  const std::vector<char32_t> codes = text::code_points(text);
  if (codes.empty() || text::classify(codes[0]) == text::CharClass::space) return TokenStart::space;
  if (codes[0] >= '0' && codes[0] <= '9') return TokenStart::digit;
  if (continues_word(codes[0])) return TokenStart::letter;
  if (std::all_of(codes.begin(), codes.end(), is_point)) return TokenStart::point;
  return std::all_of(codes.begin(), codes.end(), is_closing) ? TokenStart::mark : TokenStart::other;
}

// Whether there is no space between a token and the word after it, and its last character does not open that word.
// `text` is a word, the token and another word.
bool is_link(std::string_view text, std::string_view before, std::string_view after) {
  if (!text.starts_with(before) || !text.ends_with(after) || text.size() <= before.size() + after.size()) return false;
  const char32_t last = text::code_point_before(text, text.size() - after.size()).code;
  return text::is_punctuation_or_symbol(last) && !text::is_opening(last) && last != '"' && last != '\'';
}

// The same if there is nothing between two words.
bool is_glue(std::string_view text, std::string_view after) {
  return text.size() > after.size() && text.ends_with(after) &&
         continues_word(text::code_point_before(text, text.size() - after.size()).code);
}

// The letters and digits that `text` begins with.
std::string_view first_letters(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && continues_word(text::code_point_at(text, end).code))
    end += text::code_point_at(text, end).length;
  return text.substr(0, end);
}

// Whether they may be an ending of inflection.
bool is_inflection(std::string_view letters) {
  const std::vector<char32_t> codes = text::code_points(letters);
  return !codes.empty() && codes.size() <= kLongestInflection &&
         std::all_of(codes.begin(), codes.end(), [](char32_t code) {
           return text::classify(code) != text::CharClass::number && continues_word(code);
         });
}

// The number of places of `part` in `text` that `is_right` accepts.
template <class F>
std::size_t count_places(std::string_view text, std::string_view part, F&& is_right) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos && !part.empty(); at = text.find(part, at)) {
    const bool counts = is_right(at);
    count += counts ? 1 : 0;
    at += counts ? part.size() : 1;
  }
  return count;
}

}  // namespace

Ending ending_of(std::string_view term) {
  const char32_t last = text::code_point_before(term, term.size()).code;
  if (last >= '0' && last <= '9') return Ending::no_digit;
  return text::is_lower(last) || text::is_upper(last) ? Ending::inflected : Ending::any;
}

std::vector<TokenEdges> token_edges(const text::Tokenizer& tokenizer) {
  const Spelling before = spell(tokenizer, "x"), after = spell_in_sentence(tokenizer, "x");
  const std::string word = tokenizer.decode(before.ids);
  std::vector<TokenEdges> edges;
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    std::vector<std::int32_t> ids = before.ids;
    ids.push_back(id);
    const std::string text = tokenizer.decode(ids);
    ids.insert(ids.end(), after.ids.begin(), after.ids.end());
    const std::string with_next = tokenizer.decode(ids);
    const bool starts = text.starts_with(word);
    const std::string_view own = starts ? std::string_view(text).substr(word.size()) : std::string_view();
    edges.push_back({.start = starts ? start_of(own) : TokenStart::other,
                     .links = is_link(with_next, word, word),
                     .glues = is_glue(with_next, word),
                     .inflects = is_inflection(own)});
  }
  return edges;
}

bool may_precede(Ending ending, const TokenEdges& edges) {
  if (ending == Ending::any || ending == Ending::no_digit) return true;
  return !edges.glues && !(edges.links && ending == Ending::none);
}

bool may_follow(Ending ending, const TokenEdges& edges) {
  const bool continues = edges.start == TokenStart::digit || edges.start == TokenStart::letter;
  switch (ending) {
    case Ending::any: return true;
    case Ending::inflected: return !continues || edges.inflects;
    case Ending::word: return !continues;
    case Ending::no_digit: return edges.start != TokenStart::digit;
    case Ending::none: return !continues && edges.start != TokenStart::other;
  }
  return true;
}

Ending after(Ending ending, const TokenEdges& edges) {
  if (ending == Ending::inflected && edges.start == TokenStart::letter) return Ending::word;
  const bool is_open = (edges.start == TokenStart::point && (ending == Ending::no_digit || ending == Ending::none)) ||
                       (ending == Ending::none && edges.start == TokenStart::mark);
  return is_open ? ending : Ending::any;
}

bool is_kept(Ending ending, std::string_view following) {
  if (ending == Ending::inflected) {
    const std::string_view letters = first_letters(following);
    return letters.empty() || is_inflection(letters);
  }
  for (std::size_t at = 0; ending != Ending::any && at < following.size();) {
    const std::size_t length = text::code_point_at(following, at).length;
    const TokenEdges edges{.start = start_of(following.substr(at, length))};
    if (!may_follow(ending, edges)) return false;
    ending = after(ending, edges);
    at += length;
  }
  return true;
}

std::size_t count_whole(std::string_view text, std::string_view part, Ending ending) {
  const auto is_whole = [&](std::size_t at) {
    const char32_t before = at > 0 ? text::code_point_before(text, at).code : U' ';
    const std::string_view following = text.substr(at + part.size());
    if (ending == Ending::inflected) return !continues_word(before) && is_kept(ending, following);
    return stands_alone(text, at, at + part.size()) && !(ending == Ending::none && text::is_dash(before)) &&
           is_kept(ending, following);
  };
  const std::size_t count = count_places(text, part, is_whole);
  if (ending != Ending::inflected || part.empty()) return count;
  const std::size_t first = text::code_point_at(part, 0).length;
  const std::string upper = text::upper_case(part.substr(0, first)).append(part.substr(first));
  return part == upper ? count : count + count_places(text, upper, is_whole);
}

}  // namespace dragoman::search
