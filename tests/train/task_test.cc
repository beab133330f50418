#include "train/task.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/errors.h"
#include "tests/train/small_run.h"
#include "train/validate.h"

namespace dragoman::train {
namespace {

data::Batch first_batch(const SmallCorpus& corpus, std::int64_t sentences, bool marks = true) {
  data::BatchOptions options = batches_of(sentences);
  options.rows.target_marks = marks;
  data::Batcher batches = corpus.batches(options);
  data::Batch batch;
  batches.next(batch);
  return batch;
}

LossSums learn(Task& task, const data::Batch& batch, const LossSettings& settings) {
  Workspace workspace(cpu_device());
  task.parameters().gradients().clear();
  Context cx = Context::training(workspace, 7, 1);
  const LossTotals totals{cx.zeros(DType::f64, {2, 1})};
  const std::uint64_t labels = task.learn(cx, batch, settings, 1, totals);
  const std::vector<double> sums = totals.both.to_host<double>();
  return {sums[0], sums[1], labels};
}

// Compares the gradient along a random direction with a finite difference of the loss, in double.
void expect_right_gradient(TranslationTask& task, const data::Batch& batch, const LossSettings& settings) {
  learn(task, batch, settings);
  const std::vector<double> gradient = task.parameters().gradients().to_host<double>();
  const std::vector<double> start = task.parameters().weights().to_host<double>();
  Random random(5);
  std::vector<double> direction(start.size());
  double slope = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    direction[i] = random.normal();
    slope += direction[i] * gradient[i];
  }
  const auto loss_at = [&](double distance) {
    std::vector<double> moved = start;
    for (std::size_t i = 0; i < start.size(); ++i) moved[i] += distance * direction[i];
    task.parameters().weights().copy_from(moved.data());
    return learn(task, batch, settings).loss;
  };
  constexpr double kStep = 1e-6;
  EXPECT_NEAR((loss_at(kStep) - loss_at(-kStep)) / (2 * kStep), slope, 1e-4 * std::abs(slope) + 1e-3);
}

TEST(TranslationTask, TheGradientIsTheDerivativeOfTheReportedLoss) {
  const SmallCorpus corpus;
  const data::Batch batch = first_batch(corpus, 3);
  for (const models::ModelConfig& config : {tiny_transformer(), tiny_lstm()}) {
    const auto task = make_translation(config, corpus, 1, {cpu_device(), DType::f64});
    expect_right_gradient(*task, batch, {});
    expect_right_gradient(*task, batch, {.label_smoothing = 0.1});
    expect_right_gradient(*task, batch, {.label_smoothing = 0.1, .r_drop = 3});
  }
}

TEST(TranslationTask, ValidationScoresEveryLanguagePairByItself) {
  const SmallCorpus corpus;
  const auto task = make_translation(tiny_transformer(), corpus, 1);
  const auto scores = [&](std::vector<data::BatchSource> sources) {
    Workspace workspace(cpu_device());
    data::Batcher batches(std::move(sources), {&corpus.source(), &corpus.target()}, batches_of(7));
    return validate(*task, workspace, batches, 100);
  };
  const std::int32_t tag = 5;  // any source word serves as a tag
  const Scores mixed = scores(
      {{.store = corpus.store(), .languages = "en-de"}, {.store = corpus.store(), .tag = tag, .languages = "en-fr"}});
  const Scores plain = scores({{.store = corpus.store()}}), tagged = scores({{.store = corpus.store(), .tag = tag}});
  EXPECT_EQ(plain.find("loss.en-de"), nullptr);
  EXPECT_NEAR(*mixed.find("loss.en-de"), *plain.find("loss"), 1e-6);
  EXPECT_NEAR(*mixed.find("perplexity.en-fr"), *tagged.find("perplexity"), 1e-3);
  EXPECT_NE(*plain.find("loss"), *tagged.find("loss"));
  EXPECT_NEAR(*mixed.find("loss"), (*plain.find("loss") + *tagged.find("loss")) / 2, 1e-6) << "equally many labels";
}

TEST(TranslationTask, RDropWithoutDropoutIsTheOrdinaryLoss) {
  const SmallCorpus corpus;
  const data::Batch batch = first_batch(corpus, 4);
  models::ModelConfig config = tiny_transformer();
  config.transformer.dropout = 0;
  const auto task = make_translation(config, corpus, 1);
  const LossSums plain = learn(*task, batch, {});
  const LossSums twice = learn(*task, batch, {.r_drop = 5});
  EXPECT_EQ(twice.tokens, plain.tokens);
  EXPECT_NEAR(twice.loss, plain.loss, 1e-4 * plain.loss);
  EXPECT_NEAR(twice.nll, plain.nll, 1e-4 * plain.nll);
}

TEST(TranslationTask, RDropAddsTheDivergenceOfTwoPasses) {
  const SmallCorpus corpus;
  const data::Batch batch = first_batch(corpus, 4);
  models::ModelConfig config = tiny_transformer();
  config.transformer.dropout = 0.3;
  const auto task = make_translation(config, corpus, 1);
  const LossSums none = learn(*task, batch, {.r_drop = 1e-9}), some = learn(*task, batch, {.r_drop = 1}),
                 more = learn(*task, batch, {.r_drop = 2});
  EXPECT_GT(some.loss, none.loss);
  EXPECT_NEAR(more.loss - none.loss, 2 * (some.loss - none.loss), 1e-3 * more.loss);
  EXPECT_EQ(some.nll, none.nll);
}

TEST(TranslationTask, ValidationIsTheMeanOverAllTokensWhateverTheBatches) {
  const SmallCorpus corpus;
  const auto task = make_translation(tiny_transformer(), corpus, 1);
  Workspace workspace(cpu_device());
  data::Batcher few = corpus.batches(batches_of(5)), all = corpus.batches(batches_of(48));
  const Scores one = validate(*task, workspace, few, 0), other = validate(*task, workspace, all, 0);
  EXPECT_NEAR(*one.find("loss"), *other.find("loss"), 1e-5);
  EXPECT_NEAR(*validate(*task, workspace, all, 50).find("loss"), *other.find("loss"), 1e-5) << "in parts";
  EXPECT_NEAR(*one.find("perplexity"), std::exp(*one.find("loss")), 1e-9);
}

TEST(ClassificationTask, LearnsToClassifySentences) {
  std::vector<std::string> sentences, labels;
  for (int i = 0; i < 24; ++i) {
    const char* const endings[] = {"good film", "bad film", "good book", "bad book"};
    sentences.push_back(fmt::format("the {} number {}", endings[i % 4], i));
    labels.push_back(i % 2 == 0 ? "happy" : "cross");
  }
  const SmallCorpus corpus(sentences, labels);
  models::ModelConfig config = tiny_transformer();
  config.source_vocabulary = corpus.source().size();
  config.classes = corpus.target().size() - 4;
  ASSERT_EQ(config.classes, 2);
  ClassificationTask task(config);
  task.parameters().allocate(cpu_device(), DType::f32, 1, true);
  data::BatchOptions batches = batches_of(6);
  batches.rows.target_marks = false;
  support::TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.until = {"60u"};
  options.metric = "f1";
  Trainer trainer(options, task, {corpus.batches(batches), corpus.batches(batches)}, {});
  trainer.train(never);
  EXPECT_EQ(trainer.state().best.at("accuracy").value, 100);
  EXPECT_EQ(trainer.state().best.at("f1").value, 100);
}

TEST(ClassificationTask, RefusesALineWithSeveralLabels) {
  const SmallCorpus corpus({"a"}, {"two labels"});
  models::ModelConfig config = tiny_transformer();
  config.source_vocabulary = corpus.source().size();
  config.classes = 2;
  ClassificationTask task(config);
  task.parameters().allocate(cpu_device(), DType::f32, 1, true);
  EXPECT_NE(support::message([&] { learn(task, first_batch(corpus, 1, false), {}); }).find("one label per line"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::train
