#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dragoman::run {

// Terms and their translations, found by the texts that contain them. A lookup takes time for the text and the number
// of different lengths of terms, not for the number of terms.
class TermList {
 public:
  using Term = std::pair<std::string, std::string>;

  TermList() = default;
  explicit TermList(std::vector<Term> terms);

  bool empty() const { return terms_.empty(); }
  const std::vector<Term>& all() const { return terms_; }
  // The terms whose source is in the text as a whole word or several, in the order of the list.
  std::vector<Term> in(std::string_view text) const;

 private:
  std::vector<Term> terms_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_source_;
  std::vector<std::size_t> lengths_;  // of the sources in bytes, each once
};

}  // namespace dragoman::run
