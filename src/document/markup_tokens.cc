#include "document/markup_tokens.h"

#include <algorithm>

#include "base/ascii.h"

namespace dragoman::document {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether `value` contains `word` between spaces.
bool has_word(std::string_view value, std::string_view word) {
  for (std::size_t begin = 0; begin < value.size();) {
    std::size_t end = begin;
    while (end < value.size() && !is_markup_space(value[end])) ++end;
    if (same_ignoring_case(value.substr(begin, end - begin), word)) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

bool MarkupTokens::next(MarkupToken& token) {
  if (at_ >= document_.size()) return false;
  token = {};
  token.bytes = {at_, at_};
  if (!begins_markup(at_)) {
    do {
      at_ = std::min(document_.find('<', at_ + 1), document_.size());
    } while (at_ < document_.size() && !begins_markup(at_));
  } else if (begins_name(at_ + 1) || (document_[at_ + 1] == '/' && begins_name(at_ + 2))) {
    read_tag(token);
  } else {
    token.kind = MarkupToken::Kind::other;
    at_ = end_of_other();
  }
  token.bytes.end = at_;
  return true;
}

bool MarkupTokens::begins_name(std::size_t at) const {
  if (at >= document_.size()) return false;
  const char c = document_[at];
  return is_ascii_letter(c) ||
         (markup_ == Markup::xml && (c == '_' || c == ':' || static_cast<unsigned char>(c) >= 0x80));
}

bool MarkupTokens::begins_markup(std::size_t at) const {
  if (document_[at] != '<' || at + 1 >= document_.size()) return false;
  const char next = document_[at + 1];
  return begins_name(at + 1) || next == '!' || next == '?' || (next == '/' && at + 2 < document_.size());
}

std::size_t MarkupTokens::end_after(std::string_view mark, std::size_t from) const {
  const std::size_t found = document_.find(mark, from);
  return found == std::string_view::npos ? document_.size() : found + mark.size();
}

// In HTML, "--!>" ends a comment as "-->" does. One pass looks for both: a search for one of them could go far beyond
// the other, again and again.
std::size_t MarkupTokens::end_of_comment(std::size_t from) const {
  for (std::size_t at = from; (at = document_.find("--", at)) != std::string_view::npos; ++at) {
    const std::string_view rest = document_.substr(at + 2);
    if (rest.starts_with('>')) return at + 3;
    if (markup_ == Markup::html && rest.starts_with("!>")) return at + 4;
  }
  return document_.size();
}

std::size_t MarkupTokens::end_of_other() const {
  const std::string_view rest = document_.substr(at_);
  if (rest.starts_with("<!--")) {
    if (markup_ == Markup::html && rest.starts_with("<!-->")) return at_ + 5;
    if (markup_ == Markup::html && rest.starts_with("<!--->")) return at_ + 6;
    return end_of_comment(at_ + 4);
  }
  if (markup_ == Markup::xml && rest.starts_with("<![CDATA[")) return end_after("]]>", at_);
  if (markup_ == Markup::xml && rest.starts_with("<?")) return end_after("?>", at_);
  if (markup_ == Markup::xml && rest.starts_with("<!DOCTYPE")) {
    // An internal subset is in brackets.
    const std::size_t end = end_after(">", at_), bracket = document_.substr(0, end).find('[', at_);
    return bracket == std::string_view::npos ? end : end_after(">", end_after("]", bracket));
  }
  return end_after(">", at_);
}

void MarkupTokens::read_tag(MarkupToken& token) {
  const bool closes = document_[at_ + 1] == '/';
  token.kind = closes ? MarkupToken::Kind::close : MarkupToken::Kind::open;
  std::size_t at = at_ + (closes ? 2 : 1);
  const std::size_t begin = at;
  while (at < document_.size() && !is_markup_space(document_[at]) && document_[at] != '/' && document_[at] != '>') ++at;
  token.name = document_.substr(begin, at - begin);
  if (markup_ == Markup::html) std::transform(token.name.begin(), token.name.end(), token.name.begin(), lower);
  while (at < document_.size() && document_[at] != '>') {
    if (is_markup_space(document_[at]) || document_[at] == '/')
      ++at;
    else
      read_attribute(token, at);
  }
  if (at >= document_.size()) {
    token.kind = MarkupToken::Kind::other;
    at_ = document_.size();
    return;
  }
  if (!closes && document_[at - 1] == '/') token.kind = MarkupToken::Kind::empty;
  at_ = at + 1;
}

// NAME, NAME=VALUE, NAME="VALUE" or NAME='VALUE'.
void MarkupTokens::read_attribute(MarkupToken& token, std::size_t& at) const {
  const auto ends_name = [](char c) { return is_markup_space(c) || c == '/' || c == '>' || c == '='; };
  const std::size_t begin = at++;  // a name may begin with '='
  while (at < document_.size() && !ends_name(document_[at])) ++at;
  const std::string_view name = document_.substr(begin, at - begin);
  std::size_t after = at;
  while (after < document_.size() && is_markup_space(document_[after])) ++after;
  if (after >= document_.size() || document_[after] != '=') return;
  at = after + 1;
  while (at < document_.size() && is_markup_space(document_[at])) ++at;
  if (at >= document_.size() || document_[at] == '>') return;
  Range place{at, at};
  const char quote = document_[at];
  if (quote == '"' || quote == '\'') {
    place = {at + 1, std::min(document_.find(quote, at + 1), document_.size())};
    at = std::min(place.end + 1, document_.size());
  } else {
    while (at < document_.size() && !is_markup_space(document_[at]) && document_[at] != '>') ++at;
    place.end = at;
  }
  const std::string_view value = document_.substr(place.begin, place.end - place.begin);
  if (same_ignoring_case(name, "translate") && same_ignoring_case(value, "no")) token.asks_to_stay = true;
  if (markup_ == Markup::html && same_ignoring_case(name, "class") && has_word(value, "notranslate"))
    token.asks_to_stay = true;
  if (same_ignoring_case(name, "lang") || same_ignoring_case(name, "xml:lang")) token.languages.push_back(place);
}

Range MarkupTokens::skip_content(std::string_view name) {
  const std::size_t begin = at_;
  for (std::size_t end = at_; (end = document_.find("</", end)) != std::string_view::npos; end += 2) {
    if (!same_ignoring_case(document_.substr(end + 2, name.size()), name)) continue;
    const std::size_t after = end + 2 + name.size();
    if (after < document_.size() && !is_markup_space(document_[after]) && document_[after] != '/' &&
        document_[after] != '>')
      continue;
    at_ = end;
    return {begin, end};
  }
  at_ = document_.size();
  return {begin, at_};
}

}  // namespace dragoman::document
