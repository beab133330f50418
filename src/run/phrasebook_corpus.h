#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.h"

namespace dragoman::run {

// Options of a parallel corpus generated from the phrasebook's grammar.
struct PhrasebookCorpus {
  std::int64_t sentences = 100000;
  std::int64_t valid = 500;
  std::int64_t test = 500;
  std::int64_t seed = 1;
  std::string out;
  std::vector<std::string> patterns;

  template <class V>
  void visit(V& v) {
    v("sentences", sentences, "distinct training pairs to write", at_least(0));
    v("valid", valid, "validation pairs to write", at_least(0));
    v("test", test, "test pairs to write", at_least(0));
    v("seed", seed, "the same seed gives the same files", at_least(0));
    v("out", out, "prefix of the files: PREFIX.train.en, PREFIX.train.de, PREFIX.valid.en, ...");
    v("patterns", patterns, "only sentences of these patterns; empty means all");
  }
};

// Writes the files. None appears before all are complete, so a run that fails half-way changes nothing.
void write_phrasebook(const PhrasebookCorpus& corpus);

}  // namespace dragoman::run
