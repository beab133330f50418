#include "data/phrasebook.h"

#include <algorithm>
#include <fstream>

#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"

namespace dragoman::cli {
namespace {

using data::DistinctPairs;
using data::Phrasebook;
using data::PhrasePair;
using data::Split;

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

void write_part(const Phrasebook& book, Split split, const std::string& prefix, std::int64_t count) {
  std::ofstream english(prefix + ".en"), german(prefix + ".de");
  check(english.good() && german.good(), "cannot write {}.en and {}.de", prefix, prefix);
  DistinctPairs pairs(book, split);
  Progress progress("phrasebook", count, "pairs");
  constexpr std::int64_t step = 4096;
  for (std::int64_t done = 0; done < count; done += step) {
    const std::int64_t now = std::min(step, count - done);
    for (std::int64_t i = 0; i < now; ++i) {
      const PhrasePair pair = pairs.next();
      english << pair.english << '\n';
      german << pair.german << '\n';
    }
    progress.advance(now);
  }
  english.close();
  german.close();
  check(!english.fail() && !german.fail(), "writing {}.en and {}.de failed: is the disk full?", prefix, prefix);
}

void show_patterns(const PhrasebookOptions& options) {
  const std::vector<std::string> names = options.patterns.empty() ? Phrasebook::pattern_names() : options.patterns;
  for (const std::string& name : names) {
    const Phrasebook book(static_cast<std::uint64_t>(options.seed), {name});
    fmt::print("{}\n", name);
    for (std::int64_t i = 0; i < options.show; ++i) {
      const PhrasePair pair = book.pair(Split::train, static_cast<std::uint64_t>(i));
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
    const Phrasebook book(static_cast<std::uint64_t>(options.seed), options.patterns);
    write_part(book, Split::train, options.out + ".train", options.sentences);
    write_part(book, Split::valid, options.out + ".valid", options.valid);
    write_part(book, Split::test, options.out + ".test", options.test);
    log::info("wrote {} training, {} validation and {} test pairs to {}.*", options.sentences, options.valid,
              options.test, options.out);
    return 0;
  };
  return run_with<PhrasebookOptions>(self, arguments, body);
}

}  // namespace

extern const Command phrasebook{"phrasebook", "--sentences N --out PREFIX",
                                "writes an English-German corpus from a built-in grammar", run};

}  // namespace dragoman::cli
