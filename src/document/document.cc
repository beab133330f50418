#include "document/document.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "data/utf8.h"
#include "document/catalogue.h"
#include "document/markdown.h"
#include "document/markup.h"
#include "document/plain_text.h"
#include "document/references.h"
#include "document/rendering.h"
#include "document/subtitles.h"

namespace dragoman::document {
namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

AppendText spelling_of(Format format, std::string_view document) {
  switch (format) {
    case Format::html: return [](std::string_view text, std::string& out) { append_escaped(text, Markup::html, out); };
    case Format::xml: return [](std::string_view text, std::string& out) { append_escaped(text, Markup::xml, out); };
    case Format::po: return append_message_text;
    case Format::markdown: return append_markdown_text;
    case Format::srt:
      if (document.find("\r\n") == std::string_view::npos) break;
      return [](std::string_view text, std::string& out) {
        for (const char c : text) c == '\n' ? out += "\r\n" : out += c;
      };
    case Format::text: break;
  }
  return [](std::string_view text, std::string& out) { out += text; };
}

}  // namespace

Document Document::parse(std::string bytes, Format format, const Options& options) {
  check(bytes.size() <= kMostBytes, "a document of {} bytes is too long: at most {} are allowed", bytes.size(),
        kMostBytes);
  const std::size_t invalid = data::find_invalid_utf8(bytes);
  check(invalid == std::string::npos || bytes[invalid] != '\0',
        "expected a document of text, but byte {} is NUL: is it a binary file, or in UTF-16?", invalid + 1);
  check(invalid == std::string::npos,
        "expected a document in UTF-8, but byte {} is not part of a character: convert it, for instance with iconv",
        invalid + 1);
  const bool has_mark = bytes.starts_with(kByteOrderMark);
  if (has_mark) bytes.erase(0, kByteOrderMark.size());
  Document document(std::move(bytes), format);
  document.has_mark_ = has_mark;
  switch (format) {
    case Format::text: document.segments_ = read_text(document.bytes_, options); break;
    case Format::html:
      if (!options.target.empty()) document.bytes_ = with_language(std::move(document.bytes_), options.target);
      document.segments_ = read_html(document.bytes_, options);
      break;
    case Format::xml: document.segments_ = read_xml(document.bytes_, options); break;
    case Format::srt: document.segments_ = read_subtitles(document.bytes_, options); break;
    case Format::po: {
      Catalogue catalogue = read_catalogue(document.bytes_, options);
      document.bytes_ = std::move(catalogue.bytes);
      document.segments_ = std::move(catalogue.segments);
      break;
    }
    case Format::markdown: document.segments_ = read_markdown(document.bytes_, options); break;
  }
  return document;
}

std::vector<std::string> Document::segments() const {
  std::vector<std::string> texts;
  texts.reserve(segments_.size());
  for (const Segment& segment : segments_) texts.push_back(segment.text);
  return texts;
}

std::vector<std::string> Document::gaps() const {
  std::vector<std::string> texts;
  texts.reserve(segments_.size() + 1);
  std::size_t at = 0;
  for (const Segment& segment : segments_) {
    texts.push_back(bytes_.substr(at, segment.place.begin - at));
    at = segment.place.end;
  }
  texts.push_back(bytes_.substr(at));
  if (has_mark_) texts.front().insert(0, kByteOrderMark);
  return texts;
}

bool Document::has_inner_tags() const {
  return std::any_of(segments_.begin(), segments_.end(), [](const Segment& segment) { return !segment.tags.empty(); });
}

// As many lines as the segment has.
Translated Document::wrapped(const Translated& translated, const Segment& segment) const {
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(segment.place.begin);
  const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(segment.place.end);
  const auto breaks = static_cast<std::size_t>(std::count(begin, end, '\n'));
  return {wrap_lines(translated.text, breaks + 1), translated.links};
}

std::string Document::render(const std::vector<Translated>& translations) const {
  check(translations.size() == segments_.size(), "a document of {} segments cannot take {} translations",
        segments_.size(), translations.size());
  const AppendText append_text = spelling_of(format_, bytes_);
  std::string out;
  out.reserve(bytes_.size());
  if (has_mark_) out += kByteOrderMark;
  std::size_t at = 0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    out.append(bytes_, at, segment.place.begin - at);
    at = segment.place.begin;
    if (translations[i].text == segment.text) continue;
    append_with_tags(segment, bytes_, format_ == Format::srt ? wrapped(translations[i], segment) : translations[i],
                     append_text, out);
    at = segment.place.end;
  }
  out.append(bytes_, at);
  return out;
}

}  // namespace dragoman::document
