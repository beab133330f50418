#include "align/aligner.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/align/synthetic.h"
#include "tests/support/errors.h"
#include "tests/support/repair.h"
#include "tests/support/temp_folder.h"

namespace dragoman::align {
namespace {

using support::message;

Aligner learn(const Bitext& bitext, const EmOptions& options = {}) {
  Cooccurrence cooccurrence(bitext);
  EmTraining training(bitext, cooccurrence, options);
  training.run([](const Iteration&, const Directions&) {});
  return Aligner(training, bitext);
}

double error_rate(const Aligner& aligner, const synthetic::Corpus& corpus, Symmetrisation method) {
  const Bitext bitext = corpus.bitext();
  std::vector<eval::SentenceLinks> found, gold;
  for (std::size_t i = 0; i < bitext.size(); ++i) {
    found.push_back(
        {aligner.align(bitext.source().sentence(i), bitext.target().sentence(i), {.symmetrise = method}), {}});
    gold.push_back({corpus.links[i], {}});
  }
  return eval::compare_links(found, gold).alignment_error();
}

TEST(Aligner, FindsTheLinksThatTextWasMadeWith) {
  const synthetic::Corpus corpus = synthetic::make_corpus(800, 50, 9, 1);
  const Aligner aligner = learn(corpus.bitext());
  for (const Symmetrisation method : {Symmetrisation::product, Symmetrisation::intersection,
                                      Symmetrisation::grow_diag_final_and, Symmetrisation::forward})
    EXPECT_LT(error_rate(aligner, corpus, method), 0.05) << name_of(method);
}

TEST(Aligner, IsBetterWithEveryModel) {
  const synthetic::Corpus corpus = synthetic::make_corpus(300, 150, 15, 6);
  const EmOptions model1 = {.model1 = 5, .model2 = 0, .hmm = 0}, hmm = {.model1 = 5, .model2 = 0, .hmm = 5};
  EXPECT_LT(error_rate(learn(corpus.bitext(), hmm), corpus, Symmetrisation::product),
            error_rate(learn(corpus.bitext(), model1), corpus, Symmetrisation::product));
}

TEST(Aligner, GivesTheSameLinksAfterSavingAndLoading) {
  const support::TempFolder folder;
  const synthetic::Corpus corpus = synthetic::make_corpus(200, 40, 9, 8);
  const Bitext bitext = corpus.bitext();
  const Aligner aligner = learn(bitext);
  aligner.save(folder.file("model"));
  const Aligner loaded = Aligner::load(folder.file("model"));
  for (std::size_t i = 0; i < bitext.size(); ++i) {
    const auto before = aligner.posteriors(bitext.source().sentence(i), bitext.target().sentence(i));
    const std::vector<std::string> source = loaded.source_side().words(corpus.source[i], false);
    const std::vector<std::string> target = loaded.target_side().words(corpus.target[i], false);
    const auto after = loaded.posteriors(loaded.source_ids(source), loaded.target_ids(target));
    EXPECT_EQ(before.forward.word, after.forward.word);
    EXPECT_EQ(before.backward.word, after.backward.word);
  }
  loaded.save(folder.file("again"));
  EXPECT_TRUE(support::read_all(folder.file("model")) == support::read_all(folder.file("again")));
}

TEST(Aligner, RefusesDamagedModels) {
  const support::TempFolder folder;
  learn(synthetic::make_corpus(20, 10, 5, 8).bitext()).save(folder.file("model"));
  const std::string bytes = support::read_all(folder.file("model"));
  const auto said = [&](const std::string& content) {
    return message([&] { Aligner::load(folder.write("bad", content)); });
  };
  EXPECT_NE(said("").find("bad: expected a file that starts with 'dragoman alignment model"), std::string::npos);
  EXPECT_NE(said("something else").find("expected a file"), std::string::npos);
  EXPECT_NE(said(bytes.substr(0, 30)).find("cut short"), std::string::npos);
  EXPECT_NE(said(bytes.substr(0, bytes.size() - 1)).find("checksum"), std::string::npos);
  EXPECT_NE(said(bytes + "x").find("checksum"), std::string::npos);
  for (std::size_t at = 40; at < bytes.size(); at += 97) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    EXPECT_NE(said(changed).find("checksum"), std::string::npos) << at;
  }
}

// The checksum of a damaged file may still be right.
TEST(Aligner, RefusesModelsWhosePartsDoNotFit) {
  const support::TempFolder folder;
  learn(synthetic::make_corpus(20, 10, 5, 8).bitext()).save(folder.file("model"));
  const std::string bytes = support::read_all(folder.file("model"));
  const std::vector<std::string> source = {"s1", "s2"}, target = {"t1", "t2", "t3"};
  Random random(2);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string changed = bytes;
    for (int change = 0; change < 1 + round % 3; ++change)
      changed[28 + random.below(changed.size() - 28)] = static_cast<char>(random.below(256));
    support::repair_checked_file(changed);
    try {
      const Aligner aligner = Aligner::load(folder.write(std::to_string(round), changed));
      const PairPosteriors posteriors = aligner.posteriors(aligner.source_ids(source), aligner.target_ids(target));
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_TRUE(posteriors.both(i, j) >= 0 && posteriors.both(i, j) < 1.01f) << round;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(Aligner, AlignsUnknownWordsByPosition) {
  const Aligner aligner = learn(synthetic::make_corpus(400, 30, 8, 4).bitext());
  const std::vector<std::string> source = {"s1", "never", "s3"}, target = {"t1", "nie", "t3"};
  const Links links = aligner.align(aligner.source_ids(source), aligner.target_ids(target),
                                    {.symmetrise = Symmetrisation::grow_diag_final_and});
  EXPECT_EQ(links.front(), (Link{0, 0}));
  EXPECT_EQ(links.back(), (Link{2, 2}));
  EXPECT_TRUE(aligner.align({}, aligner.target_ids(target), {}).empty());
}

TEST(Bitext, KeepsLineNumbersAndCountsWhatItLeavesOut) {
  Bitext bitext({}, {}, 3);
  bitext.add("a b", "c", false);
  bitext.add("", "c", false);
  bitext.add("a", "", false);
  bitext.add("", "", false);
  bitext.add("a b c d", "c", false);
  bitext.add("a", "c d e", false);
  EXPECT_EQ(bitext.size(), 6u);
  EXPECT_EQ(bitext.one_sided(), 2u);
  EXPECT_EQ(bitext.too_long(), 1u);
  EXPECT_EQ(bitext.source().length(0), 2u);
  EXPECT_EQ(bitext.source().length(4), 0u);
  EXPECT_EQ(bitext.target().length(5), 3u);
}

TEST(Bitext, OfNothingCanBeLearnedFrom) {
  Bitext bitext({}, {}, 3);
  bitext.add("", "x", false);
  const Aligner aligner = learn(bitext);
  const std::vector<std::string> words = {"a", "b"};
  EXPECT_LE(aligner.align(aligner.source_ids(words), aligner.target_ids(words), {}).size(), 4u);
}

TEST(Bitext, RareWordsShareANumber) {
  Bitext bitext({}, {}, 10);
  bitext.add("a a b", "x y y", false);
  bitext.add("a c", "y", false);
  bitext.cut(2);
  const auto first = bitext.source().sentence(0), second = bitext.source().sentence(1);
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(first[2], 0);
  EXPECT_EQ(second[1], 0);
  EXPECT_NE(first[0], 0);
  EXPECT_EQ(bitext.source().words().size(), 2);
}

TEST(Side, CountsWordsUnderFoldedAndCutKeys) {
  const Side plain({.fold = false}), folded({}), stemmed({.stem = 3});
  EXPECT_EQ(plain.key("Straße"), "Straße");
  EXPECT_EQ(folded.key("Straße"), folded.key("STRASSE"));
  EXPECT_EQ(stemmed.key("Änderung"), stemmed.key("änd"));
  EXPECT_EQ(stemmed.key("ab"), "ab");
  EXPECT_EQ(folded.words("a,  b.", false), (std::vector<std::string>{"a,", "b."}));
  EXPECT_EQ(folded.words("a,  b.", true), (std::vector<std::string>{"a", ",", "b", "."}));
}

}  // namespace
}  // namespace dragoman::align
