#include "data/filters.h"

#include "tests/data/support.h"

namespace dragoman::data {
namespace {

bool keeps(const FilterOptions& options, const std::string& source, const std::string& target) {
  return Filters(options).keeps({source, target, 1});
}

TEST(Filters, AreAllOffByDefault) {
  EXPECT_TRUE(keeps({}, "", ""));
  EXPECT_TRUE(keeps({}, "x", "x"));
}

TEST(Filters, EachDropsWhatItIsFor) {
  EXPECT_FALSE(keeps({.drop_empty = true}, "a", " \t"));
  EXPECT_TRUE(keeps({.drop_empty = true}, "a", "b"));
  EXPECT_FALSE(keeps({.drop_identical = true}, "a", "a"));
  EXPECT_TRUE(keeps({.drop_identical = true}, "a", "A"));
  EXPECT_FALSE(keeps({.min_words = 2}, "a b", "a"));
  EXPECT_TRUE(keeps({.min_words = 2}, "a b", "a b"));
  EXPECT_FALSE(keeps({.max_words = 2}, "a b c", "a"));
  EXPECT_TRUE(keeps({.max_words = 2}, "a b", "a"));
  EXPECT_FALSE(keeps({.max_ratio = 1.5}, "a b", "a b c d"));
  EXPECT_TRUE(keeps({.max_ratio = 1.5}, "a b", "a b c"));
  EXPECT_FALSE(keeps({.max_word_characters = 5}, "short", "donaudampfschiff"));
  EXPECT_TRUE(keeps({.max_word_characters = 5}, "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", "b"));
  EXPECT_FALSE(keeps({.min_word_characters = 2}, "a b c d e", "words here"));
  EXPECT_FALSE(keeps({.source_script = Script::latin}, "привет", "hello"));
  EXPECT_TRUE(keeps({.source_script = Script::latin}, "hello", "привет"));
  EXPECT_FALSE(keeps({.target_script = Script::devanagari, .script_share = 0.8}, "a", "abc नम"));
}

TEST(Filters, LimitsOnWordsAreNotForLabels) {
  EXPECT_TRUE(keeps({.min_words = 2, .labels = true}, "a b", "label"));
  EXPECT_FALSE(keeps({.min_words = 2, .labels = true}, "a", "label"));
  EXPECT_TRUE(keeps({.max_words = 1, .labels = true}, "a", "two labels"));
  EXPECT_TRUE(keeps({.max_word_characters = 5, .labels = true}, "short", "positive"));
  EXPECT_FALSE(keeps({.drop_empty = true, .labels = true}, "a", ""));
}

TEST(Filters, DuplicatesAreDroppedAfterTheirFirstTime) {
  Filters filters({.drop_duplicates = true});
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 5000; ++i) {
      const Pair pair{std::to_string(i), std::to_string(i / 2), 1};
      EXPECT_EQ(filters.keeps(pair), round == 0);
    }
  EXPECT_FALSE(filters.keeps({"1", "0", 1}));
  EXPECT_TRUE(filters.keeps({"10", "", 1}));
  EXPECT_TRUE(filters.keeps({"", "10", 1}));
}

TEST(Filters, ThePairIsChargedToTheFirstFilterThatDropsIt) {
  Filters filters({.drop_empty = true, .drop_identical = true, .max_words = 2});
  filters.keeps({"", "", 1});
  filters.keeps({"a", "a", 2});
  filters.keeps({"a b c", "a", 3});
  filters.keeps({"a b", "a", 4});
  EXPECT_EQ(filters.dropped(), (Counts{{"empty", 1}, {"identical", 1}, {"too long", 1}}));
  EXPECT_EQ(count_pairs({.pairs = 4, .skipped_utf8 = 2}, filters), (Counts{{"read", 6},
                                                                           {"skipped: not UTF-8", 2},
                                                                           {"dropped: empty", 1},
                                                                           {"dropped: identical", 1},
                                                                           {"dropped: too long", 1},
                                                                           {"kept", 1}}));
}

}  // namespace
}  // namespace dragoman::data
