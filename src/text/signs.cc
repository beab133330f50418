#include "text/signs.h"

namespace dragoman::text {
namespace {

using Changes = std::vector<std::pair<Span, std::string>>;

constexpr int kFewestCapitals = 5;  // shorter texts are abbreviations

Span span_at(std::size_t at, std::size_t size) {
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + size)};
}

// Replaces a sign that is in the text by its lookalike.
void free_sign(MappedText& text, std::string_view sign, std::string_view lookalike) {
  Changes changes;
  for (std::size_t at = text.text().find(sign); at != std::string::npos; at = text.text().find(sign, at + sign.size()))
    changes.emplace_back(span_at(at, sign.size()), lookalike);
  text.replace(changes);
}

// Drops a sign wherever it is, and a space after it.
std::string without_sign(std::string_view text, std::string_view sign) {
  std::string result;
  for (;;) {
    const std::size_t at = text.find(sign);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    text.remove_prefix(at + sign.size());
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
}

// Inserts the sign and a space after each run of marks that is followed by a letter, if the run is at the start of a
// word or has a mark that opens or links. Marks as in don't, e.g. and a/b are part of their words.
void detach_marks(MappedText& text) {
  Changes changes;
  const std::string& bytes = text.text();
  bool at_start = true;  // of a word, or after marks at its start
  bool detaches = false;
  Span last;  // the last mark of the run before this character; empty if there is none
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint point = code_point_at(bytes, at);
    if (is_punctuation_or_symbol(point.code)) {
      detaches |= at_start || opens_or_links(point.code);
      last = span_at(at, point.length);
    } else {
      if (detaches && last.end > last.begin && classify(point.code) == CharClass::letter)
        changes.emplace_back(last, bytes.substr(last.begin, last.end - last.begin).append(kJoinSign).append(" "));
      at_start = classify(point.code) == CharClass::space;
      detaches = false;
      last = {};
    }
    at += point.length;
  }
  text.replace(changes);
}

void fold_capitals(MappedText& text) {
  if (!is_in_capitals(text.text())) return;
  text.lower_case();
  const std::size_t first = code_point_at(text.text(), 0).length;
  text.replace({{span_at(0, first), std::string(kCapitalsSign).append(" ").append(text.text(), 0, first)}});
}

}  // namespace

bool opens_or_links(char32_t code) { return code == '"' || (is_opening(code) && code != U'\u2018') || is_dash(code); }

bool is_in_capitals(std::string_view text) {
  int capitals = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    at += point.length;
    if (point.code == U'ß' || point.code == U'ẞ') continue;
    const char32_t lower = to_lower(point.code);
    if (lower == point.code && to_upper(point.code) == point.code) continue;  // no case
    if (to_upper(lower) != point.code) return false;
    ++capitals;
  }
  return capitals >= kFewestCapitals;
}

void insert_signs(MappedText& text, const SignOptions& options) {
  if (options.fold_capitals) {
    free_sign(text, kCapitalsSign, kCapitalsLookalike);
    fold_capitals(text);
  }
  if (options.detach_marks) {
    free_sign(text, kJoinSign, kJoinLookalike);
    detach_marks(text);
  }
}

std::string resolve_signs(std::string text, const SignOptions& options) {
  if (options.detach_marks) text = without_sign(text, kJoinSign);
  if (options.fold_capitals) {
    const bool in_capitals = text.starts_with(kCapitalsSign);
    text = without_sign(text, kCapitalsSign);
    if (in_capitals) text = upper_case(text);
  }
  return text;
}

}  // namespace dragoman::text
