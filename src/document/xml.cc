#include <algorithm>
#include <unordered_set>

#include "document/markup.h"
#include "document/markup_text.h"
#include "document/markup_tokens.h"
#include "document/well_formed.h"

namespace dragoman::document {
namespace {

using Names = std::unordered_set<std::string>;

Names names_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

bool is_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), is_markup_space); }

// The elements of a document that are its outline: all elements of the same name stand between other elements, never
// beside text. Elements of the same name that differ in this respect are inline.
class Outline {
 public:
  explicit Outline(std::string_view document);
  const Names& names() const { return names_; }

 private:
  struct Element {
    std::string name{};
    std::vector<std::string> children{};
    bool has_text = false;
  };
  void end_element();

  std::vector<Element> open_;
  Names names_, inline_;
};

Outline::Outline(std::string_view document) : open_(1) {
  MarkupTokens tokens(document, Markup::xml);
  for (MarkupToken token; tokens.next(token);) {
    const bool begins = token.kind == MarkupToken::Kind::open || token.kind == MarkupToken::Kind::empty;
    std::vector<std::string>& siblings = open_.back().children;
    if (begins && (siblings.empty() || siblings.back() != token.name)) siblings.push_back(token.name);
    if (token.kind == MarkupToken::Kind::open) open_.push_back({token.name});
    if (token.kind == MarkupToken::Kind::close && open_.size() > 1) end_element();
    if (token.kind == MarkupToken::Kind::text)
      open_.back().has_text |= !is_blank(document.substr(token.bytes.begin, token.bytes.end - token.bytes.begin));
  }
  while (!open_.empty()) end_element();
  for (const std::string& name : inline_) names_.erase(name);
}

void Outline::end_element() {
  const Element& ended = open_.back();
  (ended.has_text ? inline_ : names_).insert(ended.children.begin(), ended.children.end());
  open_.pop_back();
}

class XmlReader {
 public:
  XmlReader(std::string_view document, const Options& options)
      : document_(document), tokens_(document, Markup::xml), paragraph_(options, segments_) {
    if (options.outline) splitting_ = Outline(document).names();
    for (const std::string& name : options.non_splitting) splitting_.erase(name);
    splitting_.insert(options.splitting.begin(), options.splitting.end());
    ignored_ = names_of(options.ignored);
  }

  std::vector<Segment> read();

 private:
  void open(const MarkupToken& tag);
  std::size_t skip_element(const std::string& name);

  std::string_view document_;
  MarkupTokens tokens_;
  std::vector<Segment> segments_;
  Paragraph paragraph_;
  Names splitting_, ignored_;
};

std::vector<Segment> XmlReader::read() {
  for (MarkupToken token; tokens_.next(token);) {
    const bool splits = splitting_.contains(token.name);
    switch (token.kind) {
      case MarkupToken::Kind::text: add_markup_text(document_, token.bytes, Markup::xml, paragraph_); break;
      case MarkupToken::Kind::open: open(token); break;
      case MarkupToken::Kind::empty:
      case MarkupToken::Kind::other: splits ? paragraph_.finish() : paragraph_.add_point(token.bytes); break;
      case MarkupToken::Kind::close: splits ? paragraph_.finish() : paragraph_.close(token.name, token.bytes); break;
    }
  }
  paragraph_.finish();
  return std::move(segments_);
}

void XmlReader::open(const MarkupToken& tag) {
  const bool splits = splitting_.contains(tag.name);
  if (splits) paragraph_.finish();
  if (tag.asks_to_stay || ignored_.contains(tag.name)) {
    const Range element{tag.bytes.begin, skip_element(tag.name)};
    if (!splits) paragraph_.add_point(element);
  } else if (!splits) {
    paragraph_.open(tag.name, tag.bytes);
  }
}

// The end of an element, whose start tag was read.
std::size_t XmlReader::skip_element(const std::string& name) {
  MarkupToken token;
  for (int depth = 1; depth > 0;) {
    if (!tokens_.next(token)) return document_.size();
    if (token.name != name) continue;
    if (token.kind == MarkupToken::Kind::open) ++depth;
    if (token.kind == MarkupToken::Kind::close) --depth;
  }
  return token.bytes.end;
}

}  // namespace

std::vector<Segment> read_xml(std::string_view document, const Options& options) {
  check_well_formed(document);
  return XmlReader(document, options).read();
}

}  // namespace dragoman::document
