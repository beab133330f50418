#include "data/statistics.h"

#include "tests/data/support.h"

namespace dragoman::data {
namespace {

TEST(Statistics, CountsTokensTypesSingletonsAndLengths) {
  SideStatistics side;
  side.add("the cat and the dog");
  side.add("the end");
  side.add("");
  EXPECT_EQ(side.sentences(), 3u);
  EXPECT_EQ(side.tokens(), 7u);
  EXPECT_EQ(side.types(), 5u);
  EXPECT_EQ(side.singletons(), 4u);
  EXPECT_EQ(side.min_length(), 0u);
  EXPECT_EQ(side.max_length(), 5u);
  EXPECT_DOUBLE_EQ(side.mean_length(), 7.0 / 3);
  EXPECT_EQ(side.vocabulary(1).types, 5u);
  EXPECT_EQ(side.vocabulary(2).types, 1u);
  EXPECT_EQ(side.vocabulary(2).unknown_tokens, 4u);
}

TEST(Statistics, SharedTypesAreThoseBothSidesKeep) {
  SideStatistics a, b;
  a.add("x x y z z");
  b.add("x x y y w");
  EXPECT_EQ(SideStatistics::shared_types(a, b, 1), 2u);
  EXPECT_EQ(SideStatistics::shared_types(a, b, 2), 1u);
  EXPECT_EQ(SideStatistics::shared_types(a, b, 3), 0u);
}

TEST(Statistics, ATokenizerDecidesWhatATokenIs) {
  const testing::NumberTokenizer tokenizer;
  SideStatistics side(&tokenizer);
  side.add("1 2 2 other words");
  EXPECT_EQ(side.tokens(), 5u);
  EXPECT_EQ(side.types(), 3u);  // 1, 2 and the unknown
  EXPECT_EQ(side.singletons(), 1u);
}

TEST(Statistics, TheHistogramCoversAllLengthsInFewRows) {
  SideStatistics side;
  std::string sentence;
  for (int length = 1; length <= 50; ++length) side.add(sentence += "w ");
  side.add("w");
  const std::string text = length_histogram(side, 5, 10);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_NE(text.find("     1-10              11 ##########"), std::string::npos) << text;
  EXPECT_NE(text.find("    41-50              10 #########"), std::string::npos) << text;
  EXPECT_EQ(length_histogram(SideStatistics()), "");
}

}  // namespace
}  // namespace dragoman::data
