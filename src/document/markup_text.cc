#include "document/markup_text.h"

#include "document/markup_tokens.h"

namespace dragoman::document {

void add_markup_text(std::string_view document, Range bytes, Markup markup, Paragraph& paragraph) {
  const std::string_view text = document.substr(0, bytes.end);
  std::size_t at = bytes.begin;
  while (at < bytes.end) {
    const std::size_t begin = at;
    const Reference reference = text[at] == '&' ? decode_reference(text.substr(at), markup) : Reference{};
    if (reference.bytes > 0) {
      at += reference.bytes;
      const bool is_space = reference.text.size() == 1 && is_markup_space(reference.text[0]);
      if (is_space)
        paragraph.add_space({begin, at});
      else
        paragraph.add_decoded(reference.text, {begin, at});
      continue;
    }
    ++at;  // an ampersand may be just that
    while (at < bytes.end && text[at] != '&') ++at;
    paragraph.add_words(text.substr(begin, at - begin), begin);
  }
}

}  // namespace dragoman::document
