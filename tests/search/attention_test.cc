// Attention weights that a search returns, over the source and over the decoder's own past.
#include "search/decode/attention.h"

#include <gtest/gtest.h>

#include "dragoman/dragoman.h"
#include "dragoman/translator.h"
#include "search/engine/scorer.h"
#include "tests/search/text_model.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

const char* const kAttendToTheirPast[] = {
    "seq2seq-additive-encoder+decoder",       "seq2seq-additive-encoder+decoder+self",
    "seq2seq-multiplicative-encoder+decoder", "seq2seq-scaled-dot-encoder+decoder",
    "seq2seq-key-value-encoder+decoder",      "seq2seq-key-value-encoder+decoder+self"};

void expect_same_rows(const Attention& expected, const Attention& rows, const std::string& what) {
  ASSERT_EQ(rows.size(), expected.size()) << what;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), expected[i].size()) << what << ", row " << i;
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      ASSERT_NEAR(rows[i][j], expected[i][j], 1e-5) << what << ", row " << i << ", column " << j;
  }
}

// Sentences join and leave the batch while beams are reordered, so rows of the KV cache move.
TEST(Attention, OfASearchIsThatOfTeacherForcing) {
  for (const char* preset : kAttendToTheirPast) {
    const ToyModel model(preset, 6, 11);
    Random random(4);
    std::vector<ToySentence> sentences;
    SearchOptions options;
    options.n_best = 4;
    for (int i = 0; i < 12; ++i) {
      sentences.push_back({random_source(random), toy_goal(options, 4 + i % 9), {}, true});
      if (i % 4 == 3) sentences.back().prefix = {5, 7, 5};
    }
    const std::vector<std::vector<Found>> results = translate({&model.network()}, sentences, 3);
    for (std::size_t s = 0; s < sentences.size(); ++s)
      for (const Found& found : results[s]) {
        const ToyModel::Weights expected = model.attention(sentences[s].source, found.words);
        expect_same_rows(expected.source, found.attention, std::string(preset) + ", source");
        expect_same_rows(expected.past, found.past_attention, std::string(preset) + ", past");
      }
  }
}

TEST(Attention, OverThePastHasOneWeightForTheStartAndOnePerPreviousWord) {
  for (const char* preset : kAttendToTheirPast) {
    const ToyModel model(preset, 6, 11);
    const Tokens source = {5, 6, kEnd}, words = {4, 9, 6, 6, 8};
    const Attention rows = model.attention(source, words).past;
    ASSERT_EQ(rows.size(), words.size() + 1) << "the words and EOS";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i].size(), i + 1) << preset;
      float sum = 0;
      for (const float weight : rows[i]) sum += weight;
      EXPECT_NEAR(sum, 1, 1e-5) << preset << ", row " << i;
    }
    // The states before a word do not depend on it.
    Tokens changed = words;
    changed[3] = 7;
    const Attention others = model.attention(source, changed).past;
    expect_same_rows({rows.begin(), rows.begin() + 4}, {others.begin(), others.begin() + 4}, preset);
    EXPECT_NE(rows[4], others[4]) << preset;
  }
}

TEST(Attention, OtherModelsHaveNoneOverTheirPast) {
  for (const char* preset : {"seq2seq-additive-encoder", "lstm-luong", "transformer-small", "seq2seq"}) {
    const ToyModel::Weights weights = ToyModel(preset, 6, 11).attention({5, 6, kEnd}, {4, 9});
    EXPECT_TRUE(weights.past.empty()) << preset;
    EXPECT_EQ(weights.source.empty(), std::string(preset) == "seq2seq");
  }
}

class PastAttention : public ::testing::Test {
 protected:
  void SetUp() override { write_text_model(model_, "seq2seq-additive-encoder+decoder", 7); }

  support::TempFolder folder_;
  std::string model_ = folder_.file("model.safetensors");
};

TEST_F(PastAttention, IsPartOfATranslationAndOfAForcedOne) {
  SearchOptions search;
  search.attention = true;
  Request request;
  request.text = "where is the blue dog ?";
  const Translator translator(model_, on_cpu());
  const TranslationResult result = translator.translate({request}, search).front();
  const Translation& translation = result.translations.front();
  ASSERT_EQ(translation.past_attention.size(), translation.tokens.size());
  for (std::size_t i = 0; i < translation.tokens.size(); ++i) EXPECT_EQ(translation.past_attention[i].size(), i + 1);
  // A translation of known words in a row is read back as the same tokens.
  request.prefix = "wo ist ein blauer hund";
  const Translation forced = translator.translate({request}, search).front().translations.front();
  const PairScore score =
      score_pairs(Model(model_, kHost), {{request.text, request.prefix}}, {.attention = true}).front();
  ASSERT_EQ(score.past_attention.size(), 6u) << "five words and EOS";
  EXPECT_EQ(score.source.size(), result.source_tokens.size());
  expect_same_rows({score.past_attention.begin(), score.past_attention.end() - 1},
                   {forced.past_attention.begin(), forced.past_attention.begin() + 5}, "past");
  expect_same_rows({score.attention.begin(), score.attention.end() - 1},
                   {forced.attention.begin(), forced.attention.begin() + 5}, "source");
  search.attention = false;
  EXPECT_TRUE(translator.translate({request}, search).front().translations.front().past_attention.empty());
}

TEST_F(PastAttention, StartsAnewInEachPartOfASplitText) {
  SearchOptions search;
  search.attention = true;
  Request request;
  request.text = "The red house stands here. Where is the dog now?";
  TranslatorOptions options = on_cpu();
  options.max_input_tokens = 8;
  const TranslationResult result = Translator(model_, options).translate({request}, search).front();
  ASSERT_EQ(result.parts, 2);
  const Translation& whole = result.translations.front();
  ASSERT_EQ(whole.past_attention.size(), whole.tokens.size());
  int starts = 0;
  for (const std::vector<float>& row : whole.past_attention) starts += row.size() == 1;
  EXPECT_EQ(starts, 2);
}

TEST_F(PastAttention, IsReadThroughTheCInterface) {
  dragoman_options* options = dragoman_options_new();
  dragoman_options_set(options, "device", "cpu");
  dragoman_options_set(options, "attention", "true");
  const char* const files[] = {model_.c_str()};
  dragoman_translator* translator = dragoman_open_with(files, 1, options);
  dragoman_result* result = dragoman_translate_with(translator, "the dog sees you", options);
  int count = 0;
  const float* first = dragoman_result_past_attention(result, 0, 0, &count);
  ASSERT_NE(first, nullptr) << dragoman_last_error();
  EXPECT_EQ(count, 1);
  EXPECT_NEAR(*first, 1, 1e-6);
  EXPECT_EQ(dragoman_result_past_attention(result, 0, 1000, &count), nullptr);
  EXPECT_NE(std::string(dragoman_last_error()).find("attention over the past 1000"), std::string::npos);
  dragoman_result_free(result);
  dragoman_close(translator);
  dragoman_options_free(options);
}

}  // namespace
}  // namespace dragoman::search::test
