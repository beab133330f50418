#pragma once

#include <string>

#include "data/augment.h"
#include "data/corpus.h"

namespace dragoman::run {

// Which corpus to augment, how, and where to write it.
struct AugmentCorpusOptions {
  std::string output_source, output_target;
  bool originals = true;
  data::CorpusOptions corpus;
  data::ReadingOptions reading;
  data::AugmentOptions changes;

  template <class V>
  void visit(V& v) {
    v.section("Output");
    v("output-source", output_source, "file to write the source sentences to; compressed if its name ends in .gz");
    v("output-target", output_target, "file to write the target sentences to");
    v("originals", originals, "write the pairs themselves, too, each before its copies");
    v.section("Changed copies, each of this fraction of the pairs");
    changes.visit(v);
    v.section("Reading");
    corpus.visit_files(v);
    corpus.visit_columns(v);
    reading.visit(v);
  }
};

// Writes the pairs of a corpus and changed copies of some of them. Returns the pairs read, the copies per kind and the
// pairs written.
data::Counts augment_corpus(const AugmentCorpusOptions& options);

}  // namespace dragoman::run
