#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/errors.h"
#include "tests/train/small_run.h"
#include "train/verify.h"

namespace dragoman::train {
namespace {

using support::message;
using support::TempFolder;

const SmallCorpus& corpus() {
  static const SmallCorpus shared;
  return shared;
}

TrainData data(const data::BatchOptions& options = batches_of(8)) {
  return {corpus().batches(options), corpus().batches(batches_of(16))};
}

// Options that use every feature of the trainer.
TrainOptions full_options(const std::string& output) {
  TrainOptions options = quick_options(output);
  options.optimiser.ema = 0.9;
  options.optimiser.accumulate = 2;
  options.optimiser.weight_decay = 0.01;
  options.optimiser.kind = OptimiserKind::adamw;
  options.loss = {.label_smoothing = 0.1, .r_drop = 0.5};
  options.schedule.kind = ScheduleKind::cosine;
  options.schedule.warmup = "5u";
  return options;
}

data::BatchOptions masked_batches() {
  data::BatchOptions options = batches_of(8);
  options.rows.mask_source = 0.1;
  return options;
}

std::vector<float> train_once(const TrainOptions& options, const models::ModelConfig& config) {
  const auto task = make_translation(config, corpus(), options.seed);
  Trainer(options, *task, data(), {}).train(never);
  return weights_of(*task);
}

TEST(Trainer, OneSeedRepeatsItsBitsAndTwoSeedsDiffer) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("a"));
  const std::vector<float> first = train_once(options, tiny_transformer());
  options.output = folder.file("b");
  EXPECT_EQ(train_once(options, tiny_transformer()), first);
  options.output = folder.file("c");
  options.seed = 2;
  EXPECT_NE(train_once(options, tiny_transformer()), first);
}

TEST(Trainer, LearnsSentencesByHeart) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.until = {"40e"};
  options.validate = "40e";
  options.loss.label_smoothing = 0;
  models::ModelConfig config = tiny_transformer();
  config.transformer.dropout = 0;
  const auto task = make_translation(config, corpus(), 1);
  Trainer trainer(options, *task, data(), {});
  trainer.train(never);
  EXPECT_LT(trainer.state().best.at("perplexity").value, 3) << "of 48 sentences after 240 updates";
}

FreshRun fresh_run(const models::ModelConfig& config, TrainOptions options, const std::string& output) {
  options.output = output;
  FreshRun run{make_translation(config, corpus(), options.seed), nullptr};
  run.trainer = std::make_unique<Trainer>(options, *run.task, data(masked_batches()), store::ModelInfo{});
  return run;
}

TEST(Trainer, AResumedRunEqualsTheUninterruptedOneBitByBit) {
  for (const models::ModelConfig& config : {tiny_transformer(), tiny_lstm()}) {
    TempFolder folder;
    const auto make = [&](const std::string& output) { return fresh_run(config, full_options(""), output); };
    EXPECT_GT(verify_resume(make, folder.path(), 14), 10'000u);
    EXPECT_TRUE(folder.names().empty()) << "the two runs are only compared";
  }
}

TEST(Trainer, VerifyResumeNoticesARunThatContinuesDifferently) {
  TempFolder folder;
  int made = 0;
  const auto make = [&](const std::string& output) {
    TrainOptions options = quick_options("");
    if (++made == 3) options.schedule.rate = 0.02;  // the resumed run
    return fresh_run(tiny_transformer(), options, output);
  };
  EXPECT_NE(message([&] { verify_resume(make, folder.path(), 10); }).find("differs from the uninterrupted one"),
            std::string::npos);
}

TEST(Trainer, TwoHalfBatchesMakeTheUpdateOfOneWholeBatch) {
  TempFolder folder;
  models::ModelConfig config = tiny_transformer();
  config.transformer.dropout = 0;
  const auto train = [&](int accumulate, std::int64_t size) {
    TrainOptions options = quick_options(folder.file(std::to_string(size)));
    options.until = {"3u"};
    options.optimiser = {.kind = OptimiserKind::sgd, .momentum = 0, .clip = 0, .accumulate = accumulate};
    const auto task = make_translation(config, corpus(), 1);
    data::BatchOptions batches = batches_of(size);
    batches.plan.order = data::BatchOrder::file;
    Trainer(options, *task, {corpus().batches(batches), std::nullopt}, {}).train(never);
    return weights_of(*task);
  };
  const std::vector<float> whole = train(1, 8), halves = train(2, 4);
  for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(whole[i], halves[i], 2e-6) << i;
}

TEST(Trainer, FrozenParametersStayAsTheyAre) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.freeze = {"encoder.*"};
  options.optimiser.weight_decay = 0.1;
  options.optimiser.kind = OptimiserKind::adamw;
  const auto task = make_translation(tiny_transformer(), corpus(), 1);
  const auto before = make_translation(tiny_transformer(), corpus(), 1);
  Trainer(options, *task, data(), {}).train(never);
  for (const auto& entry : task->parameters().entries()) {
    const auto old = before->parameters().find(entry.name)->tensor.to_host<float>();
    EXPECT_EQ(entry.tensor.to_host<float>() == old, entry.name.starts_with("encoder.")) << entry.name;
  }
  options.freeze = {"encoders.*"};
  const auto another = make_translation(tiny_transformer(), corpus(), 1);
  EXPECT_NE(message([&] { Trainer(options, *another, data(), {}); }).find("matches 'encoders.*'"), std::string::npos);
}

