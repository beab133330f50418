#pragma once

#include <string_view>

#include "base/options.h"
#include "text/unicode.h"

namespace dragoman {
template <>
struct EnumNames<text::NormalForm> {
  static constexpr std::pair<text::NormalForm, const char*> list[] = {
      {text::NormalForm::none, "none"}, {text::NormalForm::nfc, "nfc"}, {text::NormalForm::nfkc, "nfkc"}};
};
}  // namespace dragoman

namespace dragoman::text {

// What happens to a line before it is cut into words or subwords.
struct PrepareOptions {
  NormalForm normalize = NormalForm::nfc;
  bool lower = false;
  bool expand_contractions = false;

  template <class V>
  void visit(V& v) {
    v("normalize", normalize, "Unicode normal form of the text");
    v("lower", lower, "lower-case the text");
    v("expand-contractions", expand_contractions, "write English don't as do not, it's as it is");
  }
};

MappedText prepare(std::string_view line, const PrepareOptions& options);

}  // namespace dragoman::text
