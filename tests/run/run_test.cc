// Whole runs through the library: training, translating, scoring and describing, without the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "models/presets.h"
#include "phrasebook/phrasebook.h"
#include "run/evaluation.h"
#include "run/make_vocabulary.h"
#include "run/model_description.h"
#include "run/request_reader.h"
#include "run/result_json.h"
#include "run/score_files.h"
#include "run/training_data.h"
#include "run/training_plan.h"
#include "run/training_run.h"
#include "run/translation_stream.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::run {
namespace {

using support::message;
using support::TempFolder;

constexpr int kPairs = 24;

// A corpus and a model trained on it, made once for all tests.
class Runs : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    const phrasebook::Phrasebook book(5);
    std::string english, german;
    for (std::uint64_t i = 0; i < kPairs; ++i) {
      const phrasebook::BilingualPhrase pair = book.pair(phrasebook::Split::train, i);
      english += pair.english + "\n";
      german += pair.german + "\n";
    }
    folder_->write("en", english);
    folder_->write("de", german);
    TrainingRun run(options("trained"));
    run.on_validation([](const train::Validation& validation) { validations_.push_back(validation); });
    end_ = run.train([] { return false; });
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static TrainingOptions options(const std::string& output) {
    TrainingOptions options;
    options.preset = "transformer-tiny";
    Settings settings(options);
    read_initial_settings(settings, options);
    options.model.embedding = options.model.transformer.size = 32;
    options.model.transformer.feed_forward = 64;
    options.model.transformer.encoder_layers = options.model.transformer.decoder_layers = 1;
    options.corpus.source = {folder_->file("en")};
    options.corpus.target = {folder_->file("de")};
    options.valid_source = {folder_->file("en")};
    options.valid_target = {folder_->file("de")};
    options.cache = folder_->path();
    options.train.output = folder_->file(output);
    options.train.until = {"6u"};
    options.train.validate = "3u";
    options.validation.samples = 2;
    options.compute.device = "cpu";
    options.compute.threads = 1;
    return options;
  }
  static search::Model model() { return {end_.model, find_placement({.device = "cpu"})}; }
  static search::TextTranslator translator() {
    TranslatorOptions on_cpu;
    on_cpu.device = "cpu";
    return {{end_.model}, on_cpu};
  }

  static inline TempFolder* folder_ = nullptr;
  static inline train::RunEnd end_;
  static inline std::vector<train::Validation> validations_;
};

TEST_F(Runs, TrainingGivesAModelAndTellsOfEveryValidation) {
  EXPECT_EQ(end_.position.updates, 6u);
  EXPECT_EQ(end_.model, folder_->file("trained/model.safetensors"));
  ASSERT_EQ(validations_.size(), 2u);
  for (const train::Validation& validation : validations_) {
    EXPECT_TRUE(validation.scores.find("bleu") != nullptr);
    EXPECT_EQ(validation.samples.size(), 2u);
  }
  for (const char* file : {"config.yaml", "source.vocab", "target.vocab", "log.jsonl", "report/index.html"})
    EXPECT_TRUE(std::filesystem::exists(folder_->file("trained/") + file)) << file;
}

TEST_F(Runs, SamplesShowTheAttentionOverTheDecodersPast) {
  TrainingOptions past = options("past");
  past.preset = "seq2seq-multiplicative-encoder+decoder";
  past.model = models::preset(past.preset);
  past.model.embedding = past.model.recurrent.encoder_hidden = past.model.recurrent.decoder_hidden = 16;
  past.train.until = {"1u"};
  past.train.validate = "1u";
  TrainingRun run(past);
  std::vector<train::Sample> samples;
  run.on_validation([&](const train::Validation& validation) { samples = validation.samples; });
  run.train([] { return false; });
  ASSERT_EQ(samples.size(), 2u);
  for (const train::Sample& sample : samples) {
    ASSERT_FALSE(sample.output_pieces.empty());
    ASSERT_EQ(sample.past_attention.size(), sample.output_pieces.size());
    for (std::size_t i = 0; i < sample.past_attention.size(); ++i) {
      EXPECT_EQ(sample.past_attention[i].size(), i + 1) << "<s> and the outputs before";
      EXPECT_NEAR(std::accumulate(sample.past_attention[i].begin(), sample.past_attention[i].end(), 0.0), 1, 1e-4);
    }
  }
  for (const train::Validation& validation : validations_)
    EXPECT_TRUE(validation.samples[0].past_attention.empty()) << "a Transformer does not show its self-attention here";
}

TEST_F(Runs, TrainingStopsWhenAskedAndGoesOnWhenResumed) {
  {
    TrainingRun run(options("stopped"));
    int updates = 0;
    EXPECT_EQ(run.train([&] { return ++updates == 2; }).position.updates, 2u);
  }
  EXPECT_NE(message([&] { TrainingRun again(options("stopped")); }).find("already holds a run"), std::string::npos);
  TrainingOptions resumed = options("stopped");
  resumed.resume = true;
  TrainingRun run(resumed);
  EXPECT_EQ(run.train([] { return false; }).position.updates, 6u);
}

TEST_F(Runs, TheValidationDataHaveAHashOfTheirOwn) {
  TrainingOptions one = options("hashed"), other = one;
  std::swap(other.valid_source, other.valid_target);
  const Vocabularies vocabularies = make_vocabularies(one);
  const RunData first(one, vocabularies), second(other, vocabularies);
  EXPECT_EQ(first.hash(), second.hash());
  EXPECT_NE(first.validation_hash(), second.validation_hash());
  EXPECT_EQ(first.validation_hash(), first.hash()) << "the same pairs";
}

