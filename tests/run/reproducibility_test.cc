// What docs/background/reproducibility.md promises about the number of threads.
#include <gtest/gtest.h>

#include "base/threads.h"
#include "phrasebook/phrasebook.h"
#include "run/training_data.h"
#include "run/training_run.h"
#include "search/engine/model.h"
#include "search/engine/text_translator.h"
#include "store/model_file.h"
#include "tests/support/temp_folder.h"

namespace dragoman::run {
namespace {

class Reproducibility : public ::testing::Test {
 protected:
  Reproducibility() {
    const phrasebook::Phrasebook book(7);
    std::string english, german;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const phrasebook::BilingualPhrase pair = book.pair(phrasebook::Split::train, i);
      english += pair.english + "\n";
      german += pair.german + "\n";
      sentences_.push_back(pair.english);
    }
    folder_.write("en", english);
    folder_.write("de", german);
  }

  TrainingOptions options(const std::string& output, int threads) const {
    TrainingOptions options;
    options.preset = "transformer-tiny";
    Settings settings(options);
    read_initial_settings(settings, options);
    options.vocabulary.made.type = VocabularyKind::unigram;
    options.vocabulary.made.size = 350;
    options.corpus.source = {folder_.file("en")};
    options.corpus.target = {folder_.file("de")};
    options.cache = folder_.file("cache-" + std::to_string(threads));
    options.train.output = folder_.file(output);
    options.train.until = {"6u"};
    options.tensorboard = options.report = false;
    options.compute.device = "cpu";
    options.compute.threads = threads;
    return options;
  }
  // Trains and returns the model file.
  std::string train(const std::string& output, int threads) const {
    threads::set_count(threads);
    return TrainingRun(options(output, threads)).train([] { return false; }).model;
  }
  static std::map<std::string, std::string> tensors(const std::string& path) {
    return store::SafetensorsFile(path).read_all();
  }
  void TearDown() override { threads::set_count(0); }

  support::TempFolder folder_;
  std::vector<std::string> sentences_;
};

TEST_F(Reproducibility, TrainingIsRepeatedBitForBit) {
  for (const int threads : {1, 2}) {
    const std::string name = std::to_string(threads);
    EXPECT_EQ(tensors(train("first-" + name, threads)), tensors(train("second-" + name, threads))) << name;
  }
}

TEST_F(Reproducibility, DataAndVocabulariesDoNotDependOnTheNumberOfThreads) {
  std::vector<std::uint64_t> hashes;
  std::vector<std::string> vocabularies;
  for (const int threads : {1, 2, 3}) {
    threads::set_count(threads);
    const TrainingOptions asked = options("run", threads);
    const Vocabularies made = make_vocabularies(asked);
    vocabularies.push_back(made.source->serialize() + made.target->serialize());
    hashes.push_back(RunData(asked, made).hash());
  }
  for (const std::size_t other : {1, 2}) {
    EXPECT_EQ(hashes[other], hashes[0]);
    EXPECT_TRUE(vocabularies[other] == vocabularies[0]);
  }
}

TEST_F(Reproducibility, TranslationsAndTheirScoresDoNotDependOnTheNumberOfThreads) {
  const std::string model = train("run", 1);
  std::vector<std::vector<std::pair<std::string, double>>> results;
  for (const int threads : {1, 2, 3}) {
    threads::set_count(threads);
    TranslatorOptions on_cpu;
    on_cpu.device = "cpu";
    on_cpu.threads = threads;
    search::TextTranslator translator({model}, on_cpu);
    std::vector<Request> requests;
    for (const std::string& sentence : sentences_)
      requests.push_back({.text = sentence, .prefix = {}, .terms = {}, .banned = {}});
    auto& list = results.emplace_back();
    for (const TranslationResult& result : translator.translate(requests, {}))
      list.emplace_back(result.translations.at(0).text, result.translations.at(0).score);
  }
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

}  // namespace
}  // namespace dragoman::run
