#pragma once

#include <string>
#include <vector>

#include "align/alignment.h"
#include "align/bitext.h"
#include "base/random.h"

// Synthetic text with known alignment: the words are "s1", "s2", ...; "t1" translates "s1".
namespace dragoman::align::synthetic {

struct Corpus {
  std::vector<std::string> source, target;
  std::vector<Links> links;

  Bitext bitext(std::size_t max_words = 100) const {
    Bitext result({}, {}, max_words);
    for (std::size_t i = 0; i < source.size(); ++i) result.add(source[i], target[i], false);
    return result;
  }
};

// Sentences of 1 to `longest` words; some neighbours are swapped, and some target words are unaligned.
inline Corpus make_corpus(std::size_t pairs, int words, int longest, std::uint64_t seed) {
  Random random(seed);
  Corpus corpus;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const int length = 1 + static_cast<int>(random.below(longest));
    std::vector<int> order(length), ids(length);
    for (int i = 0; i < length; ++i) {
      order[i] = i;
      ids[i] = static_cast<int>(random.below(words));
    }
    for (int i = 0; i + 1 < length; ++i)
      if (random.uniform() < 0.2) std::swap(order[i], order[i + 1]);
    std::string source, target;
    Links links;
    for (const int id : ids) source += "s" + std::to_string(id) + " ";
    int at = 0;
    for (const int i : order) {
      if (random.uniform() < 0.1) {
        target += "filler ";
        ++at;
      }
      target += "t" + std::to_string(ids[i]) + " ";
      links.push_back({i, at++});
    }
    sort_links(links);
    corpus.source.push_back(source);
    corpus.target.push_back(target);
    corpus.links.push_back(links);
  }
  return corpus;
}

}  // namespace dragoman::align::synthetic