TEST_F(Runs, OneFolderTakesOneRunAtATime) {
  const TrainingRun first(options("busy"));
  EXPECT_NE(message([&] { TrainingRun second(options("busy")); }).find("another process is training"),
            std::string::npos);
}

TEST_F(Runs, APlanTrainsNothing) {
  const Facts facts = plan_training(options("planned"));
  EXPECT_EQ(facts.front().first, "source vocabulary");
  EXPECT_FALSE(std::filesystem::exists(folder_->file("planned/model.safetensors")));
}

TEST_F(Runs, PlanningAStatisticalModelTrainsNothing) {
  TrainingOptions planned = options("planned-statistical");
  planned.task = TrainTask::statistical;
  planned.preset = "smt-word";
  EXPECT_EQ(plan_training(planned).at(0).second, "phrase-based, trained on the CPU without updates");
  EXPECT_FALSE(std::filesystem::exists(planned.train.output));
}

TEST_F(Runs, LinesComeOutInTheOrderTheyWentIn) {
  search::TextTranslator neural = translator();
  auto reader = std::make_shared<RequestReader>(RequestFiles{.input = folder_->file("en")});
  std::vector<std::uint64_t> lines;
  std::vector<std::string> texts, translations;
  translate_lines(neural, {},
                  {.read = [reader](Request& request) { return reader->next(request); },
                   .write =
                       [&](std::uint64_t line, const Request& request, const TranslationResult& result) {
                         lines.push_back(line);
                         texts.push_back(request.text);
                         translations.push_back(result.translations.at(0).text);
                       }});
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(kPairs));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i], i + 1);
    EXPECT_EQ(
        neural.translate({{.text = texts[i], .prefix = {}, .terms = {}, .banned = {}}}, {})[0].translations[0].text,
        translations[i]);
  }
}

TEST_F(Runs, AFailingWriterEndsTheStreamAndItsErrorComesBack) {
  search::TextTranslator neural = translator();
  auto reader = std::make_shared<RequestReader>(RequestFiles{.input = folder_->file("en")});
  const auto refuse = [](std::uint64_t, const Request&, const TranslationResult&) { fail("the disk is full"); };
  EXPECT_EQ(message([&] {
              translate_lines(neural, {},
                              {.read = [reader](Request& request) { return reader->next(request); }, .write = refuse});
            }),
            "the disk is full");
}

TEST_F(Runs, ResultsBecomeJson) {
  Translation translation;
  translation.text = "wo";
  translation.alignment = {{0, 1}, {2, 0}};
  TranslationResult result;
  result.translations = {translation};
  result.tree = {{}};
  Request request;
  request.text = "where";
  const nlohmann::ordered_json json = to_json(7, request, result), tree = tree_to_json(7, request, result);
  EXPECT_EQ(json["line"], 7);
  EXPECT_EQ(json["source"], "where");
  EXPECT_EQ(json["translations"][0]["alignment"], "0-1 2-0");
  EXPECT_FALSE(json["translations"][0].contains("attention"));
  EXPECT_EQ(tree["nodes"].size(), 1u);
}

TEST_F(Runs, ScoresOfFilesAddUpToTheirPerplexity) {
  const search::Model scored = model();
  double sum = 0;
  std::uint64_t last = 0;
  const eval::LogLikelihood total = score_files(scored, {folder_->file("en"), folder_->file("de")},
                                                [&](std::uint64_t line, const search::PairScore& score) {
                                                  EXPECT_EQ(line, last + 1);
                                                  last = line;
                                                  sum += score.sum();
                                                  const nlohmann::ordered_json json = to_json(line, scored, score);
                                                  EXPECT_EQ(json["tokens"], score.target.size());
                                                });
  EXPECT_EQ(last, static_cast<std::uint64_t>(kPairs));
  EXPECT_NEAR(total.sum, sum, 1e-6 * std::abs(sum));
}

TEST_F(Runs, AModelDescribesItself) {
  EXPECT_FALSE(is_statistical(end_.model));
  const ModelDescription trained = describe_model(end_.model);
  EXPECT_EQ(trained.card.at("preset"), "transformer-tiny");
  EXPECT_EQ(trained.config.embedding, 32);
  const nlohmann::ordered_json json = to_json(trained);
  EXPECT_EQ(json["parameters"].size(), trained.parameters.size());
  EXPECT_EQ(json["config"]["embedding"], "32");
  EXPECT_GT(describe_model("transformer-small").count, trained.count);
}

TEST_F(Runs, AVocabularyIsMadeOfTheLinesOfFiles) {
  VocabularyOptions words;
  words.type = VocabularyKind::words;
  EXPECT_GT(make_vocabulary(words, {folder_->file("en"), folder_->file("de")})->size(),
            make_vocabulary(words, {folder_->file("en")})->size());
  EXPECT_NE(message([&] { make_vocabulary(words, std::vector<std::string>()); }).find("one or more corpora"),
            std::string::npos);
}

TEST_F(Runs, EvaluationComparesSystemsWithTheFirst) {
  EvaluationOptions bleu;
  bleu.metrics = {"bleu"};
  bleu.systems = {folder_->file("en")};
  bleu.resamples = bleu.trials = 10;
  const Evaluation evaluation = evaluate_files(bleu, folder_->file("de"), {folder_->file("de")});
  ASSERT_EQ(evaluation.systems.size(), 2u);
  EXPECT_NEAR(evaluation.systems[0].scores[0].score, 100, 1e-9);
  EXPECT_LT(evaluation.systems[1].scores[0].score, 50);
  EXPECT_TRUE(evaluation.systems[1].scores[0].p_bootstrap.has_value());
  EXPECT_EQ(nlohmann::json::parse(report_json(evaluation, true))["systems"].size(), 1u);
}

}  // namespace
}  // namespace dragoman::run
