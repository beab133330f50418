#include "document/markdown.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "document/markdown_inline.h"
#include "document/markup_tokens.h"
#include "document/paragraph.h"

namespace dragoman::document {
namespace {

constexpr std::size_t kCodeIndent = 4;  // columns

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The characters that a text begins with, all the same.
std::size_t run_length(std::string_view text) {
  return text.empty() ? 0 : std::min(text.find_first_not_of(text.front()), text.size());
}

// ***, - - - or ___.
bool is_thematic_break(std::string_view text) {
  if (text.empty() || std::string_view("*-_").find(text.front()) == std::string_view::npos) return false;
  const auto count = std::count(text.begin(), text.end(), text.front());
  return count >= 3 && std::all_of(text.begin(), text.end(), [&](char c) { return c == text.front() || is_blank(c); });
}

// The line below a heading.
bool is_underline(std::string_view text) {
  text = trimmed(text);
  return !text.empty() && (text.front() == '=' || text.front() == '-') && run_length(text) == text.size();
}

// | --- | :-: |
bool is_delimiter_row(std::string_view text) {
  text = trimmed(text);
  return text.find('|') != text.npos && text.find('-') != text.npos && text.find_first_not_of("|:- \t") == text.npos;
}

// The length of "- ", "12. " or "[^1]: " without what follows the first space; 0 if there is none. Within a paragraph
// only a list that begins with 1 is one.
std::size_t list_mark_length(std::string_view text, bool is_in_paragraph) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t end = 0;
  if (!text.empty() && std::string_view("-+*").find(text.front()) != std::string_view::npos) {
    end = 1;
  } else {
    while (end < text.size() && end < kMostDigits && is_ascii_digit(text[end])) ++end;
    if (end == 0 || end >= text.size() || (text[end] != '.' && text[end] != ')')) return 0;
    if (is_in_paragraph && text.substr(0, end) != "1") return 0;
    ++end;
  }
  return end < text.size() && is_blank(text[end]) ? end : 0;
}

// The end of "[label]:" at the beginning of a text, or 0.
std::size_t label_length(std::string_view text) {
  if (!text.starts_with('[')) return 0;
  const std::size_t end = text.find("]:");
  return end == text.npos || end < 2 || text.substr(1, end - 1).find_first_of("[]") != text.npos ? 0 : end + 2;
}

// A block of HTML ends after the line with `end`, or before a blank line if there is none.
struct HtmlBlock {
  std::string_view end;
};

std::optional<HtmlBlock> begins_html(std::string_view text, bool is_in_paragraph) {
  constexpr std::array kBlocks = std::to_array<std::string_view>(
      {"address",    "article", "aside",   "base",   "blockquote", "body",   "caption", "center",  "col",
       "colgroup",   "dd",      "details", "dialog", "dir",        "div",    "dl",      "dt",      "fieldset",
       "figcaption", "figure",  "footer",  "form",   "h1",         "h2",     "h3",      "h4",      "h5",
       "h6",         "head",    "header",  "hr",     "html",       "iframe", "legend",  "li",      "link",
       "main",       "menu",    "nav",     "ol",     "optgroup",   "option", "p",       "section", "summary",
       "table",      "tbody",   "td",      "tfoot",  "th",         "thead",  "title",   "tr",      "ul"});
  constexpr std::array kRaw = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"pre", "</pre>"}, {"script", "</script>"}, {"style", "</style>"}, {"textarea", "</textarea>"}});
  if (text.size() < 2 || text.front() != '<') return std::nullopt;
  if (text.starts_with("<!--")) return HtmlBlock{"-->"};
  if (text.starts_with("<?")) return HtmlBlock{"?>"};
  if (text.starts_with("<!")) return HtmlBlock{">"};
  const std::size_t begin = text[1] == '/' ? 2 : 1;
  std::size_t end = begin;
  while (end < text.size() && (is_ascii_letter(text[end]) || is_ascii_digit(text[end]))) ++end;
  const std::string_view name = text.substr(begin, end - begin);
  const auto is_name = [&](std::string_view other) { return same_ignoring_case(name, other); };
  for (const auto& [raw, closing] : kRaw)
    if (begin == 1 && is_name(raw)) return HtmlBlock{closing};
  if (std::any_of(kBlocks.begin(), kBlocks.end(), is_name)) return HtmlBlock{};
  // Any other tag that is alone in its line.
  MarkupTokens tokens(text, Markup::html);
  MarkupToken token;
  const bool is_alone = tokens.next(token) && token.kind != MarkupToken::Kind::text && !token.name.empty() &&
                        token.bytes.end == text.size() && token.name.find(':') == std::string::npos &&
                        token.kind != MarkupToken::Kind::other;
  return is_alone && !is_in_paragraph ? std::optional(HtmlBlock{}) : std::nullopt;
}

