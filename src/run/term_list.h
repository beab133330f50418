#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::run {

// Terms and their translations, found by the texts that contain them. A lookup takes time for the words of the text,
// times the logarithm of the number of terms and the most terms that begin with each other.
class TermList {
 public:
  using Term = std::pair<std::string, std::string>;

  TermList() = default;
  explicit TermList(std::vector<Term> terms);

  bool empty() const { return terms_.empty(); }
  const std::vector<Term>& all() const { return terms_; }
  // The terms whose source is in the text as a whole word or several, perhaps with a capital as its first letter, in
  // the order of the list; any `most` of them if there are more.
  std::vector<Term> in(std::string_view text, std::size_t most = std::numeric_limits<std::size_t>::max()) const;

 private:
  // A term in the order of the sources, the bytes of its source, and the place of the longest other one that its source
  // begins with.
  struct Place {
    std::size_t term, length, shorter;
  };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  const std::string& source(const Place& place) const { return terms_[place.term].first; }
  // Calls use(place) for the terms that `text` begins with, the longest one first.
  template <class F>
  void each_beginning(std::string_view text, F&& use) const;

  std::vector<Term> terms_;
  std::vector<Place> places_;
  std::size_t longest_ = 0;  // bytes of a source
};

}  // namespace dragoman::run
