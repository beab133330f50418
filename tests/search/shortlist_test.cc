#include <gtest/gtest.h>

#include <set>

#include "dragoman/translator.h"
#include "search/engine/text_translator.h"
#include "tests/search/text_model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

constexpr WeightFormat kShortlistFormats[] = {WeightFormat::same, WeightFormat::bf16, WeightFormat::int8};

Tokens all_words(const ToyModel& model) {
  Tokens words(static_cast<std::size_t>(model.vocabulary()));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::int32_t>(i);
  return words;
}

std::vector<ToySentence> some_sentences(int count, const SearchOptions& options) {
  Random random(5);
  std::vector<ToySentence> sentences;
  for (int i = 0; i < count; ++i) {
    Goal goal = toy_goal(options, 8);
    goal.stream = static_cast<std::uint64_t>(i);
    sentences.push_back({random_source(random), goal});
  }
  return sentences;
}

// The words of a sentence's list: EOS and every second one.
void give_lists(std::vector<ToySentence>& sentences, const ToyModel& model) {
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    sentences[i].words = {kEnd};
    for (auto word = static_cast<std::int32_t>(4 + i % 2); word < model.vocabulary(); word += 2)
      sentences[i].words.push_back(word);
  }
}

TEST(Shortlists, OfAllWordsChangeNoBit) {
  for (const WeightFormat format : kShortlistFormats)
    for (const char* preset : {"transformer-fast", "lstm-luong"})
      for (const bool sample : {false, true}) {
        const ToyModel model(preset, 40, 3, format);
        SearchOptions options;
        options.sample = sample;
        std::vector<ToySentence> sentences = some_sentences(6, options);
        sentences[2].prefix = {7, 30};
        sentences[3].goal.constraints = Constraints({{20, 21}});
        const auto without = translate({&model.network()}, sentences);
        for (std::size_t i = 0; i < sentences.size(); ++i)
          if (i != 4) sentences[i].words = all_words(model);
        EXPECT_EQ(translate({&model.network()}, sentences), without);
      }
}

TEST(Shortlists, GiveTheSameTranslationAloneAndInABatch) {
  for (const WeightFormat format : kShortlistFormats) {
    const ToyModel model("transformer-fast", 40, 4, format);
    std::vector<ToySentence> sentences = some_sentences(9, {});
    give_lists(sentences, model);
    sentences[4].words.clear();
    const auto together = translate({&model.network()}, sentences), few = translate({&model.network()}, sentences, 2);
    EXPECT_EQ(few, together);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      EXPECT_EQ(translate_one(model, sentences[i]), together[i]) << i;
      const std::set<std::int32_t> allowed(sentences[i].words.begin(), sentences[i].words.end());
      for (const Found& found : together[i])
        for (const std::int32_t word : found.words) EXPECT_TRUE(allowed.empty() || allowed.contains(word)) << i;
    }
  }
}

TEST(Shortlists, SamplesComeFromTheListOnly) {
  const ToyModel model("transformer-small", 40, 4);
  SearchOptions options;
  options.sample = true;
  options.n_best = 20;
  options.temperature = 5;
  std::vector<ToySentence> sentences = some_sentences(3, options);
  give_lists(sentences, model);
  const auto results = translate({&model.network()}, sentences);
  for (std::size_t i = 0; i < sentences.size(); ++i)
    for (const Found& found : results[i])
      for (const std::int32_t word : found.words)
        EXPECT_TRUE(std::binary_search(sentences[i].words.begin(), sentences[i].words.end(), word));
}

// A model file whose shortlist allows "das", "rote" and ".", whatever the source.
class ShortlistFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    store::ModelInfo info = text_model_info("transformer-fast");
    const auto target = text::deserialize_tokenizer(info.target_tokenizer);
    target->encode("das rote .", allowed_);
    ASSERT_EQ(allowed_.size(), 3u);
    info.shortlist = {{info.config.source_vocabulary, info.config.target_vocabulary},
                      allowed_,
                      std::vector<std::int32_t>(static_cast<std::size_t>(info.config.source_vocabulary) + 1),
                      {}};
    models::Seq2seq network(info.config);
    network.parameters().allocate(cpu_device(), DType::f32, 6, false);
    store::save_model(path(), info, network.parameters());
  }
  std::string path() const { return folder_.file("m.safetensors"); }

  static bool only_allowed(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;)
      if (word != "das" && word != "rote" && word != "." && word != "<unk>") return false;
    return true;
  }

  support::TempFolder folder_;
  std::vector<std::int32_t> allowed_;
};

TEST_F(ShortlistFiles, RestrictTranslationsUnlessTheyAreSwitchedOff) {
  TranslatorOptions options = on_cpu();
  const std::vector<std::string> texts = {"the red house stands here .", "where is it , now ?", "a blue dog"};
  const std::vector<std::string> restricted = Translator(path(), options).translate(texts);
  for (const std::string& text : restricted) EXPECT_TRUE(only_allowed(text)) << text;
  options.shortlist = false;
  const std::vector<std::string> free = Translator(path(), options).translate(texts);
  EXPECT_FALSE(std::all_of(free.begin(), free.end(), only_allowed)) << "the shortlist changes nothing";
}

TEST_F(ShortlistFiles, DoNotStopTermsAndPrefixes) {
  const std::vector<Request> requests = {{"the red house", "", {{"house", "haus"}}, {}},
                                         {"the red house", "ein blauer", {}, {}}};
  const std::vector<TranslationResult> results = Translator(path(), on_cpu()).translate(requests, SearchOptions());
  EXPECT_NE(results.at(0).translations.at(0).text.find("haus"), std::string::npos);
  EXPECT_TRUE(results.at(1).translations.at(0).text.starts_with("ein blauer"));
}

TEST_F(ShortlistFiles, SayWhereTheyAreNotUsed) {
  EXPECT_EQ(TextTranslator({path()}, on_cpu()).note(), "");
  EXPECT_NE(TextTranslator({path(), path()}, on_cpu()).note().find("not used in an ensemble"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::search::test