class MarkdownReader {
 public:
  MarkdownReader(std::string_view document, const Options& options)
      : document_(document), paragraph_(options, segments_) {}

  std::vector<Segment> read();

 private:
  // What is left of a line after the marks of the blocks around it.
  struct Line {
    Range bytes{};           // without indentation and the end of the line
    std::size_t indent = 0;  // columns, from the last mark on
    std::size_t quotes = 0;  // marks of quotations
  };
  // A block whose lines stay as they are.
  struct Verbatim {
    char fence = 0;             // of code; 0 for HTML
    std::size_t length = 0;     // of the fence
    std::size_t quotes = 0;     // marks of quotations around it
    std::string_view end = {};  // of HTML
  };

  std::string_view text(Range bytes) const { return document_.substr(bytes.begin, bytes.end - bytes.begin); }
  Range line_at(std::size_t begin) const;
  std::size_t next_line(std::size_t begin) const;
  std::size_t end_of_front_matter() const;
  void find_labels();
  Line strip(Range bytes, std::size_t most_quotes) const;
  void skip_indent(Line& line) const;
  bool continues_verbatim(Range bytes);
  void read_line(Range bytes);
  bool begin_verbatim(const Line& line);
  bool read_heading(const Line& line);
  bool read_table_row(const Line& line);
  bool read_list_mark(Line& line);
  std::size_t base() const { return indents_.empty() ? 0 : indents_.back(); }
  // A number begins a list inside a paragraph only if it is 1 or there is a list already.
  bool is_in_paragraph(const Line& line) const { return !lines_.empty() && line.indent >= base(); }
  void add_line(Range bytes) { lines_.push_back(bytes); }
  void finish();

  std::string_view document_;
  std::vector<Segment> segments_;
  Paragraph paragraph_;
  MarkdownLabels labels_;
  std::vector<Range> lines_;          // of the paragraph
  std::vector<std::size_t> indents_;  // columns of the content of the list items that are open
  std::optional<Verbatim> verbatim_;
  std::size_t quotes_ = 0;  // marks of quotations before the paragraph
  bool is_after_blank_ = true, is_in_table_ = false;
};

Range MarkdownReader::line_at(std::size_t begin) const {
  std::size_t end = std::min(document_.find('\n', begin), document_.size());
  if (end > begin && document_[end - 1] == '\r') --end;
  return {begin, end};
}

std::size_t MarkdownReader::next_line(std::size_t begin) const {
  return std::min(document_.find('\n', begin), document_.size() - 1) + 1;
}

// Between lines "---" (YAML) or "+++" (TOML) at the beginning of the document; 0 if there is none.
std::size_t MarkdownReader::end_of_front_matter() const {
  if (document_.empty()) return 0;
  const std::string_view mark = trimmed(text(line_at(0)));
  if (mark != "---" && mark != "+++") return 0;
  for (std::size_t begin = next_line(0); begin < document_.size(); begin = next_line(begin)) {
    const std::string_view line = trimmed(text(line_at(begin)));
    if (line == mark || (mark == "---" && line == "...")) return next_line(begin);
  }
  return 0;
}

void MarkdownReader::find_labels() {
  for (std::size_t begin = 0; begin < document_.size(); begin = next_line(begin)) {
    std::string_view line = text(line_at(begin));
    line.remove_prefix(std::min(line.find_first_not_of(" >"), line.size()));
    if (const std::size_t length = label_length(line); length > 0)
      labels_.insert(markdown_label(line.substr(1, length - 3)));
  }
}

