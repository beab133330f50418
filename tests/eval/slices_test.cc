#include "eval/slices.h"

#include <gtest/gtest.h>

namespace dragoman::eval {
namespace {

std::string repeat(const std::string& word, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += word + " ";
  return text;
}

TEST(Slices, ByLengthHoldEverySentenceOnce) {
  const Lines references = {repeat("a", 10), repeat("a", 11), "", repeat("b", 60), "c"};
  const std::vector<Slice> slices = slices_by_length(references, BleuTokenizer::t13a);
  ASSERT_EQ(slices.size(), 4u);
  EXPECT_EQ(slices[0].name, "empty");
  EXPECT_EQ(slices[1].sentences, (std::vector<std::size_t>{0, 4}));
  EXPECT_EQ(slices[2].name, "11-20 words");
  EXPECT_EQ(slices[3].sentences, std::vector<std::size_t>{3});
}

WordFrequencies count_words(const Lines& training) {
  WordFrequencies frequencies(BleuTokenizer::none);
  for (const std::string& line : training) frequencies.add(line);
  return frequencies;
}

TEST(Slices, ByRarestWordLookAtTheTrainingText) {
  const WordFrequencies frequencies = count_words({repeat("the", 1500), repeat("house", 50), "manse"});
  EXPECT_EQ(frequencies["house"], 50);
  EXPECT_EQ(frequencies["castle"], 0);
  const std::vector<Slice> slices = slices_by_rarest_word({"the the", "the house", "the manse", "the castle house"},
                                                          frequencies, BleuTokenizer::none);
  ASSERT_EQ(slices.size(), 4u);
  EXPECT_EQ(slices[0].name, "never seen");
  EXPECT_EQ(slices[0].sentences, std::vector<std::size_t>{3});
  EXPECT_EQ(slices[1].sentences, std::vector<std::size_t>{2});
  EXPECT_EQ(slices[2].sentences, std::vector<std::size_t>{1});
  EXPECT_EQ(slices[3].sentences, std::vector<std::size_t>{0});
}

TEST(WordClasses, CountWordsFoundAsOftenAsBothSidesHaveThem) {
  const WordFrequencies frequencies = count_words({repeat("the", 10), "cat"});
  const std::vector<WordClass> classes =
      word_classes({"the the cat", "dog"}, {"the cat cat", "owl"}, frequencies, BleuTokenizer::none);
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[0].name, "never seen");
  EXPECT_EQ(classes[0].common, 0);
  EXPECT_EQ(classes[1].in_reference, 2);  // cat
  EXPECT_EQ(classes[1].common, 1);
  EXPECT_DOUBLE_EQ(classes[1].recall(), 0.5);
  EXPECT_DOUBLE_EQ(classes[1].precision(), 1);
  EXPECT_DOUBLE_EQ(classes[2].precision(), 0.5);  // the
  EXPECT_DOUBLE_EQ(classes[1].f1(), 2 / 3.0);
}

}  // namespace
}  // namespace dragoman::eval
