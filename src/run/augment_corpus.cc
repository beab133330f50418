#include "run/augment_corpus.h"

#include "base/error.h"
#include "base/progress.h"
#include "data/pair_writer.h"
#include "run/output_files.h"

namespace dragoman::run {

data::Counts augment_corpus(const AugmentCorpusOptions& options) {
  check_output_files({}, {{"--output-source", options.output_source}, {"--output-target", options.output_target}});
  data::PairWriter writer(options.output_source, options.output_target);
  data::Augmenter augmenter(options.changes);
  check(options.originals || !augmenter.made().empty(),
        "without the originals and without any changed copies (--upper, --typos, …) nothing would be written");
  Progress progress("augmenting", 0, "pairs");
  std::uint64_t read = 0;
  for (const data::Corpus& corpus : options.corpus.corpora()) {
    const auto reader = data::PairReader::open(corpus, options.reading);
    for (data::Pair pair; reader->next(pair); ++read) {
      if (options.originals) writer.write(pair);
      augmenter.augment(pair, [&](const data::Pair& copy) { writer.write(copy); });
      if (read % 4096 == 4095) progress.advance(4096);
    }
  }
  progress.finish();
  writer.commit();
  data::Counts counts = {{"read", read}};
  for (const auto& count : augmenter.made()) counts.push_back(count);
  counts.emplace_back("written", writer.written());
  return counts;
}

}  // namespace dragoman::run
