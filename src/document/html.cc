#include <algorithm>
#include <iterator>

#include "document/markup.h"
#include "document/markup_text.h"
#include "document/markup_tokens.h"

namespace dragoman::document {
namespace {

// In ascending order.
constexpr std::string_view kBlocks[] = {
    "address", "article",  "aside",      "base",    "blockquote", "body",    "br",     "button",    "caption",
    "center",  "col",      "colgroup",   "dd",      "details",    "dialog",  "dir",    "div",       "dl",
    "dt",      "fieldset", "figcaption", "figure",  "footer",     "form",    "frame",  "frameset",  "h1",
    "h2",      "h3",       "h4",         "h5",      "h6",         "head",    "header", "hgroup",    "hr",
    "html",    "iframe",   "legend",     "li",      "link",       "listing", "main",   "menu",      "meta",
    "nav",     "noframes", "noscript",   "ol",      "optgroup",   "option",  "p",      "plaintext", "pre",
    "search",  "section",  "select",     "summary", "table",      "tbody",   "td",     "template",  "textarea",
    "tfoot",   "th",       "thead",      "title",   "tr",         "ul",      "xmp"};
// Elements without content.
constexpr std::string_view kVoid[] = {"area",  "base", "br",   "col",   "embed",  "frame", "hr", "img",
                                      "input", "link", "meta", "param", "source", "track", "wbr"};
// Elements whose content has no tags.
constexpr std::string_view kRaw[] = {"iframe", "noembed",  "noframes", "plaintext", "script",
                                     "style",  "textarea", "title",    "xmp"};
// Elements whose content is not language.
constexpr std::string_view kVerbatim[] = {"applet",  "audio",    "canvas", "code",      "iframe", "kbd",    "math",
                                          "noembed", "noframes", "object", "plaintext", "samp",   "script", "style",
                                          "svg",     "textarea", "var",    "video",     "xmp"};
// Elements that another one of the same name ends.
constexpr std::string_view kEndedByTheNext[] = {"option", "p"};

template <std::size_t n>
bool is_among(const std::string_view (&sorted)[n], std::string_view name) {
  return std::binary_search(std::begin(sorted), std::end(sorted), name);
}
static_assert(std::is_sorted(std::begin(kBlocks), std::end(kBlocks)) &&
              std::is_sorted(std::begin(kVoid), std::end(kVoid)) && std::is_sorted(std::begin(kRaw), std::end(kRaw)) &&
              std::is_sorted(std::begin(kVerbatim), std::end(kVerbatim)) &&
              std::is_sorted(std::begin(kEndedByTheNext), std::end(kEndedByTheNext)));

class HtmlReader {
 public:
  HtmlReader(std::string_view document, const Options& options)
      : document_(document), tokens_(document, Markup::html), paragraph_(options, segments_) {}

  std::vector<Segment> read();

 private:
  void open(const MarkupToken& tag);
  void close(const MarkupToken& tag);
  void add_text(Range bytes);
  void add_lines(Range bytes);
  std::size_t skip_element(const MarkupToken& start);

  std::string_view document_;
  MarkupTokens tokens_;
  std::vector<Segment> segments_;
  Paragraph paragraph_;
  int pre_ = 0;  // open elements whose line breaks count
};

std::vector<Segment> HtmlReader::read() {
  for (MarkupToken token; tokens_.next(token);) {
    switch (token.kind) {
      case MarkupToken::Kind::text: add_text(token.bytes); break;
      case MarkupToken::Kind::open:
      case MarkupToken::Kind::empty: open(token); break;
      case MarkupToken::Kind::close: close(token); break;
      case MarkupToken::Kind::other: paragraph_.add_point(token.bytes); break;
    }
  }
  paragraph_.finish();
  return std::move(segments_);
}

void HtmlReader::open(const MarkupToken& tag) {
  const bool is_block = is_among(kBlocks, tag.name), is_void = is_among(kVoid, tag.name);
  if (is_block) paragraph_.finish();
  if (!is_void && (tag.asks_to_stay || is_among(kVerbatim, tag.name))) {
    const Range element{tag.bytes.begin, skip_element(tag)};
    if (!is_block) paragraph_.add_point(element);
    return;
  }
  if (tag.name == "pre" || tag.name == "listing") ++pre_;
  if (tag.name == "title") add_text(tokens_.skip_content(tag.name));
  if (is_block) return;
  if (is_void)
    paragraph_.add_point(tag.bytes);
  else
    paragraph_.open(tag.name, tag.bytes);
}

void HtmlReader::close(const MarkupToken& tag) {
  if ((tag.name == "pre" || tag.name == "listing") && pre_ > 0) --pre_;
  if (is_among(kBlocks, tag.name))
    paragraph_.finish();
  else
    paragraph_.close(tag.name, tag.bytes);
}

void HtmlReader::add_text(Range bytes) {
  if (pre_ == 0)
    add_markup_text(document_, bytes, Markup::html, paragraph_);
  else
    add_lines(bytes);
}

// Each line is a paragraph of its own.
void HtmlReader::add_lines(Range bytes) {
  while (bytes.begin < bytes.end) {
    const std::size_t end = std::min(document_.substr(0, bytes.end).find('\n', bytes.begin), bytes.end);
    add_markup_text(document_, {bytes.begin, end}, Markup::html, paragraph_);
    if (end < bytes.end) paragraph_.finish();
    bytes.begin = end + 1;
  }
}

// The end of an element, whose start tag was read.
std::size_t HtmlReader::skip_element(const MarkupToken& start) {
  const std::string name = start.name;
  const bool is_empty = start.kind == MarkupToken::Kind::empty && (name == "svg" || name == "math");
  if (is_empty) return start.bytes.end;
  MarkupToken token = start;
  for (int depth = 1; depth > 0;) {
    if (token.kind != MarkupToken::Kind::close && is_among(kRaw, token.name)) tokens_.skip_content(token.name);
    const MarkupTokens here = tokens_;
    if (!tokens_.next(token)) return document_.size();
    if (name == "plaintext") continue;  // has no end tag
    const bool opens = token.kind == MarkupToken::Kind::open;
    if (token.name != name || (!opens && token.kind != MarkupToken::Kind::close)) continue;
    if (opens && is_among(kEndedByTheNext, name)) {
      tokens_ = here;
      return token.bytes.begin;
    }
    depth += opens ? 1 : -1;
  }
  return token.bytes.end;
}

// As HTML spells it: "pt-BR" for pt_BR.
std::string html_code(std::string language) {
  std::replace(language.begin(), language.end(), '_', '-');
  return language;
}

}  // namespace

std::string with_language(std::string document, const std::string& language) {
  MarkupTokens tokens(document, Markup::html);
  MarkupToken tag;
  while (tokens.next(tag) && tag.kind != MarkupToken::Kind::open) {
  }
  if (tag.kind != MarkupToken::Kind::open || tag.name != "html") return document;
  const std::string code = html_code(language);
  for (auto value = tag.languages.rbegin(); value != tag.languages.rend(); ++value)
    document.replace(value->begin, value->end - value->begin, code);
  if (tag.languages.empty()) document.insert(tag.bytes.begin + 1 + tag.name.size(), " lang=\"" + code + "\"");
  return document;
}

std::vector<Segment> read_html(std::string_view document, const Options& options) {
  return HtmlReader(document, options).read();
}

}  // namespace dragoman::document
