#include "search/capital_words.h"

#include <gtest/gtest.h>

#include "tests/search/text_model.h"

namespace dragoman::search::test {
namespace {

// Each word is a token; words that are not in the vocabulary take more.
std::string read(std::string_view text) {
  static const auto tokenizer = text::deserialize_tokenizer(
      bytes_tokenizer({"door Door hotter redder the not", "door Door hotter redder the not", "NATO NATO NATO NATO"}));
  text::MappedText mapped{std::string(text)};
  mapped.replace(read_capitals(text, *tokenizer));
  return mapped.text();
}

TEST(WordsInCapitals, AreReadAsTheVocabularyKnowsThem) {
  EXPECT_EQ(read("the HOTTER door"), "the hotter door");
  EXPECT_EQ(read("the NOT hotter"), "the not hotter");
  EXPECT_EQ(read("HOTTER: the door"), "hotter: the door");
  EXPECT_EQ(read("DOOR (REDDER) the"), "Door (redder) the");
}

TEST(WordsInCapitals, MayHaveUnitsAmongThem) {
  EXPECT_EQ(read("20kg OF APPLES, 3m"), "20KG OF APPLES, 3M");
  EXPECT_EQ(read("20kg of apples"), "20kg of apples");
}

TEST(WordsInCapitals, StayIfTheyAreAbbreviationsOrPartsOfOthersOrAllOfTheText) {
  for (const char* const text :
       {"the NATO door", "the XQ door", "the DOOR-the", "a %DOOR% b", "the DOOR2", "the XY", "HOTTER THE DOOR", ""})
    EXPECT_EQ(read(text), text);
}

}  // namespace
}  // namespace dragoman::search::test
