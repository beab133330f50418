#include "document/markup_text.h"

#include "document/addresses.h"
#include "document/markup_tokens.h"

namespace dragoman::document {
namespace {

void add_reference(const Reference& reference, Range bytes, Paragraph& paragraph) {
  if (reference.text.empty())
    paragraph.add_point(bytes);
  else if (reference.text.size() == 1 && is_markup_space(reference.text[0]))
    paragraph.add_space(bytes);
  else
    paragraph.add_decoded(reference.text, bytes);
}

}  // namespace

void add_markup_text(std::string_view document, Range bytes, Markup markup, Paragraph& paragraph) {
  const std::string_view text = document.substr(0, bytes.end);
  std::size_t at = bytes.begin;
  Range address = find_kept_with_marks(text, at);
  while (at < bytes.end) {
    const std::size_t begin = at;
    if (address.begin < at) address = find_kept_with_marks(text, at);
    if (address.begin == at) {
      paragraph.add_address(address);
      at = address.end;
      continue;
    }
    const Reference reference = text[at] == '&' ? decode_reference(text.substr(at), markup) : Reference{};
    if (reference.bytes > 0) {
      at += reference.bytes;
      add_reference(reference, {begin, at}, paragraph);
      continue;
    }
    ++at;  // an ampersand may be just that
    while (at < address.begin && text[at] != '&') ++at;
    paragraph.add_words(text.substr(begin, at - begin), begin);
  }
}

}  // namespace dragoman::document
