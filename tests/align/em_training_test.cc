#include "align/em_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/threads.h"
#include "tests/align/synthetic.h"

namespace dragoman::align {
namespace {

struct Learned {
  Bitext bitext;
  Cooccurrence cooccurrence;
  EmTraining training;
  std::vector<Iteration> iterations;

  Learned(const synthetic::Corpus& corpus, const EmOptions& options)
      : bitext(corpus.bitext()), cooccurrence(bitext), training(bitext, cooccurrence, options) {
    training.run([&](const Iteration& iteration, const Directions&) { iterations.push_back(iteration); });
  }
  // The table's cell of a word pair.
  TranslationTable::Cell cell(const std::string& source, const std::string& target) const {
    const std::int32_t s = bitext.source().words().find(source), t = bitext.target().words().find(target);
    for (std::size_t at = cooccurrence.row_begin(s); at < cooccurrence.row_begin(s + 1); ++at)
      if (cooccurrence.target(at) == t) return training.table().cell(static_cast<std::uint32_t>(at));
    return {};
  }
};

EmOptions plain_em(int model1, int model2, int hmm) {
  return {.model1 = model1, .model2 = model2, .hmm = hmm, .null = 0.1, .alpha = 0, .agree = false, .prune = 0};
}

synthetic::Corpus textbook() {
  return {.source = {"das Haus", "das Buch", "ein Buch"}, .target = {"the house", "the book", "a book"}, .links = {}};
}

// The example of Koehn: "Statistical Machine Translation", 2010, figure 4.4.
TEST(Model1, FollowsTheTextbookExampleStepByStep) {
  const double the_das[] = {0.5, 0.6364, 0.7479}, book_das[] = {0.25, 0.1818, 0.1208};
  const double house_haus[] = {0.5, 0.5714, 0.6534};
  for (int n = 1; n <= 3; ++n) {
    EmOptions options = plain_em(n, 0, 0);
    options.null = 1e-6;
    const Learned learned(textbook(), options);
    EXPECT_NEAR(learned.cell("das", "the").forward, the_das[n - 1], 1e-3) << n;
    EXPECT_NEAR(learned.cell("das", "book").forward, book_das[n - 1], 1e-3) << n;
    EXPECT_NEAR(learned.cell("haus", "house").forward, house_haus[n - 1], 1e-3) << n;
  }
}

TEST(Model1, ReachesTheTextbookOptimum) {
  EmOptions options = plain_em(300, 0, 0);
  options.null = 1e-6;
  const Learned learned(textbook(), options);
  for (const auto& [source, target] : {std::pair("das", "the"), {"haus", "house"}, {"buch", "book"}, {"ein", "a"}}) {
    EXPECT_NEAR(learned.cell(source, target).forward, 1, 0.02) << source;
    EXPECT_NEAR(learned.cell(source, target).backward, 1, 0.02) << source;
  }
}

TEST(Em, RaisesTheLikelihoodAtEveryIteration) {
  const synthetic::Corpus corpus = synthetic::make_corpus(300, 40, 12, 11);
  for (const EmOptions& options : {plain_em(12, 0, 0), plain_em(2, 10, 0), plain_em(2, 0, 12)}) {
    const Learned learned(corpus, options);
    for (std::size_t i = 1; i < learned.iterations.size(); ++i) {
      const Iteration &before = learned.iterations[i - 1], &now = learned.iterations[i];
      if (before.kind != now.kind) continue;
      EXPECT_GE(now.forward, before.forward - 1e-3) << name_of(now.kind) << " " << now.number;
      EXPECT_GE(now.backward, before.backward - 1e-3) << name_of(now.kind) << " " << now.number;
    }
    EXPECT_GT(learned.iterations.back().forward, learned.iterations.front().forward);
  }
}

TEST(Em, GivesDistributionsThatSumToOne) {
  const Learned learned(synthetic::make_corpus(100, 20, 8, 2), plain_em(3, 0, 2));
  const Cooccurrence& cells = learned.cooccurrence;
  std::vector<double> columns(learned.bitext.target().words().size());
  for (std::size_t row = 1; row < cells.rows(); ++row) {
    double sum = 0;
    for (std::size_t at = cells.row_begin(row); at < cells.row_begin(row + 1); ++at) {
      sum += learned.training.table().cell(static_cast<std::uint32_t>(at)).forward;
      columns[cells.target(at)] += learned.training.table().cell(static_cast<std::uint32_t>(at)).backward;
    }
    EXPECT_NEAR(sum, 1, 1e-4);
  }
  for (std::size_t target = 1; target < columns.size(); ++target) EXPECT_NEAR(columns[target], 1, 1e-4);
}

TEST(Em, GivesTheSameBitsForAnyNumberOfThreads) {
  const synthetic::Corpus corpus = synthetic::make_corpus(1500, 60, 10, 5);
  const auto learn = [&](int threads) {
    threads::set_count(threads);
    const Learned learned(corpus, {.model1 = 2, .model2 = 1, .hmm = 2, .alpha = 0.01});
    std::vector<double> all = learned.training.directions().forward->parameters();
    for (std::size_t at = 0; at < learned.cooccurrence.size(); ++at) {
      all.push_back(learned.training.table().cell(static_cast<std::uint32_t>(at)).forward);
      all.push_back(learned.training.table().cell(static_cast<std::uint32_t>(at)).backward);
    }
    for (const Iteration& iteration : learned.iterations) all.push_back(iteration.forward + iteration.backward);
    return all;
  };
  const std::vector<double> one = learn(1), two = learn(2), three = learn(3);
  threads::set_count(0);
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, three);
}

TEST(Cooccurrence, KnowsEveryPlaceOfEveryPair) {
  const Bitext bitext = synthetic::make_corpus(200, 15, 7, 9).bitext();
  Cooccurrence cooccurrence(bitext);
  const auto verify = [&](auto&& expected) {
    for (std::size_t pair = 0; pair < bitext.size(); ++pair) {
      const auto source = bitext.source().sentence(pair), target = bitext.target().sentence(pair);
      const auto cells = cooccurrence.cells(pair);
      ASSERT_EQ(cells.size(), source.size() * target.size());
      for (std::size_t i = 0; i < source.size(); ++i)
        for (std::size_t j = 0; j < target.size(); ++j) expected(source[i], target[j], cells[i * target.size() + j]);
    }
  };
  verify([&](std::int32_t source, std::int32_t target, std::uint32_t cell) {
    EXPECT_EQ(cooccurrence.target(cell), target);
    EXPECT_TRUE(cell >= cooccurrence.row_begin(source) && cell < cooccurrence.row_begin(source + 1));
  });
  std::vector<bool> keep(cooccurrence.size());
  for (std::size_t at = 1; at < keep.size(); ++at) keep[at] = cooccurrence.target(at) % 2 == 0;
  cooccurrence.drop(keep);
  verify([&](std::int32_t source, std::int32_t target, std::uint32_t cell) {
    if (target % 2 != 0) {
      EXPECT_EQ(cell, 0u);
      return;
    }
    EXPECT_EQ(cooccurrence.target(cell), target);
    EXPECT_TRUE(cell >= cooccurrence.row_begin(source) && cell < cooccurrence.row_begin(source + 1));
  });
}

TEST(ExpDigamma, HasItsKnownValues) {
  constexpr double kEuler = 0.57721566490153286;
  EXPECT_NEAR(exp_digamma(1), std::exp(-kEuler), 1e-9);
  EXPECT_NEAR(exp_digamma(2), std::exp(1 - kEuler), 1e-9);
  EXPECT_NEAR(exp_digamma(0.5), std::exp(-kEuler - 2 * std::log(2.0)), 1e-9);
  double harmonic = 0;
  for (int n = 1; n < 1000; ++n) harmonic += 1.0 / n;
  EXPECT_NEAR(exp_digamma(1000) / std::exp(harmonic - kEuler), 1, 1e-12);
}

}  // namespace
}  // namespace dragoman::align
