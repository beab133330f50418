#include "phrasebook/phrasebook.h"

#include <algorithm>

#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"

namespace dragoman::cli {
namespace {

using phrasebook::BilingualPhrase;
using phrasebook::DistinctPairs;
using phrasebook::Phrasebook;
using phrasebook::Split;

struct PhrasebookOptions {
  std::int64_t sentences = 100000;
  std::int64_t valid = 500;
  std::int64_t test = 500;
  std::int64_t seed = 1;
  std::string out;
  std::vector<std::string> patterns;
  std::int64_t show = 0;

  template <class V>
  void visit(V& v) {
    v("sentences", sentences, "distinct training pairs to write", at_least(0));
    v("valid", valid, "validation pairs to write", at_least(0));
    v("test", test, "test pairs to write", at_least(0));
    v("seed", seed, "the same seed gives the same files", at_least(0));
    v("out", out, "prefix of the files: PREFIX.train.en, PREFIX.train.de, PREFIX.valid.en, ...");
    v("patterns", patterns, "only sentences of these patterns; all where none is named");
    v("show", show, "print this many pairs of each pattern instead of writing files", at_least(0));
  }
};

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
  void commit() {
    english_.commit();
    german_.commit();
  }

 private:
  AtomicFile english_, german_;
};

// No file appears before all are complete, so that a run that is refused half-way changes nothing.
void write_corpus(const PhrasebookOptions& options) {
  const Phrasebook book(static_cast<std::uint64_t>(options.seed), options.patterns);
  PartFiles train(options.out + ".train"), valid(options.out + ".valid"), test(options.out + ".test");
  train.write(book, Split::train, options.sentences);
  valid.write(book, Split::valid, options.valid);
  test.write(book, Split::test, options.test);
  for (PartFiles* part : {&train, &valid, &test}) part->commit();
  log::info("wrote {} training, {} validation and {} test pairs to {}.*", options.sentences, options.valid,
            options.test, options.out);
}

void show_patterns(const PhrasebookOptions& options) {
  const std::vector<std::string> names = options.patterns.empty() ? Phrasebook::pattern_names() : options.patterns;
  for (const std::string& name : names) {
    const Phrasebook book(static_cast<std::uint64_t>(options.seed), {name});
    fmt::print("{}\n", name);
    for (std::int64_t i = 0; i < options.show; ++i) {
      const BilingualPhrase pair = book.pair(Split::train, static_cast<std::uint64_t>(i));
      fmt::print("  {}\n  {}\n", pair.german, pair.english);
    }
  }
}

int run(const Command& self, const std::vector<std::string>& arguments) {
  const auto body = [](const PhrasebookOptions& options, const std::vector<std::string>& words) {
    check(words.empty(), "phrasebook takes flags only, but got '{}'", words.empty() ? "" : words[0]);
    if (options.show > 0) {
      show_patterns(options);
      return 0;
    }
    check(!options.out.empty(), "phrasebook needs --out PREFIX, the beginning of the names of the files to write");
    write_corpus(options);
    return 0;
  };
  return run_with<PhrasebookOptions>(self, arguments, body);
}

}  // namespace

extern const Command phrasebook{"phrasebook", "--sentences N --out PREFIX",
                                "writes an English-German corpus from a built-in grammar", run};

}  // namespace dragoman::cli
