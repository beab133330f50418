#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/references.h"
#include "document/segment.h"

namespace dragoman::document {

// A stretch of an HTML or XML document.
struct MarkupToken {
  enum class Kind {
    text,   // with character references
    open,   // a start tag
    empty,  // a start tag that ends with "/>"
    close,  // an end tag
    other   // a comment, a declaration, a processing instruction, a CDATA section or a tag without an end
  };

  Kind kind = Kind::text;
  Range bytes{};
  std::string name{};              // of a tag; in HTML in lower case
  bool asks_to_stay = false;       // an attribute says translate="no", or in HTML class="notranslate"
  std::vector<Range> languages{};  // the values of lang and xml:lang
};

// Cuts a document into tokens that cover all of its bytes. Follows the tokenization of the HTML standard, where
// anything is allowed; XML differs in CDATA sections, processing instructions and names. A '<' that begins no markup is
// text.
class MarkupTokens {
 public:
  // Begins at byte `begin`.
  MarkupTokens(std::string_view document, Markup markup, std::size_t begin = 0)
      : document_(document), markup_(markup), at_(begin) {}

  // Returns false at the end.
  bool next(MarkupToken& token);
  // After the start tag of an HTML element whose content has no tags: its content, up to its end tag or the end.
  Range skip_content(std::string_view name);

 private:
  bool begins_markup(std::size_t at) const;
  bool begins_name(std::size_t at) const;
  void read_tag(MarkupToken& token);
  void read_attribute(MarkupToken& token, std::size_t& at) const;
  std::size_t end_of_other() const;
  std::size_t end_of_comment(std::size_t from) const;
  std::size_t end_after(std::string_view mark, std::size_t from) const;

  std::string_view document_;
  Markup markup_;
  std::size_t at_;
};

// Whether two names or values are the same but for the case of ASCII letters.
bool same_ignoring_case(std::string_view a, std::string_view b);

inline bool is_markup_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

}  // namespace dragoman::document
