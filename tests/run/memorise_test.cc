// Every preset must be able to learn: with small sizes, it learns 200 sentence pairs by heart.
#include <gtest/gtest.h>

#include <algorithm>

#include "eval/bleu.h"
#include "models/presets.h"
#include "phrasebook/phrasebook.h"
#include "run/train_statistical.h"
#include "run/training_run.h"
#include "search/engine/text_translator.h"
#include "tests/support/temp_folder.h"

namespace dragoman::run {
namespace {

constexpr int kMemorised = 200;
constexpr double kByHeart = 90;  // BLEU on the training pairs

TrainingOptions preset_options(const std::string& name) {
  TrainingOptions options;
  options.preset = name;
  Settings settings(options);
  read_initial_settings(settings, options);
  return options;
}

bool is_transformer(const models::ModelConfig& model) { return model.family == models::family_named("transformer"); }

// Changes depth and widths, but no structure.
void shrink(models::ModelConfig& model) {
  models::TransformerConfig& t = model.transformer;
  t.encoder_layers = std::min(t.encoder_layers, 2);
  t.decoder_layers = std::min(t.decoder_layers, 2);
  t.size = 32;
  t.feed_forward = 64;
  model.attention.heads = std::min(model.attention.heads, 4);
  model.attention.linformer = std::min(model.attention.linformer, 16);
  model.embedding = is_transformer(model) ? t.size : std::min(model.embedding, 64);
  models::RecurrentConfig& r = model.recurrent;
  r.decoder_hidden = r.decoder_hidden * 48 / r.encoder_hidden;
  r.encoder_hidden = 48;
}

void switch_regularisation_off(TrainingOptions& options) {
  models::TransformerConfig& t = options.model.transformer;
  models::RecurrentConfig& r = options.model.recurrent;
  options.model.attention.dropout = t.dropout = t.dropout_activation = 0;
  r.dropout_in = r.dropout_between = r.dropout_out = 0;
  options.train.loss.label_smoothing = options.train.loss.r_drop = 0;
}

// Keeps the preset's optimiser and schedule, but for a run of a few hundred updates. A high learning rate is kept,
// since a model that does not learn at its own rate must fail; a low one is raised to suit the small model.
void shorten(TrainingOptions& options) {
  options.batch.plan.by = data::BatchBy::sentences;
  options.batch.plan.size = 50;
  train::ScheduleOptions& schedule = options.train.schedule;
  schedule.rate = std::max(schedule.rate, is_transformer(options.model) ? 5e-3 : 1e-2);
  if (!schedule.warmup.empty()) schedule.warmup = "30u";
  options.train.until = {"320u"};
  options.train.validate = "20u";
  options.train.metric = "bleu";
  options.train.patience = 0;
}

class Memorise : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef DRAGOMAN_SANITIZED
    GTEST_SKIP() << "takes minutes under a sanitizer";
#endif
    const phrasebook::Phrasebook book(7);
    phrasebook::DistinctPairs pairs(book, phrasebook::Split::train);
    std::string source, target;
    for (int i = 0; i < kMemorised; ++i) {
      const phrasebook::BilingualPhrase pair = pairs.next();
      sources_.push_back(pair.english);
      targets_.push_back(pair.german);
      source += pair.english + "\n";
      target += pair.german + "\n";
    }
    folder_.write("en", source);
    folder_.write("de", target);
  }

  TrainingOptions options(const std::string& preset) const {
    TrainingOptions options = preset_options(preset);
    options.corpus.source = {folder_.file("en")};
    options.corpus.target = {folder_.file("de")};
    options.valid_source = {folder_.file("en")};
    options.valid_target = {folder_.file("de")};
    options.cache = folder_.path();
    options.train.output = folder_.file("run");
    options.tensorboard = options.report = false;
    options.compute.device = "cpu";
    options.compute.threads = 1;
    return options;
  }
  // The same for a small network.
  TrainingOptions small_options(const std::string& preset) const {
    TrainingOptions small = options(preset);
    small.vocabulary.made.type = VocabularyKind::words;
    small.vocabulary.made.min_count = 1;
    small.validation.samples = 0;
    shrink(small.model);
    switch_regularisation_off(small);
    shorten(small);
    return small;
  }

  // BLEU of the model file's translations of all sentences.
  double bleu_of(const std::string& model) const {
    TranslatorOptions on_cpu;
    on_cpu.device = "cpu";
    on_cpu.threads = 1;
    search::TextTranslator translator({model}, on_cpu);
    std::vector<Request> requests(sources_.size());
    for (std::size_t i = 0; i < requests.size(); ++i) requests[i].text = sources_[i];
    eval::Lines translations;
    for (const TranslationResult& result : translator.translate(requests, {}))
      translations.push_back(result.translations.at(0).text);
    const eval::Bleu bleu;
    return bleu.score(eval::count_all(bleu, translations, {targets_}).sum());
  }
  // Training stops early once a validation shows that the pairs are known.
  double bleu_after_training(const TrainingOptions& options) const {
    double bleu = 0;
    TrainingRun run(options);
    run.on_validation([&](const train::Validation& validation) { bleu = *validation.scores.find("bleu"); });
    return bleu_of(run.train([&] { return bleu > 97; }).model);
  }

  support::TempFolder folder_;
  eval::Lines sources_, targets_;
};

class NeuralMemorise : public Memorise, public ::testing::WithParamInterface<std::string> {};

TEST_P(NeuralMemorise, TwoHundredSentencePairs) { EXPECT_GT(bleu_after_training(small_options(GetParam())), kByHeart); }

TEST_F(Memorise, InBf16OnTheCpu) {
  TrainingOptions rounded = small_options("transformer-small");
  rounded.compute.precision = TrainingPrecision::bf16;
  EXPECT_GT(bleu_after_training(rounded), kByHeart);
}

class StatisticalMemorise : public Memorise, public ::testing::WithParamInterface<std::string> {};

TEST_P(StatisticalMemorise, TwoHundredSentencePairs) {
  EXPECT_GT(bleu_of(train_statistical(options(GetParam()))), kByHeart);
}

// Why the preset predicts directly; also shows that a model that does not learn fails the test above.
TEST_F(Memorise, NothingThroughASaturatedTanhLayer) {
  TrainingOptions saturated = small_options("seq2seq-additive-encoder+decoder+self");
  saturated.model.recurrent.prediction = models::Prediction::tanh;
  EXPECT_LT(bleu_after_training(saturated), 10);
}

// Systems that translate single words cannot learn sentences by heart.
std::vector<std::string> phrase_presets() {
  std::vector<std::string> names = models::statistical_preset_names();
  std::erase_if(names, [](const std::string& name) { return preset_options(name).statistical.phrases.length == 1; });
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '+'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryPreset, NeuralMemorise, ::testing::ValuesIn(models::preset_names()), test_name);
INSTANTIATE_TEST_SUITE_P(EveryPreset, StatisticalMemorise, ::testing::ValuesIn(phrase_presets()), test_name);

}  // namespace
}  // namespace dragoman::run
