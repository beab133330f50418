#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/random.h"
#include "data/filters.h"
#include "data/pair_reader.h"

namespace dragoman::data {

// Which changed copies to make of the pairs of a corpus: for each kind, of what fraction of the pairs. A model that has
// seen them translates such text, too: it copies numbers, addresses and placeholders, keeps capitals and markup, and
// forgives typing errors.
struct AugmentOptions {
  double upper = 0, lower = 0, unpunctuated = 0, apostrophes = 0, typos = 0, numbers = 0, addresses = 0, emoji = 0,
         signs = 0, foreign = 0, joined = 0, copied = 0;
  std::uint64_t seed = 1;

  template <class V>
  void visit(V& v) {
    v("upper", upper, "both sides in capital letters", between(0, 1));
    v("lower", lower, "the source in small letters", between(0, 1));
    v("unpunctuated", unpunctuated, "both sides without the punctuation at their end", between(0, 1));
    v("apostrophes", apostrophes, "the source without its apostrophes, dont for don't", between(0, 1));
    v("typos", typos, "the source with typing errors", between(0, 1));
    v("numbers", numbers, "other numbers in place of those that both sides contain", between(0, 1));
    v("addresses", addresses, "a random URL or e-mail address added to both sides", between(0, 1));
    v("emoji", emoji, "an emoji added to both sides", between(0, 1));
    v("signs", signs, "markup around both sides, or a placeholder ({name}, #tag, x = 5) in both", between(0, 1));
    v("foreign", foreign, "words in another script added to both sides, or in their place", between(0, 1));
    v("joined", joined, "joined with the one to three pairs before it", between(0, 1));
    v("copied", copied, "the target in place of the source, to be copied", between(0, 1));
    v("seed", seed, "random seed of the choices");
  }
};

// Makes changed copies of pairs. The same pairs in the same order and the same options give the same copies.
class Augmenter {
 public:
  explicit Augmenter(const AugmentOptions& options);

  // Passes each copy of `pair` to `take`. A kind of change that does not apply to a pair (numbers where there are
  // none) makes no copy.
  void augment(const Pair& pair, const std::function<void(const Pair&)>& take);
  // The number of copies per kind that was asked for.
  Counts made() const;

 private:
  // Changes a pair; false if there is nothing to change.
  using Change = bool (*)(Pair& pair, Random& random);
  struct Kind {
    const char* name;
    double share;
    Change change;  // null for `joined`, which needs the pairs before
    std::uint64_t made = 0;
  };

  bool join(Pair& pair);
  void remember(const Pair& pair);

  std::vector<Kind> kinds_;
  std::vector<Pair> before_;  // the last pairs, oldest first
  Random random_;
};

}  // namespace dragoman::data