// Gives the run a metric with scripted values.
class Scripted final : public Observer {
 public:
  explicit Scripted(std::vector<double> scores) : scores_(std::move(scores)) {}
  void measure(Validation& validation) override { validation.scores.set("bleu", scores_.at(next_++)); }
  void on_validation(const Validation& validation) override {
    best.push_back(validation.best);
    rates.push_back(rate_);
  }
  void on_update(const StepReport& step) override { rate_ = step.rate; }
  void on_remark(const std::string& words, const Position&) override { remarks.push_back(words); }

  std::vector<bool> best;
  std::vector<double> rates;  // of the last update before each validation
  std::vector<std::string> remarks;

 private:
  std::vector<double> scores_;
  std::size_t next_ = 0;
  double rate_ = 0;
};

TEST(Trainer, StopsWhenPatienceIsOverAndKeepsTheBestModel) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.until = {"1ku"};
  options.validate = "5u";
  options.metric = "bleu";
  options.patience = 3;
  ToyTask task;
  Trainer trainer(options, task, data(), {});
  Scripted scripted({10, 30, 20, 25, 29});
  trainer.add(scripted);
  const RunEnd end = trainer.train(never);
  EXPECT_FALSE(end.asked);
  EXPECT_EQ(end.position.updates, 25u);
  EXPECT_EQ(end.reason, "no better bleu in 3 validations");
  EXPECT_EQ(scripted.best, (std::vector<bool>{true, true, false, false, false}));
  EXPECT_EQ(trainer.state().best.at("bleu").update, 10u);
  EXPECT_EQ(store::ModelFile(trainer.model_path(), store::ModelFile::Configuration::unused).info().card.at("updates"),
            "10");
}

TEST(Trainer, NamesTheMeasuredScoresWhenTheMetricIsMissing) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.metric = "bleu";
  ToyTask task;
  Trainer trainer(options, task, data(), {});
  EXPECT_NE(message([&] { trainer.train(never); }).find("'bleu' is not among the scores of this run: loss, perplexity"),
            std::string::npos);
}

TEST(Trainer, ReducesTheRateOnAPlateau) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.until = {"30u"};
  options.validate = "5u";
  options.metric = "bleu";
  options.schedule.plateau = 2;
  ToyTask task;
  Trainer trainer(options, task, data(), {});
  Scripted scripted({10, 9, 9, 9, 9, 9});
  trainer.add(scripted);
  trainer.train(never);
  EXPECT_EQ(scripted.rates, (std::vector<double>{0.01, 0.01, 0.01, 0.005, 0.005, 0.0025}));
}

