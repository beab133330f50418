#include "text/word_level.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/text/support.h"

namespace dragoman::text {
namespace {

const std::vector<std::string> kCorpus = {"The cat sat.", "The cat ran!", "A dog sat, a cat ran.", "</s> <unk>"};

std::unique_ptr<Tokenizer> build(std::int64_t min_count, std::int64_t size, int multiple) {
  return build_words(lines_of(kCorpus), {.language = Language::english}, {min_count, size, multiple});
}

TEST(WordLevel, FrequentWordsComeFirstAndTiesGoByTheirBytes) {
  const auto words = build(2, 0, 1);
  std::vector<std::string> pieces;
  for (std::int32_t id = 0; id < words->size(); ++id) pieces.push_back(words->piece(id));
  EXPECT_EQ(pieces, (std::vector<std::string>{"<unk>", "<s>", "</s>", "<pad>", "cat", ".", "The", "ran", "sat"}));
}

TEST(WordLevel, SizeAndMultipleBoundTheVocabulary) {
  EXPECT_EQ(build(1, 6, 1)->size(), 6);
  EXPECT_EQ(build(1, 6, 8)->size(), 8);
  EXPECT_EQ(build(1, 6, 8)->piece(7), "");
  EXPECT_THROW(build(1, 4, 1), Error);
}

TEST(WordLevel, UnknownWordsReadUnkAndSpecialIdsVanish) {
  const auto words = build(2, 0, 8);
  const std::string line = "The bird sat.";
  const auto ids = ids_of(*words, line);
  EXPECT_EQ(words->decode(ids), "The <unk> sat.");
  const std::vector<std::int32_t> with_special = {1, 6, 3, 8, 2, words->size() - 1};
  EXPECT_EQ(words->decode(with_special), "The sat");
  EXPECT_THROW(words->decode(std::vector<std::int32_t>{words->size()}), Error);
}

TEST(WordLevel, TextThatSpellsASpecialSymbolDoesNotBecomeOne) {
  const auto words = build(1, 0, 1);
  for (const std::int32_t id : ids_of(*words, "<s> </s> <pad> <unk>"))
    EXPECT_TRUE(id == 0 || id >= Vocabulary::kSpecial);
}

TEST(WordLevel, SpansAndIdsBelongTogether) {
  const auto words = build(1, 0, 1);
  const std::string line = "A cat, the dog.";
  const Encoded encoded = words->encode_spans(line);
  EXPECT_EQ(encoded.ids, ids_of(*words, line));
  ASSERT_EQ(encoded.spans.size(), 6u);
  EXPECT_EQ(encoded.spans[1], (Span{2, 5}));
  EXPECT_EQ(encoded.spans[5], (Span{14, 15}));
}

TEST(WordLevel, SerialisedItIsTheSameTokenizer) {
  const auto words =
      build_words(lines_of(kCorpus), {.language = Language::german, .prepare = {.lower = true}}, {1, 0, 8});
  const auto copy = deserialize_tokenizer(words->serialize());
  EXPECT_EQ(copy->serialize(), words->serialize());
  EXPECT_EQ(ids_of(*copy, "THE CAT ran"), ids_of(*words, "the cat RAN"));
  EXPECT_EQ(copy->size(), words->size());
}

TEST(EncodingStatistics, CountsIdsWordsAndUnknowns) {
  const auto words = build(2, 0, 1);
  const EncodingStatistics coverage = measure_encoding(*words, lines_of({"The cat sat.", "", "a bird"}));
  EXPECT_EQ(coverage.lines, 3);
  EXPECT_EQ(coverage.words, 5);
  EXPECT_EQ(coverage.ids, 6);
  EXPECT_EQ(coverage.unknown, 2);
  EXPECT_EQ(coverage.longest, 4);
  EXPECT_EQ(coverage.used, 5);
  EXPECT_EQ(coverage.bytes, 13 + 1 + 7);
}

}  // namespace
}  // namespace dragoman::text
