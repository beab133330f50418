#include "search/marked_parts.h"

#include "document/addresses.h"
#include "document/placeholders.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

constexpr std::u32string_view kOpening = U"([\"'`\u201c\u201e\u2018\u201a\u00bb\u00ab";
constexpr std::u32string_view kClosing = U")]\"'`\u201c\u201d\u2018\u2019\u00bb\u00ab";

std::string copy(std::string_view text, document::Range range) {
  return std::string(text.substr(range.begin, range.end - range.begin));
}

bool is_among(char32_t code, std::u32string_view set) { return set.find(code) != set.npos; }

MarkedPart with_usual_marks(std::string_view text, document::Range marked, document::Range part) {
  MarkedPart result{copy(text, marked), copy(text, marked), copy(text, part)};
  const bool is_ascii = static_cast<unsigned char>(text[marked.begin]) < 0x80;
  if (!is_ascii) result.target = '"' + result.part + '"';
  return result;
}

void add_addresses(std::string_view text, std::vector<MarkedPart>& parts) {
  for (std::size_t at = 0; at < text.size();) {
    const document::Range found = document::find_address(text, at);
    if (found.begin == found.end) return;
    const document::Range marked = document::with_marks(text, at, found);
    const std::string_view rest = text.substr(found.end);
    if (marked.begin < found.begin)
      parts.push_back(with_usual_marks(text, marked, found));
    else if (rest == "." || rest == "!" || rest == "?")
      parts.push_back(
          {copy(text, {found.begin, text.size()}), copy(text, {found.begin, text.size()}), copy(text, found), true});
    at = found.end;
  }
}

void add_placeholders(std::string_view text, std::vector<MarkedPart>& parts) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_among(text::code_point_at(text, at).code, kOpening)) continue;
    const document::Range quoted = document::quoted_placeholder(text, at);
    if (quoted.begin == quoted.end) continue;
    const std::size_t begin = at + text::code_point_at(text, at).length;
    parts.push_back(with_usual_marks(text, quoted, {begin, begin + document::placeholder_length(text, begin)}));
    at = quoted.end - 1;
  }
}

}  // namespace

std::vector<MarkedPart> find_marked(std::string_view text) {
  std::vector<MarkedPart> parts;
  add_addresses(text, parts);
  add_placeholders(text, parts);
  return parts;
}

bool keeps_marks(std::string_view translation, const MarkedPart& part) {
  if (part.ends_text) return !translation.ends_with(part.part);
  for (std::size_t at = translation.find(part.part); at != translation.npos; at = translation.find(part.part, at + 1)) {
    const std::size_t end = at + part.part.size();
    const bool is_marked = at > 0 && end < translation.size() &&
                           is_among(text::code_point_before(translation, at).code, kOpening) &&
                           is_among(text::code_point_at(translation, end).code, kClosing);
    if (!is_marked) return false;
  }
  return true;
}

}  // namespace dragoman::search