TEST(Trainer, StopsAtALossOfNaNAndSaysWhere) {
  TempFolder folder;
  ToyTask task;
  task.broken_batch = 13;
  Trainer trainer(quick_options(folder.file("run")), task, data(), {});
  const std::string words = message([&] { trainer.train(never); });
  EXPECT_NE(words.find("update 13: the loss is nan"), std::string::npos) << words;
  EXPECT_NE(words.find("--on-divergence rollback"), std::string::npos) << words;
}

TEST(Trainer, RollsBackToTheLastCheckpointWithHalfTheRate) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.on_divergence = OnDivergence::rollback;
  ToyTask task;
  task.broken_batch = 13;
  Trainer trainer(options, task, data(), {});
  Scripted scripted(std::vector<double>(10, 1));
  trainer.add(scripted);
  EXPECT_EQ(trainer.train(never).position.updates, 20u);
  ASSERT_EQ(scripted.remarks.size(), 1u);
  EXPECT_NE(scripted.remarks[0].find("update 13"), std::string::npos);
  EXPECT_NE(scripted.remarks[0].find("back to update 10 with 0.5"), std::string::npos);
  EXPECT_EQ(scripted.rates.back(), 0.005);
  EXPECT_EQ(task.batches, 20 + 3) << "updates 11 and 12 were made twice, 13 tried twice";
}

TEST(Trainer, StopsAtALossFarAboveItsRunningMean) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.until = {"100u"};
  options.explosion = 10;
  options.schedule.rate = 1e-4;
  ToyTask task;
  task.exploding_batch = 77;
  Trainer trainer(options, task, data(), {});
  EXPECT_NE(message([&] { trainer.train(never); }).find("update 77"), std::string::npos);
}

// Resident memory of the process in bytes.
std::size_t resident() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, pages = 0;
  file >> all >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Records the memory at update `settled` and at the end.
class MemoryWatch final : public Observer {
 public:
  explicit MemoryWatch(std::uint64_t settled) : settled_(settled) {}
  void on_update(const StepReport& step) override {
    if (step.position.updates == settled_) before = resident();
    after = resident();
  }
  std::size_t before = 0, after = 0;

 private:
  std::uint64_t settled_;
};

TEST(Trainer, MemoryStaysFlat) {
#ifdef DRAGOMAN_SANITIZED
  GTEST_SKIP() << "a sanitizer keeps memory that was released";
#endif
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("toy"));
  options.until = {"10ku"};
  options.validate = options.checkpoint = "2ku";
  ToyTask toy;
  Trainer loop(options, toy, data(), {});
  MemoryWatch loop_watch(2500);
  loop.add(loop_watch);
  loop.train(never);
  EXPECT_LT(loop_watch.after, loop_watch.before + (1 << 20)) << "over 7,500 updates of the bare loop";

  options.output = folder.file("model");
  options.until = {"300u"};
  options.validate = options.checkpoint = "50u";
  const auto task = make_translation(tiny_transformer(), corpus(), 1);
  Trainer model(options, *task, data(), {});
  MemoryWatch model_watch(110);
  model.add(model_watch);
  model.train(never);
  EXPECT_LT(model_watch.after, model_watch.before + (1 << 20)) << "over 190 updates of a model";
}

// Counts logs and keeps the words of a failure.
class LogWatch final : public Observer {
 public:
  void on_log(const StepReport& step) override { logged.push_back(step.position.updates); }
  void on_end(const RunEnd&) override { ++ends; }
  void on_failure(const std::string& words, const Position&) override { failures.push_back(words); }

  std::vector<std::uint64_t> logged;
  std::vector<std::string> failures;
  int ends = 0;
};

TEST(Trainer, LogsShortRunsUntilTheirLastUpdate) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.log = "1ku";
  options.until = {"40u"};
  ToyTask task;
  Trainer trainer(options, task, data(), {});
  LogWatch watch;
  trainer.add(watch);
  trainer.train([&] { return trainer.state().position.updates == 5; });
  EXPECT_EQ(watch.logged, (std::vector<std::uint64_t>{2, 4, 5})) << "every twentieth, and the update it stopped at";
  ToyTask again;
  Trainer resumed(options, again, data(), {});
  LogWatch rest;
  resumed.add(rest);
  resumed.resume();
  resumed.train(never);
  EXPECT_EQ(rest.logged.front(), 6u);
  EXPECT_EQ(rest.logged.back(), 40u);
  EXPECT_EQ(rest.ends, 1);
}

