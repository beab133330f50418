#include "eval/chrf.h"

#include <gtest/gtest.h>

namespace dragoman::eval {
namespace {

double score(const ChrfOptions& options, const std::string& hypothesis, const Lines& references) {
  const Chrf chrf(options);
  std::vector<Lines> columns;
  for (const std::string& reference : references) columns.push_back({reference});
  return chrf.score(count_all(chrf, {hypothesis}, columns).sum());
}

TEST(Chrf, IsHundredForACopyWhateverTheSpacing) {
  EXPECT_DOUBLE_EQ(score({}, "ein  kurzer Satz", {"ein kurzer Satz"}), 100);
  EXPECT_LT(score({.whitespace = true}, "ein  kurzer Satz", {"ein kurzer Satz"}), 100);
}

TEST(Chrf, TakesTheBestReference) {
  const double best = score({}, "the house", {"the house is"});
  EXPECT_DOUBLE_EQ(score({}, "the house", {"a dog", "the house is"}), best);
  EXPECT_DOUBLE_EQ(score({}, "the house", {"the house is", "a dog"}), best);
}

TEST(Chrf, WeighsRecallMoreThanPrecision) {
  EXPECT_GT(score({}, "abcdefgh", {"abcd"}), score({}, "abcd", {"abcdefgh"}));
}

TEST(Chrf, OfOrdersOneAndBetaOneIsThePlainFScore) {
  // Three of four letters match, against six: P = 3/4, R = 3/6, F1 = 0.6.
  EXPECT_DOUBLE_EQ(score({.char_order = 1, .beta = 1}, "abcx", {"abcdef"}), 60);
}

TEST(Chrf, IsZeroForEmptyText) {
  EXPECT_EQ(score({}, "", {"something"}), 0);
  EXPECT_EQ(score({}, "something", {""}), 0);
  EXPECT_EQ(score({}, "", {""}), 0);
}

TEST(ChrfPlusPlus, SetsOneMarkOfAWordApart) {
  const ChrfOptions words{.char_order = 1, .word_order = 1};
  EXPECT_DOUBLE_EQ(score(words, "hi)", {"hi )"}), 100);
  EXPECT_DOUBLE_EQ(score(words, "(hi", {"( hi"}), 100);
  EXPECT_LT(score(words, "(hi)", {"( hi )"}), 100);
}

TEST(Chrf, NamesItsForm) {
  EXPECT_EQ(Chrf().name(), "chrF2");
  EXPECT_EQ(Chrf({.word_order = 2}).name(), "chrF2++");
  EXPECT_EQ(Chrf({.word_order = 2}).key(), "chrfpp");
}

}  // namespace
}  // namespace dragoman::eval
