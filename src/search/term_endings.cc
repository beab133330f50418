#include "search/term_endings.h"

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

}  // namespace

std::vector<TokenEdges> token_edges(const text::Tokenizer& tokenizer) {
  const Spelling before = spell(tokenizer, "x"), after = spell_in_sentence(tokenizer, "x");
  const std::string word = tokenizer.decode(before.ids);
  std::vector<TokenEdges> edges;
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    std::vector<std::int32_t> ids = before.ids;
    ids.push_back(id);
    const std::string text = tokenizer.decode(ids);
    ids.insert(ids.end(), after.ids.begin(), after.ids.end());
    const bool starts = text.starts_with(word);
    edges.push_back({starts ? start_of(std::string_view(text).substr(word.size())) : TokenStart::other,
                     is_link(tokenizer.decode(ids), word, word)});
  }
  return edges;
}

bool may_follow(Ending ending, TokenStart start) {
  switch (ending) {
    case Ending::any: return true;
    case Ending::no_digit: return start != TokenStart::digit;
    case Ending::none: return start != TokenStart::digit && start != TokenStart::other;
  }
  return true;
}

Ending after(Ending ending, TokenStart start) {
  const bool is_open = start == TokenStart::point || (ending == Ending::none && start == TokenStart::mark);
  return is_open ? ending : Ending::any;
}

bool is_kept(Ending ending, std::string_view following) {
  for (std::size_t at = 0; ending != Ending::any && at < following.size();) {
    const std::size_t length = text::code_point_at(following, at).length;
    const TokenStart start = start_of(following.substr(at, length));
    if (!may_follow(ending, start)) return false;
    ending = after(ending, start);
    at += length;
  }
  return true;
}

bool contains_whole(std::string_view text, std::string_view part, Ending ending) {
  const auto is_linked = [&](std::size_t at) {
    return ending == Ending::none && at > 0 && text::is_dash(text::code_point_before(text, at).code);
  };
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    if (stands_alone(text, at, at + part.size()) && !is_linked(at) && is_kept(ending, text.substr(at + part.size())))
      return true;
  return false;
}

}  // namespace dragoman::search
