#include "document/well_formed.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/quote.h"
#include "document/markup_tokens.h"

namespace dragoman::document {
namespace {

// An element whose end tag is still to come.
struct OpenElement {
  std::string name;
  std::size_t begin = 0;  // in the document
};

class Checker {
 public:
  explicit Checker(std::string_view document) : document_(document) {}

  void check_all() {
    MarkupTokens tokens(document_, Markup::xml);
    for (MarkupToken token; tokens.next(token);) {
      const std::string_view bytes = document_.substr(token.bytes.begin, token.bytes.end - token.bytes.begin);
      const std::size_t at = token.bytes.begin;
      switch (token.kind) {
        case MarkupToken::Kind::text: check_text(bytes, at); break;
        case MarkupToken::Kind::other: check_end(bytes, at); break;
        case MarkupToken::Kind::empty: check_name(token.name, at); break;
        case MarkupToken::Kind::open:
          check_name(token.name, at);
          open_.push_back({token.name, at});
          break;
        case MarkupToken::Kind::close: check_close(token.name, at); break;
      }
    }
    if (!open_.empty()) refuse(open_.back().begin, fmt::format("<{}> is never closed", excerpt(open_.back().name)));
  }

 private:
  [[noreturn]] void refuse(std::size_t at, const std::string& problem) const {
    const auto end = document_.begin() + static_cast<std::ptrdiff_t>(at);
    fail("the document is no XML: line {}: {}", 1 + std::count(document_.begin(), end, '\n'), problem);
  }

  void check_text(std::string_view text, std::size_t at) const {
    const std::size_t bracket = text.find('<');
    if (bracket != std::string_view::npos) refuse(at + bracket, "a '<' that begins no tag must be written &lt;");
  }

  void check_name(std::string_view name, std::size_t at) const {
    if (name.find('<') != std::string_view::npos) refuse(at, "a tag has no end");
  }

  void check_end(std::string_view bytes, std::size_t at) const {
    const auto ends = [&](std::string_view begin, std::string_view end) {
      return !bytes.starts_with(begin) || (bytes.size() >= begin.size() + end.size() && bytes.ends_with(end));
    };
    if (!ends("<!--", "-->")) refuse(at, "a comment has no end");
    if (!ends("<![CDATA[", "]]>")) refuse(at, "a CDATA section has no end");
    if (!ends("<?", "?>")) refuse(at, "a processing instruction has no end");
    if (!bytes.ends_with('>') || bytes.starts_with("</")) refuse(at, "a tag has no name or no end");
  }

  void check_close(const std::string& name, std::size_t at) {
    if (open_.empty()) refuse(at, fmt::format("</{}> closes an element that is not open", excerpt(name)));
    if (open_.back().name != name)
      refuse(at, fmt::format("expected </{}> but found </{}>", excerpt(open_.back().name), excerpt(name)));
    open_.pop_back();
  }

  std::string_view document_;
  std::vector<OpenElement> open_;
};

}  // namespace

void check_well_formed(std::string_view document) { Checker(document).check_all(); }

}  // namespace dragoman::document