TEST(Trainer, TellsItsObserversWhyARunFails) {
  TempFolder folder;
  ToyTask task;
  Trainer trainer(quick_options(folder.file("run")), task, data(), {});
  LogWatch watch;
  trainer.add(watch);
  EXPECT_EQ(message([&] { trainer.train([]() -> bool { fail("no more"); }); }), "no more");
  EXPECT_EQ(watch.failures, std::vector<std::string>{"no more"});
  EXPECT_EQ(watch.ends, 0);
}

TEST(Trainer, SavesAndReturnsWhenAskedToStop) {
  TempFolder folder;
  ToyTask task;
  Trainer trainer(quick_options(folder.file("run")), task, data(), {});
  EXPECT_FALSE(trainer.resume());
  EXPECT_EQ(trainer.saved_update(), std::nullopt);
  const RunEnd end = trainer.train([&] { return trainer.state().position.updates == 7; });
  EXPECT_EQ(end.reason, "asked to stop");
  EXPECT_TRUE(end.asked);
  EXPECT_EQ(trainer.saved_update(), 7u);
  ToyTask again;
  Trainer resumed(quick_options(folder.file("run")), again, data(), {});
  EXPECT_TRUE(resumed.resume());
  EXPECT_EQ(resumed.state().position.updates, 7u);
  EXPECT_EQ(weights_of(again), weights_of(task));
}

TEST(Trainer, AModelThatCouldNotBeWrittenAtTheEndIsWrittenWhenTheRunIsResumed) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.until = {"4u"};
  options.checkpoint = "";  // only at the end
  const auto without_validation = [] {
    TrainData all = data();
    all.validation.reset();
    return all;
  };
  const std::string model = folder.file("run/model.safetensors");
  std::filesystem::create_directories(model + "/in the way");
  ToyTask task;
  EXPECT_THROW(Trainer(options, task, without_validation(), {}).train(never), std::exception);
  std::filesystem::remove_all(model);
  ToyTask again;
  Trainer resumed(options, again, without_validation(), {});
  resumed.resume();
  const RunEnd end = resumed.train(never);
  EXPECT_EQ(end.model, model);
  EXPECT_EQ(store::ModelFile(model, store::ModelFile::Configuration::unused).info().card.at("updates"),
            std::to_string(end.position.updates));
}

TEST(Trainer, RefusesToResumeOnOtherData) {
  TempFolder folder;
  ToyTask task;
  Trainer(quick_options(folder.file("run")), task, data(), {}).train(never);
  const SmallCorpus other({"a b", "c"}, {"x", "y z"});
  Trainer trainer(quick_options(folder.file("run")), task, {other.batches(batches_of(1)), std::nullopt}, {});
  EXPECT_NE(message([&] { trainer.resume(); }).find("48 sentence pairs, but now there are 2"), std::string::npos);
}

TrainData hashed_data(std::uint64_t training, std::uint64_t validation) {
  TrainData pairs = data();
  pairs.hash = training;
  pairs.validation_hash = validation;
  return pairs;
}

TEST(Trainer, RefusesToResumeOnAsManyOtherPairs) {
  TempFolder folder;
  ToyTask task;
  Trainer(quick_options(folder.file("run")), task, hashed_data(1, 0), {}).train(never);
  EXPECT_TRUE(Trainer(quick_options(folder.file("run")), task, hashed_data(1, 0), {}).resume());
  EXPECT_TRUE(Trainer(quick_options(folder.file("run")), task, hashed_data(0, 0), {}).resume()) << "unknown";
  Trainer other(quick_options(folder.file("run")), task, hashed_data(2, 0), {});
  EXPECT_NE(message([&] { other.resume(); }).find("other sentence pairs: there are as many"), std::string::npos);
}

