#include "align/aligner.h"

#include <chrono>

#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "data/pair_reader.h"

namespace dragoman::cli {
namespace {

using align::Aligner;
using align::Bitext;

struct AlignOptions {
  bool tokenize = false, train_tokenize = false;
  std::vector<std::string> train_source, train_target;
  std::string model, save;
  std::int64_t max_words = 400;
  std::int64_t min_count = 1;
  align::SideOptions source, target;
  align::TrainingOptions train;
  align::DecodingOptions decode;

  template <class V>
  void visit(V& v) {
    v("tokenize", tokenize, "SOURCE and TARGET are plain text: cut them into words first");
    v("train-source", train_source, "more source text to learn from, not to align");
    v("train-target", train_target, "its translation, one file for each");
    v("train-tokenize", train_tokenize, "that text is plain: cut it into words first");
    v("model", model, "align with this model instead of learning one");
    v("save", save, "write the model here");
    v("max-words", max_words, "pairs with a longer side get no links", between(1, 10000));
    v("min-count", min_count, "words seen less often are counted as one", at_least(1));
    v.group("source", source);
    v.group("target", target);
    train.visit(v);
    decode.visit(v);
  }
};

// Adds a corpus line by line; what reading leaves out becomes an empty pair, so that line numbers stay.
void read_pairs(const std::string& source, const std::string& target, bool plain, Bitext& bitext) {
  const auto reader = data::PairReader::open({.source = source, .target = target}, {});
  Progress progress("reading", 0, "pairs");
  std::uint64_t line = 1;
  for (data::Pair pair; reader->next(pair); ++line) {
    for (; line < pair.line; ++line) bitext.add("", "", false);
    bitext.add(pair.source, pair.target, plain);
    progress.advance();
  }
}

void report(const align::Iteration& iteration, const align::Directions& directions, const Bitext& bitext) {
  const double forward = iteration.forward / static_cast<double>(std::max<std::size_t>(bitext.target().tokens(), 1));
  const double backward = iteration.backward / static_cast<double>(std::max<std::size_t>(bitext.source().tokens(), 1));
  log::info("{} {}: log p per word {:.4f} forward, {:.4f} backward ({})", name_of(iteration.kind), iteration.number,
            forward, backward, directions.forward->describe());
}

Aligner learn(const AlignOptions& options, const Bitext& bitext) {
  align::Cooccurrence cooccurrence(bitext);
  log::info("{} pairs, {} and {} words, {} and {} types, {} pairs of types", with_commas(bitext.size()),
            with_commas(bitext.source().tokens()), with_commas(bitext.target().tokens()),
            with_commas(bitext.source().words().size()), with_commas(bitext.target().words().size()),
            with_commas(cooccurrence.size()));
  align::Trainer trainer(bitext, cooccurrence, options.train);
  trainer.run([&](const align::Iteration& iteration, const align::Directions& directions) {
    report(iteration, directions, bitext);
  });
  return Aligner(trainer, bitext);
}

void print_links(const Aligner& aligner, const Bitext& bitext, std::size_t count,
                 const align::DecodingOptions& options) {
  constexpr std::size_t kStep = 4096;
  Progress progress("aligning", static_cast<std::int64_t>(count), "pairs");
  std::vector<std::string> lines(kStep);
  for (std::size_t begin = 0; begin < count; begin += kStep) {
    const std::size_t now = std::min(kStep, count - begin);
    threads::each(static_cast<std::int64_t>(now), [&](std::int64_t at) {
      const std::size_t pair = begin + static_cast<std::size_t>(at);
      lines[at] =
          align::to_pharaoh(aligner.align(bitext.source().sentence(pair), bitext.target().sentence(pair), options));
    });
    for (std::size_t at = 0; at < now; ++at) fmt::print("{}\n", lines[at]);
    progress.advance(static_cast<std::int64_t>(now));
  }
}

int align_files(const AlignOptions& options, const std::vector<std::string>& paths) {
  expect_words(paths, 2, "align needs SOURCE and TARGET, two files with a sentence a line");
  check(options.train_source.size() == options.train_target.size(),
        "--train-source names {} files but --train-target {}", options.train_source.size(),
        options.train_target.size());
  if (!options.model.empty()) {
    const Aligner aligner = Aligner::load(options.model);
    const auto r = data::PairReader::open({.source = paths[0], .target = paths[1]}, {});
    for (data::Pair pair; r->next(pair);)
      fmt::print("{}\n", align::to_pharaoh(aligner.align(aligner.source_ids(aligner.source_side().words(pair.source, options.tokenize)), aligner.target_ids(aligner.target_side().words(pair.target, options.tokenize)), options.decode)));
    return 0;
  }
  Bitext bitext(options.source, options.target, static_cast<std::size_t>(options.max_words));
  read_pairs(paths[0], paths[1], options.tokenize, bitext);
  const std::size_t count = bitext.size();
  for (std::size_t i = 0; i < options.train_source.size(); ++i)
    read_pairs(options.train_source[i], options.train_target[i], options.train_tokenize, bitext);
  bitext.cut(options.min_count);
  const Aligner aligner = learn(options, bitext);
  if (!options.save.empty()) aligner.save(options.save);
  print_links(aligner, bitext, count, options.decode);
  return 0;
}

int run(const Command& self, const std::vector<std::string>& arguments) {
  return run_with<AlignOptions>(self, arguments, align_files);
}

}  // namespace

extern const Command align{"align", "SOURCE TARGET", "finds which words translate each other", run};

}  // namespace dragoman::cli
