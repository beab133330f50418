#pragma once

#include <string>
#include <string_view>

#include "text/unicode.h"

// Changes of a text before it is split into subwords that let it be written with fewer and more frequent pieces. Signs
// in the text note what was changed, so that decoding can undo it. A sign that is in the text itself is replaced by a
// similar character.
namespace dragoman::text {

// ￭: nothing stands between this and the next word. Its lookalike is ■, its compatibility decomposition.
inline constexpr std::string_view kJoinSign = "\uFFED", kJoinLookalike = "\u25A0";
// ⇪ as the first word: the rest is in capitals. Its lookalike is ⇧.
inline constexpr std::string_view kCapitalsSign = "\u21EA", kCapitalsLookalike = "\u21E7";

struct SignOptions {
  bool detach_marks = false;
  bool fold_capitals = false;

  template <class V>
  void visit(V& v) {
    v("detach-marks", detach_marks,
      "detach opening quotation marks, brackets and hyphens from the word after them, so that it has the same subwords "
      "as after a space");
    v("fold-capitals", fold_capitals,
      "convert text in capitals to lower case and mark it, so that it has the same subwords as other text");
  }
};

// Quotation marks that open (or, in some languages, close), opening brackets, hyphens and dashes; no apostrophes.
bool opens_or_links(char32_t code);
// Whether all letters that have a case are capitals, and at least five. ß has no capital that people use.
bool is_in_capitals(std::string_view text);

void insert_signs(MappedText& text, const SignOptions& options);
// The inverse of insert_signs, for text that a model may have written: signs in other places are dropped. ß in capitals
// becomes SS.
std::string resolve_signs(std::string text, const SignOptions& options);

}  // namespace dragoman::text
