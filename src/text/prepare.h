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

// Preprocessing of a line before it is split into words or subwords.
struct PrepareOptions {
  NormalForm normalize = NormalForm::nfc;
  bool lower = false;
  bool expand_contractions = false;

  template <class V>
  void visit(V& v) {
    v("normalize", normalize, "Unicode normalisation form of the text");
    v("lower", lower, "convert the text to lower case");
    v("expand-contractions", expand_contractions, "expand English contractions: don't to do not, it's to it is");
  }
};

MappedText prepare(std::string_view line, const PrepareOptions& options);

}  // namespace dragoman::text
