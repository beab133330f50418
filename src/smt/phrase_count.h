#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/options.h"
#include "smt/link_lexicon.h"
#include "smt/phrase_table.h"
#include "smt/sorted_runs.h"

namespace dragoman::smt {

struct PhraseTableConfig {
  int length = kMaxPhraseLength;
  int options = 30;
  int min_count = 1;
  int memory = 1024;
  std::string folder;

  template <class V>
  void visit(V& v) {
    v("length", length, "longest phrases, in words; 1 translates word for word", between(1, kMaxPhraseLength));
    v("options", options, "translations kept for each source phrase, the most probable ones", between(1, 1000));
    v("min-count", min_count, "pairs of phrases seen less often are left out where the source has several words",
      at_least(1));
    v("memory", memory, "MiB for sorting phrase pairs; the rest waits on disk", between(1, 1 << 20));
    v("folder", folder, "where it waits; empty means the system's temporary folder");
  }
};

// All phrase pairs of a corpus with their probabilities, lexical weights and orientations. Sorts on disk what does not
// fit into memory.
PhraseTable count_phrases(const PhraseCorpus& corpus, const LinkLexicon& lexicon, const PhraseTableConfig& config);

}  // namespace dragoman::smt
