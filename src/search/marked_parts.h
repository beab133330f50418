#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::search {

// An address or a placeholder with the marks that touch it: (www.example.org), "%s" or, at the end of the text,
// www.example.org.
struct MarkedPart {
  std::string source;      // with the marks
  std::string target;      // the same, with quotation marks that every language understands
  std::string part;        // without them
  bool ends_text = false;  // its only mark is the final stop
};

std::vector<MarkedPart> find_marked(std::string_view text);

// Whether the part has marks wherever a translation contains it, perhaps those of another language; for a part that
// ends the text, whether the translation does not end with the bare part.
bool keeps_marks(std::string_view translation, const MarkedPart& part);

}  // namespace dragoman::search
