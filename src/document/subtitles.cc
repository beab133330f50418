#include "document/subtitles.h"

#include <algorithm>

#include "base/error.h"
#include "base/quote.h"
#include "document/markup_tokens.h"
#include "document/paragraph.h"

namespace dragoman::document {
namespace {

constexpr std::string_view kDashes[] = {"-", "\u2013", "\u2014"};

std::string_view without_spaces_at_end(std::string_view line) {
  while (!line.empty() && is_markup_space(line.back())) line.remove_suffix(1);
  return line;
}

// Bytes of the dash that a line begins with, perhaps after a position, and of the spaces beside it.
std::size_t dash_length(std::string_view line) {
  std::size_t begin = line.starts_with("{\\") ? std::min(line.find('}'), line.size() - 1) + 1 : 0;
  while (begin < line.size() && is_markup_space(line[begin])) ++begin;
  for (const std::string_view dash : kDashes) {
    if (!line.substr(begin).starts_with(dash)) continue;
    std::size_t end = begin + dash.size();
    while (end < line.size() && is_markup_space(line[end])) ++end;
    return end;
  }
  return 0;
}

// "00:00:01,000 --> 00:00:02,500"
bool is_times(std::string_view line) {
  return line.front() >= '0' && line.front() <= '9' && line.find("-->") != std::string_view::npos;
}

class SubtitleReader {
 public:
  SubtitleReader(std::string_view document, const Options& options)
      : document_(document), options_(options), paragraph_(options_, segments_) {
    options_.split = Split::lines;
  }

  std::vector<Segment> read();

 private:
  void add_line(Range line);
  void add_text(Range bytes);

  std::string_view document_;
  Options options_;
  std::vector<Segment> segments_;
  Paragraph paragraph_;
};

// A subtitle consists of the lines between its times and the next blank line.
std::vector<Segment> SubtitleReader::read() {
  bool is_inside = false, has_times = false;
  for (std::size_t begin = 0; begin < document_.size();) {
    const std::size_t end = std::min(document_.find('\n', begin), document_.size());
    const std::string_view line = without_spaces_at_end(document_.substr(begin, end - begin));
    if (line.empty()) {
      is_inside = false;
      paragraph_.finish();
    } else if (is_times(line)) {
      is_inside = has_times = true;
      paragraph_.finish();
    } else if (is_inside) {
      add_line({begin, begin + line.size()});
    }
    begin = end + 1;
  }
  paragraph_.finish();
  check(has_times || std::all_of(document_.begin(), document_.end(), is_markup_space),
        "the document has no subtitles: expected lines such as 00:00:01,000 --> 00:00:02,500 (SubRip), but it begins "
        "with '{}'",
        excerpt(document_));
  return std::move(segments_);
}

void SubtitleReader::add_line(Range line) {
  const std::size_t dash = dash_length(document_.substr(line.begin, line.end - line.begin));
  if (dash > 0) paragraph_.finish();
  paragraph_.add_space({line.begin, line.begin});
  MarkupTokens tokens(document_.substr(0, line.end), Markup::html, line.begin + dash);
  for (MarkupToken token; tokens.next(token);) {
    switch (token.kind) {
      case MarkupToken::Kind::open: paragraph_.open(token.name, token.bytes); break;
      case MarkupToken::Kind::close: paragraph_.close(token.name, token.bytes); break;
      case MarkupToken::Kind::empty:
      case MarkupToken::Kind::other: paragraph_.add_point(token.bytes); break;
      case MarkupToken::Kind::text: add_text(token.bytes); break;
    }
  }
}

// Text with positions such as {\an8}.
void SubtitleReader::add_text(Range bytes) {
  while (bytes.begin < bytes.end) {
    const std::string_view rest = document_.substr(bytes.begin, bytes.end - bytes.begin);
    const std::size_t end = rest.find('}');
    const bool has_position = end != std::string_view::npos;
    const std::size_t position = has_position ? rest.substr(0, end).find("{\\") : rest.size();
    const std::size_t words = std::min(position, has_position ? end + 1 : rest.size());
    paragraph_.add_words(rest.substr(0, words), bytes.begin);
    if (position < rest.size()) paragraph_.add_point({bytes.begin + position, bytes.begin + end + 1});
    bytes.begin += has_position ? end + 1 : rest.size();
  }
}

}  // namespace

std::vector<Segment> read_subtitles(std::string_view document, const Options& options) {
  return SubtitleReader(document, options).read();
}

std::string wrap_lines(std::string text, std::size_t lines) {
  std::vector<std::size_t> spaces;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == ' ') spaces.push_back(i);
  lines = std::min(lines, spaces.size() + 1);
  std::size_t next = 0;
  for (std::size_t line = 1; line < lines; ++line) {
    const std::size_t ideal = text.size() * line / lines, last = spaces.size() - (lines - line);
    const auto distance = [&](std::size_t at) { return at > ideal ? at - ideal : ideal - at; };
    while (next < last && distance(spaces[next + 1]) < distance(spaces[next])) ++next;
    text[spaces[next++]] = '\n';
  }
  return text;
}

}  // namespace dragoman::document
