#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/options.h"
#include "document/segment.h"
#include "dragoman/alignment.h"
#include "text/language.h"

// Documents with structure: taken apart into segments of plain text, and put together again with their translations.
//
//   const Document page = Document::parse("<p>A <b>red</b> car.</p>", Format::html);
//   page.segments();                                        // "A red car."
//   page.render({{"Une voiture rouge.", {{2, 5, 12, 17}}}})  // "<p>Une voiture <b>rouge</b>.</p>"
//
// A document keeps its bytes. Each segment has a place in them, and rendering replaces the bytes of these places and
// nothing else. A segment that the translation leaves unchanged keeps its bytes, too. HTML is read by a tokenizer of
// our own and not by a parser that builds a tree: it knows where every tag begins and ends, adds no html or body to a
// fragment, takes time and memory in proportion to the document, and does not recurse. Gumbo decodes named character
// references.
namespace dragoman::document {

enum class Format { text, html, xml, srt, po, markdown };

// Where segments end, besides the structure of the format.
enum class Split {
  sentences,  // at the ends of sentences and, in plain text, of lines
  lines,      // in plain text at the ends of lines; in other formats nowhere
  paragraphs  // at the ends of sentences; lines of a paragraph of plain text are joined
};

struct Options {
  Split split = Split::sentences;
  text::Language language = text::Language::generic;  // of the source, for the ends of sentences
  // Names of XML elements. The text of an `ignored` element is not translated. `splitting` elements end sentences.
  // With `outline`, so do the elements that occur only between other elements, never beside text, unless they are
  // `non_splitting`.
  std::vector<std::string> ignored{}, splitting{}, non_splitting{};
  bool outline = true;
  bool retranslate = false;        // po: translate the entries that have a translation as well
  bool cuts_at_addresses = false;  // an address or an emoji ends a segment instead of being kept inside it
  std::string target{};            // html: the language that the page says it is in afterwards; empty: as before
};

// The translation of a segment. Without links, tags are placed in proportion to their place in the source.
struct Translated {
  std::string text;
  std::vector<SpanLink> links{};
};

class Document {
 public:
  // The bytes must be UTF-8; otherwise throws Error. So does XML that is not well-formed, and a file that has nothing
  // of the format, such as subtitles without times. Any HTML is accepted.
  static Document parse(std::string bytes, Format format, const Options& options = {});

  // The texts to translate, each a sentence or a line, without spaces at its ends.
  std::vector<std::string> segments() const;
  // Whether a segment contains tags, so that links are of use.
  bool has_inner_tags() const;
  // What stays as it is: the bytes before each segment, and those after the last one.
  std::vector<std::string> gaps() const;
  // The document with the translations of all segments, in order.
  std::string render(const std::vector<Translated>& translations) const;

 private:
  Translated wrapped(const Translated& translated, const Segment& segment) const;

  Document(std::string bytes, Format format) : bytes_(std::move(bytes)), format_(format) {}

  // Of po: with the source texts in the place of missing translations. Of html: with the language of the translation.
  std::string bytes_;
  Format format_;
  std::vector<Segment> segments_;
  bool has_mark_ = false;  // a byte order mark, which is not among the bytes
};

}  // namespace dragoman::document

namespace dragoman {
template <>
struct EnumNames<document::Format> {
  static constexpr std::pair<document::Format, const char*> list[] = {
      {document::Format::text, "text"}, {document::Format::html, "html"}, {document::Format::xml, "xml"},
      {document::Format::srt, "srt"},   {document::Format::po, "po"},     {document::Format::markdown, "markdown"}};
};
}  // namespace dragoman
