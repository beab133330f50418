#include <gtest/gtest.h>

#include "tests/search/toy.h"
#include "tests/support/errors.h"

namespace dragoman::search::test {
namespace {

bool contains(const Tokens& words, const Tokens& sequence) {
  return std::search(words.begin(), words.end(), sequence.begin(), sequence.end()) != words.end();
}

Tokens random_words(Random& random, int count, int vocabulary) {
  Tokens words(static_cast<std::size_t>(count));
  for (std::int32_t& word : words)
    word = static_cast<std::int32_t>(4 + random.below(static_cast<std::uint64_t>(vocabulary - 4)));
  return words;
}

TEST(Constraints, AreAtMost64) {
  EXPECT_EQ(Constraints(std::vector<Tokens>(64, {5})).total(), 64);
  EXPECT_NE(support::message([] { Constraints(std::vector<Tokens>(65, {5})); }).find("at most 64 terms, but got 65"),
            std::string::npos);
}

TEST(Constraints, AllHoldOnThousandsOfRandomSearches) {
  Random random(1);
  int searches = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ToyModel model(seed % 2 ? "transformer-small" : "lstm-luong", 7, seed);
    std::vector<ToySentence> sentences;
    for (int i = 0; i < 40; ++i) {
      SearchOptions options;
      options.beam = 1 + static_cast<int>(random.below(6));
      options.n_best = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(options.beam)));
      options.sample = random.below(5) == 0;
      std::vector<Tokens> must;
      int total = 0;
      for (std::uint64_t n = random.below(4); n > 0; --n) {
        must.push_back(random_words(random, 1 + static_cast<int>(random.below(3)), model.vocabulary()));
        total += static_cast<int>(must.back().size());
      }
      Goal goal = toy_goal(options, std::max(total + static_cast<int>(random.below(5)), 1));
      goal.constraints = Constraints(must);
      for (std::uint64_t n = random.below(3); n > 0; --n)
        goal.banned.push_back(random_words(random, 1 + static_cast<int>(random.below(2)), model.vocabulary()));
      goal.stream = static_cast<std::uint64_t>(i);
      sentences.push_back({random_source(random), goal});
    }
    const auto results = translate({&model.network()}, sentences);
    for (std::size_t i = 0; i < sentences.size(); ++i, ++searches) {
      const Goal& goal = sentences[i].goal;
      const auto describe = [&](const Found& found) {
        std::string words;
        for (const std::int32_t word : found.words) words += " " + std::to_string(word);
        return "seed " + std::to_string(seed) + " sentence " + std::to_string(i) + ":" + words;
      };
      ASSERT_FALSE(results[i].empty()) << seed << " " << i;
      for (const Found& found : results[i]) {
        EXPECT_LE(static_cast<int>(found.words.size()), goal.max_length);
        // Terms override bans, so bans only hold if there are no terms.
        for (const Tokens& sequence : goal.banned)
          EXPECT_FALSE(goal.constraints.empty() && contains(found.words, sequence)) << describe(found);
        TermProgress progress;
        for (const std::int32_t word : found.words) progress = goal.constraints.after(progress, word);
        EXPECT_EQ(goal.constraints.left(progress), 0) << describe(found);
      }
    }
  }
  EXPECT_GE(searches, 2000);
}

TEST(Constraints, CoverageMeansThatTheSequencesAreThere) {
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    std::vector<Tokens> must;
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n)
      must.push_back(random_words(random, 1 + static_cast<int>(random.below(3)), 7));
    const Constraints constraints(must);
    const Tokens words = random_words(random, 12, 7);
    TermProgress progress;
    for (const std::int32_t word : words) progress = constraints.after(progress, word);
    for (const Tokens& sequence : must) EXPECT_TRUE(constraints.left(progress) > 0 || contains(words, sequence));
  }
}

TEST(Constraints, MayHaveAnotherTokenInAPlace) {
  const std::vector<TokenEdges> edges(12);
  const Constraints constraints({{4, 5, 6}, {8}}, {Ending::any, Ending::any}, edges, {{4, 7, 6}, {}});
  Tokens next;
  const TermProgress begun = constraints.after({}, 4);
  constraints.find_next(begun, next);
  EXPECT_EQ(next, (Tokens{5, 7}));
  for (const std::int32_t token : next)
    EXPECT_EQ(constraints.left(constraints.after(constraints.after(begun, token), 6)), 1) << token;
  EXPECT_EQ(constraints.left(constraints.after(begun, 8)), 3) << "begun anew, but the other one is met";
  Random random(5);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ToyModel model(seed % 2 ? "transformer-small" : "lstm-luong", 8, seed);
    Goal goal = toy_goal({.beam = 1 + static_cast<int>(random.below(6))}, 12);
    goal.constraints = constraints;
    for (const Found& found : translate_one(model, {random_source(random), goal})) {
      EXPECT_TRUE(contains(found.words, {4, 5, 6}) || contains(found.words, {4, 7, 6})) << seed;
      EXPECT_TRUE(contains(found.words, {8})) << seed;
    }
  }
}