void MarkdownReader::skip_indent(Line& line) const {
  for (; line.bytes.begin < line.bytes.end && is_blank(document_[line.bytes.begin]); ++line.bytes.begin)
    line.indent += document_[line.bytes.begin] == '\t' ? kCodeIndent - line.indent % kCodeIndent : 1;
}

// Without its marks of quotations.
MarkdownReader::Line MarkdownReader::strip(Range bytes, std::size_t most_quotes) const {
  Line line{.bytes = bytes};
  for (;;) {
    Line inner = line;
    inner.indent = 0;
    skip_indent(inner);
    const bool is_quote = inner.indent < base() + kCodeIndent && inner.bytes.begin < inner.bytes.end &&
                          document_[inner.bytes.begin] == '>' && line.quotes < most_quotes;
    if (!is_quote) return inner;
    line = {{inner.bytes.begin + 1, bytes.end}, 0, line.quotes + 1};
    if (line.bytes.begin < line.bytes.end && document_[line.bytes.begin] == ' ') ++line.bytes.begin;
  }
}

void MarkdownReader::finish() {
  if (!lines_.empty()) add_markdown(document_, lines_, labels_, paragraph_);
  lines_.clear();
}

// Whether the line belongs to a block that stays as it is.
bool MarkdownReader::continues_verbatim(Range bytes) {
  if (!verbatim_) return false;
  const Line line = strip(bytes, verbatim_->quotes);
  const std::string_view content = text(line.bytes);
  if (line.quotes < verbatim_->quotes && !content.empty()) {
    verbatim_.reset();
    return false;
  }
  if (verbatim_->fence != 0) {
    const bool is_end = content.starts_with(verbatim_->fence) && run_length(content) >= verbatim_->length &&
                        trimmed(content.substr(run_length(content))).empty();
    if (is_end) verbatim_.reset();
    return true;
  }
  if (verbatim_->end.empty() ? content.empty() : content.find(verbatim_->end) != content.npos) verbatim_.reset();
  return true;
}

// Code between fences, formulas between $$, or HTML.
bool MarkdownReader::begin_verbatim(const Line& line) {
  const std::string_view content = text(line.bytes);
  const std::size_t length = run_length(content);
  const char first = content.front();
  const bool is_code =
      (first == '`' || first == '~') && length >= 3 && (first == '~' || content.find('`', length) == content.npos);
  const bool is_formula = content.starts_with("$$");
  if (is_code || is_formula) {
    finish();
    const bool ends_here = is_formula && content.size() > 3 && trimmed(content).ends_with("$$");
    if (!ends_here) verbatim_ = Verbatim{first, length, line.quotes};
    return true;
  }
  const std::optional<HtmlBlock> html = begins_html(content, !lines_.empty());
  if (!html) return false;
  finish();
  const bool ends_here = !html->end.empty() && content.find(html->end) != content.npos;
  if (!ends_here) verbatim_ = Verbatim{0, 0, line.quotes, html->end};
  return true;
}

bool MarkdownReader::read_heading(const Line& line) {
  constexpr std::size_t kDeepest = 6;
  const std::string_view content = text(line.bytes);
  const std::size_t level = content.front() == '#' ? run_length(content) : 0;
  if (level == 0 || level > kDeepest || (level < content.size() && !is_blank(content[level]))) return false;
  finish();
  std::string_view title = trimmed(content.substr(level));
  const std::string_view closed = title.substr(0, title.find_last_not_of('#') + 1);
  if (closed.empty() || is_blank(closed.back())) title = trimmed(closed);
  const auto offset = static_cast<std::size_t>(title.data() - content.data());
  if (!title.empty()) add_line({line.bytes.begin + offset, line.bytes.begin + offset + title.size()});
  finish();
  return true;
}

