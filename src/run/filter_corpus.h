#pragma once

#include <cstdint>
#include <string>

#include "data/corpus.h"
#include "data/filters.h"
#include "text/language.h"

namespace dragoman::run {

// Which part of a parallel corpus to write where.
struct FilterCorpusOptions {
  std::string output_source, output_target;
  std::int64_t skip = 0, head = 0, sample = 0;
  std::uint64_t seed = 1;
  text::Language source_language = text::Language::tokenized, target_language = text::Language::tokenized;
  data::CorpusOptions corpus;
  data::ReadingOptions reading;
  data::FilterOptions filters;

  template <class V>
  void visit(V& v) {
    v.section("Output");
    v("output-source", output_source, "file to write the source sentences to; compressed if its name ends in .gz");
    v("output-target", output_target, "file to write the target sentences to");
    v("skip", skip, "leave out this many of the first pairs that the filters keep", at_least(0));
    v("head", head, "stop after this many of the remaining pairs; 0 means all", at_least(0));
    v("sample", sample, "choose this many of those pairs at random and write them in order; 0 means all", at_least(0));
    v("seed", seed, "random seed of the sample");
    v.section("Words");
    v("source-language", source_language,
      "filters count the words of this language's tokenizer; tokenized counts those between white space");
    v("target-language", target_language, "the same for the target");
    v.section("Reading");
    corpus.visit_files(v);
    corpus.visit_columns(v);
    reading.visit(v);
    v.section("Filters");
    filters.visit(v);
    v.only_if(
        "seed", [this] { return sample > 0; }, "only --sample uses it");
  }
};

// Writes the pairs that the filters keep. Neither file appears before both are complete. Returns the pairs read, left
// out for each reason and kept, and those written where --skip, --head or --sample left some out.
data::Counts filter_corpus(const FilterCorpusOptions& options);

}  // namespace dragoman::run
