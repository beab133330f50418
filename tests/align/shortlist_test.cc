#include "align/shortlist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "align/em_training.h"
#include "base/random.h"
#include "tests/support/errors.h"

namespace dragoman::align {
namespace {

using Ids = std::vector<std::int32_t>;

TEST(Shortlist, IsTheUnionOfItsParts) {
  Random random(1);
  const auto draw = [&](std::size_t most, std::uint64_t below) {
    Ids ids(random.below(most + 1));
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.below(below));
    return ids;
  };
  for (int round = 0; round < 200; ++round) {
    const auto sources = static_cast<std::int64_t>(1 + random.below(9));
    const std::uint64_t targets = 1 + random.below(200);
    const Ids frequent = draw(5, targets), more = draw(3, targets),
              sentence = draw(8, static_cast<std::uint64_t>(sources));
    std::vector<Ids> lists;
    Ids begins{0}, flat;
    for (std::int64_t s = 0; s < sources; ++s) {
      lists.push_back(draw(6, targets));
      flat.insert(flat.end(), lists.back().begin(), lists.back().end());
      begins.push_back(static_cast<std::int32_t>(flat.size()));
    }
    std::set<std::int32_t> expected(frequent.begin(), frequent.end());
    expected.insert(more.begin(), more.end());
    for (const std::int32_t token : sentence)
      expected.insert(lists[static_cast<std::size_t>(token)].begin(), lists[static_cast<std::size_t>(token)].end());
    const Shortlist shortlist({sources, static_cast<std::int64_t>(targets)}, frequent, begins, flat);
    EXPECT_EQ(shortlist.choose(sentence, more), Ids(expected.begin(), expected.end()));
    for (const std::int32_t token : frequent) expected.erase(token);
    EXPECT_EQ(shortlist.choose_rare(sentence, more), Ids(expected.begin(), expected.end()));
  }
}

TEST(Shortlist, RefusesTablesThatDoNotFit) {
  const auto refused = [](const Ids& frequent, const Ids& begins, const Ids& targets) {
    return support::message([&] { Shortlist({2, 5}, frequent, begins, targets); });
  };
  EXPECT_EQ(refused({4}, {0, 1, 3}, {0, 1, 4}), "nothing was thrown");
  EXPECT_NE(refused({}, {0, 3}, {0, 1, 4}).find("needs 3"), std::string::npos);
  EXPECT_NE(refused({}, {}, {}).find("needs 3"), std::string::npos);
  EXPECT_NE(refused({}, {0, 3, 1}, {0}).find("must rise"), std::string::npos);
  EXPECT_NE(refused({}, {1, 1, 3}, {0, 1, 4}).find("must rise"), std::string::npos);
  EXPECT_NE(refused({}, {0, 1, 2}, {0, 1, 4}).find("must rise"), std::string::npos);
  EXPECT_NE(refused({}, {0, -1, 3}, {0, 1, 4}).find("must rise"), std::string::npos);
  EXPECT_NE(refused({5}, {0, 1, 3}, {0, 1, 4}).find("token 5"), std::string::npos);
  EXPECT_NE(refused({}, {0, 1, 3}, {0, -1, 4}).find("token -1"), std::string::npos);
}

// A language in which token t is written as 100 + t, in reverse order; token 3 is also written as 199.
TEST(Shortlist, IsLearnedFromTokens) {
  TokenPairs pairs(20);
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    Ids source(1 + random.below(6)), target;
    for (std::int32_t& token : source) token = static_cast<std::int32_t>(random.below(30) * random.below(30) / 30);
    for (auto token = source.rbegin(); token != source.rend(); ++token)
      target.push_back(*token == 3 && random.below(2) == 0 ? 199 : 100 + *token);
    pairs.add(source, target);
  }
  pairs.add(Ids(21, 1), Ids{150});  // too long
  Cooccurrence cooccurrence(pairs.bitext());
  EmTraining training(pairs.bitext(), cooccurrence, {});
  training.run([](const Iteration&, const Directions&) {});
  const Shortlist one = pairs.shortlist(training.table(), {40, 200}, {.best = 1, .frequent = 0});
  const Shortlist two = pairs.shortlist(training.table(), {40, 200}, {.best = 2, .frequent = 2});
  EXPECT_TRUE(one.frequent().empty());
  for (std::int32_t token = 0; token < 15; ++token) {
    EXPECT_LE(two.choose(Ids{token}, {}).size(), 4u);
    if (token == 3) continue;
    EXPECT_EQ(one.choose(Ids{token}, {}), Ids{100 + token});
  }
  const Ids both = pairs.shortlist(training.table(), {40, 200}, {.best = 2, .frequent = 0}).choose(Ids{3}, {});
  EXPECT_EQ(both, (Ids{103, 199}));
  EXPECT_TRUE(one.choose(Ids{39}, {}).empty()) << "a token that the text does not have";
  EXPECT_EQ(two.frequent(), (Ids{100, 101}));
}

// Every translation ends in 180 and most contain 150, and each token is translated by its double: with one translation
// of each token, 180 and 150 are what is missing.
TEST(Shortlist, ItsFrequentTokensAreThoseThatTranslationsLackOtherwise) {
  TokenPairs pairs(20);
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    Ids source(1 + random.below(6)), target;
    for (std::int32_t& token : source) token = static_cast<std::int32_t>(random.below(30));
    for (const std::int32_t token : source) target.push_back(2 * token);
    if (random.below(4) != 0) target.push_back(150);
    target.push_back(180);
    pairs.add(source, target);
  }
  Cooccurrence cooccurrence(pairs.bitext());
  EmTraining training(pairs.bitext(), cooccurrence, {});
  training.run([](const Iteration&, const Directions&) {});
  const TokenPairs::Choice choice{.best = 1, .frequent = 2, .copies = true};
  const Shortlist shortlist = pairs.shortlist(training.table(), {200, 200}, choice);
  EXPECT_EQ(shortlist.frequent(), (Ids{150, 180}));
  EXPECT_EQ(shortlist.choose_rare(Ids{17}, {}), (Ids{17, 34})) << "a translation and a copy";
  EXPECT_EQ(shortlist.choose_rare(Ids{199}, {}), (Ids{199})) << "a token that the text does not have";
}

}  // namespace
}  // namespace dragoman::align