TEST(Trainer, SaysThatTheValidationDataChanged) {
  TempFolder folder;
  ToyTask task;
  Trainer(quick_options(folder.file("run")), task, hashed_data(1, 1), {}).train(never);
  const auto remarks = [&](std::uint64_t hash) {
    Trainer trainer(quick_options(folder.file("run")), task, hashed_data(1, hash), {});
    Scripted listener({});
    trainer.add(listener);
    EXPECT_TRUE(trainer.resume());
    return listener.remarks;
  };
  EXPECT_TRUE(remarks(1).empty());
  ASSERT_EQ(remarks(2).size(), 1u);
  EXPECT_NE(remarks(2)[0].find("the validation data have changed"), std::string::npos);
}

TEST(Trainer, AResumedRunWithOtherBatchesKeepsItsPlaceInTheEpoch) {
  TempFolder folder;
  ToyTask task;
  TrainOptions options = quick_options(folder.file("run"));
  options.until = {"5u"};
  Trainer(options, task, data(batches_of(8)), {}).train(never);
  const auto resumed = [&](int size) {
    Trainer trainer(options, task, data(batches_of(size)), {});
    Scripted listener({});
    trainer.add(listener);
    EXPECT_TRUE(trainer.resume());
    EXPECT_EQ(listener.remarks.size(), size == 8 ? 0u : 1u) << size;
    return trainer.state();
  };
  const TrainState same = resumed(8), fewer = resumed(24), more = resumed(2);
  EXPECT_EQ(same.step, 5u);
  EXPECT_EQ(fewer.step, 2u);
  EXPECT_EQ(more.step, 20u);
  for (const TrainState& state : {same, fewer, more}) EXPECT_EQ(state.epoch, 0u);
  EXPECT_DOUBLE_EQ(more.position.epochs, same.position.epochs);
  EXPECT_GE(fewer.position.epochs, same.position.epochs);
}

TEST(Trainer, AResumedRunKeepsTheCardOfItsCheckpoint) {
  TempFolder folder;
  ToyTask task;
  TrainOptions options = quick_options(folder.file("run"));
  const auto named = [](const std::string& corpus) {
    store::ModelInfo info;
    info.card["data"] = corpus;
    return info;
  };
  options.until = {"10u"};
  Trainer(options, task, data(), named("train.en")).train(never);
  options.until = {"11u"};
  Trainer resumed(options, task, data(), named("elsewhere/train.en"));
  ASSERT_TRUE(resumed.resume());
  resumed.train(never);
  const store::ModelFile newest(folder.file("run/checkpoints/000000011.safetensors"),
                                store::ModelFile::Configuration::unused);
  EXPECT_EQ(newest.info().card.at("data"), "train.en");
  EXPECT_TRUE(newest.info().card.contains("validation.loss"));
}

TEST(Trainer, ValidatesAndSavesTheMovingAverage) {
  TempFolder folder;
  TrainOptions options = quick_options(folder.file("run"));
  options.optimiser.ema = 0.5;
  options.optimiser.kind = OptimiserKind::sgd;
  options.optimiser.momentum = options.optimiser.clip = 0;
  options.until = {"2u"};
  ToyTask task;
  const std::vector<float> start = weights_of(task);
  Trainer trainer(options, task, data(), {});
  trainer.train(never);
  // The decay rate is min(0.5, (1 + t) / (10 + t)): 2/11 and 3/12 in the first two updates.
  const store::ModelFile model(trainer.model_path(), store::ModelFile::Configuration::unused);
  ToyTask kept;
  model.load(kept.parameters());
  const std::vector<float> end = weights_of(task), average = weights_of(kept);
  for (std::size_t i = 0; i < 8; ++i) {
    const double first = 1 + (start[i] - 1) * 0.98, second = 1 + (start[i] - 1) * 0.98 * 0.98;
    EXPECT_NEAR(end[i], second, 1e-6);
    const double expected = 0.25 * (2.0 / 11 * start[i] + 9.0 / 11 * first) + 0.75 * second;
    EXPECT_NEAR(average[i], expected, 1e-6);
  }
}

}  // namespace
}  // namespace dragoman::train