// A row of a table, whose cells are paragraphs.
bool MarkdownReader::read_table_row(const Line& line) {
  const std::string_view content = text(line.bytes);
  if (content.find('|') == content.npos) return false;
  if (!is_in_table_) {
    const std::size_t next = next_line(line.bytes.begin);
    const bool begins =
        lines_.empty() && next < document_.size() && is_delimiter_row(text(strip(line_at(next), line.quotes).bytes));
    if (!begins) return false;
    is_in_table_ = true;
  }
  if (is_delimiter_row(content)) return true;
  std::size_t begin = 0;
  bool is_code = false;
  for (std::size_t at = 0; at <= content.size(); ++at) {
    if (at < content.size() && content[at] == '\\') {
      ++at;
      continue;
    }
    if (at < content.size() && content[at] == '`') is_code = !is_code;
    if (at < content.size() && (content[at] != '|' || is_code)) continue;
    const std::string_view cell = trimmed(content.substr(begin, at - begin));
    if (!cell.empty()) {
      const auto offset = static_cast<std::size_t>(cell.data() - content.data());
      add_line({line.bytes.begin + offset, line.bytes.begin + offset + cell.size()});
      finish();
    }
    begin = at + 1;
  }
  return true;
}

// Moves on to the content of a list item.
bool MarkdownReader::read_list_mark(Line& line) {
  constexpr std::array kBoxes = std::to_array<std::string_view>({"[ ] ", "[x] ", "[X] "});
  const std::string_view content = text(line.bytes);
  const std::size_t length = list_mark_length(content, is_in_paragraph(line));
  if (length == 0) return false;
  finish();
  const std::size_t columns = line.indent + length;
  line.bytes.begin += length;
  line.indent = columns;
  skip_indent(line);
  // More than four columns are a space and indented code.
  indents_.push_back(line.indent - columns > kCodeIndent ? columns + 1 : line.indent);
  for (const std::string_view box : kBoxes)
    if (text(line.bytes).starts_with(box)) line.bytes.begin += box.size();
  for (; text(line.bytes).starts_with('>'); skip_indent(line)) ++line.bytes.begin, ++line.quotes;
  quotes_ = line.quotes;
  return true;
}

void MarkdownReader::read_line(Range bytes) {
  if (continues_verbatim(bytes)) return;
  Line line = strip(bytes, document_.size());
  if (line.bytes.begin == line.bytes.end) {
    finish();
    is_after_blank_ = true;
    is_in_table_ = false;
    return;
  }
  const bool begins_item = list_mark_length(text(line.bytes), is_in_paragraph(line)) > 0;
  if (begins_item || line.quotes > quotes_) finish();
  if (lines_.empty()) quotes_ = line.quotes;
  const bool is_after_blank = std::exchange(is_after_blank_, false);
  while (!indents_.empty() && (is_after_blank || begins_item) && line.indent < base()) indents_.pop_back();
  if (lines_.empty() && line.indent >= base() + kCodeIndent) return;
  if (!lines_.empty() && is_underline(text(line.bytes))) return finish();
  if (is_thematic_break(text(line.bytes))) return finish();
  while (read_list_mark(line))
    if (line.bytes.begin == line.bytes.end) return;
  const std::string_view content = text(line.bytes);
  const bool is_directive = content.starts_with(":::") || (line.quotes > 0 && content.starts_with("[!"));
  if (is_directive) return finish();
  if (begin_verbatim(line) || read_heading(line) || read_table_row(line)) return;
  is_in_table_ = false;
  if (const std::size_t label = label_length(content); label > 0 && lines_.empty()) {
    if (!content.starts_with("[^")) return;
    line.bytes.begin += label;
    skip_indent(line);
  }
  add_line(line.bytes);
}

std::vector<Segment> MarkdownReader::read() {
  find_labels();
  for (std::size_t begin = end_of_front_matter(); begin < document_.size(); begin = next_line(begin))
    read_line(line_at(begin));
  finish();
  return std::move(segments_);
}

}  // namespace

std::vector<Segment> read_markdown(std::string_view document, const Options& options) {
  return MarkdownReader(document, options).read();
}

void append_markdown_text(std::string_view text, std::string& out) {
  constexpr std::string_view kMarks = "\\`*[]|";
  const auto is_word = [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    const bool is_inside_word = !out.empty() && is_word(out.back()) && is_word(next);
    const bool is_markup = kMarks.find(c) != kMarks.npos || (c == '_' && !is_inside_word) ||
                           (c == '<' && (is_ascii_letter(next) || next == '/' || next == '!' || next == '?'));
    if (is_markup) out += '\\';
    out += c;
  }
}

}  // namespace dragoman::document
