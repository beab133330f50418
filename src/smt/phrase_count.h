#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/external_sort.h"
#include "base/options.h"
#include "smt/link_lexicon.h"
#include "smt/phrase_table.h"

namespace dragoman::smt {

struct PhraseTableConfig {
  int length = kMaxPhraseLength;
  int options = 30;
  int min_count = 1;
  int memory = 1024;
  std::string folder;

  template <class V>
  void visit(V& v) {
    v("length", length, "maximum length of a phrase in words; 1 translates word by word", between(1, kMaxPhraseLength));
    v("options", options, "number of translations to keep per source phrase, the most probable ones",
      between(1, kMaxPhraseOptions));
    v("min-count", min_count, "keep phrase pairs with a source of several words if they occur at least this often",
      at_least(1));
    v("memory", memory, "memory in MiB for sorting phrase pairs; the rest goes to disk", between(1, 1 << 20));
    v("folder", folder, "folder for sorting on disk; empty means the system's temporary folder");
  }
};

// Extracts all phrase pairs of a corpus and computes their probabilities, lexical weights and orientations. Sorts on
// disk what exceeds the memory limit.
PhraseTable count_phrases(const PhraseCorpus& corpus, const LinkLexicon& lexicon, const PhraseTableConfig& config);

}  // namespace dragoman::smt
