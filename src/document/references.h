#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Character references of HTML and XML, such as &amp; and &#8211;.
namespace dragoman::document {

enum class Markup { html, xml };

// A reference at the beginning of a text: the characters it stands for and the bytes it takes; 0 if there is none.
struct Reference {
  std::string text;  // empty for an entity of XML, which the document or its type declares
  std::size_t bytes = 0;
};

// The reference that `text`, whose first byte is '&', begins with. HTML has more than 2,000 names, some of which need
// no semicolon. XML has five names of characters; others are entities.
Reference decode_reference(std::string_view text, Markup markup);

// Appends `text` with references for the characters that markup cannot contain, and in HTML for no-break spaces, as
// browsers do.
void append_escaped(std::string_view text, Markup markup, std::string& out);

}  // namespace dragoman::document