TEST(Constraints, ATermCostsNoMoreThanItMust) {
  // With a wide beam the constrained search finds the best of all translations that contain the term.
  Random random(3);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const ToyModel model("transformer-small", 2, seed);
    const Tokens source = random_source(random), term = {4, 5};
    SearchOptions options;
    options.beam = 300;
    options.ranking = Ranking::sum;
    Goal goal = toy_goal(options, 4);
    goal.constraints = Constraints({term});
    const Found found = translate_one(model, {source, goal}).front();
    Goal all = toy_goal(options, 4);
    all.options.n_best = 300;
    all.options.finished = 300;
    for (const Found& other : translate_one(model, {source, all}))
      if (contains(other.words, term)) {
        EXPECT_EQ(found.words, other.words);
        break;
      }
  }
}

TEST(Constraints, ATermThatHasItsPlaceBeginsThere) {
  Random random(4);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ToyModel model(seed % 2 ? "transformer-small" : "lstm-luong", 7, seed);
    const Tokens term = random_words(random, 1 + static_cast<int>(random.below(3)), model.vocabulary());
    SearchOptions options;
    options.beam = 1 + static_cast<int>(random.below(6));
    const auto start = static_cast<std::ptrdiff_t>(random.below(4));
    Goal goal = toy_goal(options, 8);
    goal.constraints = Constraints({term});
    goal.term_start = static_cast<int>(start);
    const std::vector<Found> found = translate_one(model, {random_source(random), goal});
    ASSERT_FALSE(found.empty()) << seed;
    for (const Found& one : found) {
      ASSERT_GE(std::ssize(one.words), start + std::ssize(term)) << seed;
      EXPECT_TRUE(std::equal(term.begin(), term.end(), one.words.begin() + start)) << seed;
    }
  }
}

TEST(Prefix, AndTheWordsAfterItMayNotExceedTheModelsPositions) {
  const ToyModel model("transformer-small", 7, 3);  // 64 positions
  const auto reason = [&](std::size_t words) -> std::string {
    SearchOptions options;
    options.min_length = 80;
    try {
      translate_one(model, {{4, 5}, toy_goal(options, 90), Tokens(words, 6)});
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  // BOS and the prefix come first, then one word at a time.
  EXPECT_NE(reason(70).find("71 tokens is longer than the model's max-positions 64"), std::string::npos) << reason(70);
  EXPECT_NE(reason(60).find("65 tokens is longer than the model's max-positions 64"), std::string::npos) << reason(60);
}

TEST(Prefix, TheTranslationBeginsWithIt) {
  Random random(4);
  for (const char* preset : {"transformer-small", "lstm-luong", "seq2seq-additive-encoder+decoder+self"}) {
    const ToyModel model(preset, 7, 3);
    for (int i = 0; i < 10; ++i) {
      const Tokens source = random_source(random), prefix = random_words(random, 1 + i % 4, 11);
      SearchOptions options;
      options.n_best = 4;
      for (const Found& found : translate_one(model, {source, toy_goal(options, 9), prefix})) {
        ASSERT_GE(found.words.size(), prefix.size());
        EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), found.words.begin()));
        const auto rows = model.distributions(source, found.words);
        for (std::size_t t = 0; t < found.words.size(); ++t)
          EXPECT_NEAR(static_cast<double>(found.token_scores[t]), rows[t][static_cast<std::size_t>(found.words[t])],
                      1e-4);
      }
    }
  }
}

TEST(Banned, SequencesNeverAppear) {
  Random random(5);
  const ToyModel model("lstm-luong", 4, 3);
  for (int i = 0; i < 100; ++i) {
    const Tokens source = random_source(random);
    SearchOptions options;
    options.min_length = 4;
    const Tokens free = translate_one(model, {source, toy_goal(options, 9)}).front().words;
    Goal goal = toy_goal(options, 9);
    goal.banned = {{free[0]}, {free[1], free[2]}};
    const Tokens words = translate_one(model, {source, goal}).front().words;
    for (const Tokens& sequence : goal.banned) EXPECT_FALSE(contains(words, sequence));
  }
}

}  // namespace
}  // namespace dragoman::search::test
