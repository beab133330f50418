#include "run/phrasebook_corpus.h"

#include <algorithm>

#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "phrasebook/phrasebook.h"

namespace dragoman::run {
namespace {

using phrasebook::BilingualPhrase;
using phrasebook::DistinctPairs;
using phrasebook::Phrasebook;
using phrasebook::Split;

// The two files of one part of the corpus.
class PartFiles {
 public:
  explicit PartFiles(const std::string& prefix) : english_(prefix + ".en"), german_(prefix + ".de") {}

  void write(const Phrasebook& book, Split split, std::int64_t count) {
    DistinctPairs pairs(book, split);
    Progress progress("phrasebook", count, "pairs");
    constexpr std::int64_t step = 4096;
    for (std::int64_t done = 0; done < count; done += step) {
      const std::int64_t now = std::min(step, count - done);
      std::string english, german;
      for (std::int64_t i = 0; i < now; ++i) {
        const BilingualPhrase pair = pairs.next();
        english.append(pair.english).append("\n");
        german.append(pair.german).append("\n");
      }
      english_.write(english);
      german_.write(german);
      progress.advance(now);
    }
  }
  void sync() {
    english_.sync();
    german_.sync();
  }
  void commit() {
    english_.commit();
    german_.commit();
  }

 private:
  AtomicFile english_, german_;
};

}  // namespace

void write_phrasebook(const PhrasebookCorpus& options) {
  const Phrasebook book(static_cast<std::uint64_t>(options.seed), options.patterns);
  PartFiles train(options.out + ".train"), valid(options.out + ".valid"), test(options.out + ".test");
  train.write(book, Split::train, options.sentences);
  valid.write(book, Split::valid, options.valid);
  test.write(book, Split::test, options.test);
  for (PartFiles* part : {&train, &valid, &test}) part->sync();
  for (PartFiles* part : {&train, &valid, &test}) part->commit();
  log::info("wrote {} training, {} validation and {} test pairs to {}.*", options.sentences, options.valid,
            options.test, options.out);
}

}  // namespace dragoman::run
