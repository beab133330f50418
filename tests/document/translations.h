#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "text/unicode.h"
#include "text/units.h"

// Translators for tests of documents.
namespace dragoman::document {

// Each unit is its own translation.
inline std::vector<SpanLink> diagonal_links(const std::string& text) {
  std::vector<SpanLink> links;
  for (const text::Unit& unit : text::split_units(text))
    if (unit.is_word) links.push_back({unit.span.begin, unit.span.end, unit.span.begin, unit.span.end});
  return links;
}

inline std::vector<Translated> translate_to_itself(const Document& document) {
  std::vector<Translated> result;
  for (const std::string& text : document.segments()) result.push_back({text, diagonal_links(text)});
  return result;
}

// Capital letters of ASCII: every word changes, and none moves.
inline std::string in_capitals(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

inline std::vector<Translated> translate_to_capitals(const Document& document) {
  std::vector<Translated> result = translate_to_itself(document);
  for (Translated& translated : result) translated.text = in_capitals(translated.text);
  return result;
}

inline std::string in_capitals(const std::string& bytes, Format format, const Options& options = {}) {
  const Document document = Document::parse(bytes, format, options);
  return document.render(translate_to_capitals(document));
}

// The translation of a document with one segment, with links between the n-th words separated by spaces.
inline Translated with_word_links(const std::string& source, const std::string& target,
                                  const std::vector<AlignmentLink>& links) {
  const auto words = [](const std::string& text) {
    std::vector<text::Span> spans;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      if (end > begin) spans.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
      begin = end + 1;
    }
    return spans;
  };
  const std::vector<text::Span> from = words(source), to = words(target);
  Translated translated{target, {}};
  for (const AlignmentLink& link : links) {
    const text::Span &a = from.at(static_cast<std::size_t>(link.source)),
                     &b = to.at(static_cast<std::size_t>(link.target));
    translated.links.push_back({a.begin, a.end, b.begin, b.end});
  }
  return translated;
}

}  // namespace dragoman::document
