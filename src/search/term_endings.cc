#include "search/term_endings.h"

#include <algorithm>

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

}  // namespace

std::vector<TokenStart> token_starts(const text::Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids;
  tokenizer.encode("x", ids);
  const std::string word = tokenizer.decode(ids);
  std::vector<TokenStart> starts;
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    ids.push_back(id);
    const std::string text = tokenizer.decode(ids);
    ids.pop_back();
    starts.push_back(text.starts_with(word) ? start_of(std::string_view(text).substr(word.size())) : TokenStart::other);
  }
  return starts;
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
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    if (stands_alone(text, at, at + part.size()) && is_kept(ending, text.substr(at + part.size()))) return true;
  return false;
}

}  // namespace dragoman::search
