#include "train/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/errors.h"
#include "tests/train/small_run.h"

namespace dragoman::train {
namespace {

using support::message;

// A model whose activations need more than the first block of an arena.
models::ModelConfig wide_transformer() {
  models::ModelConfig config = tiny_transformer();
  config.embedding = config.transformer.size = 96;
  config.transformer.feed_forward = 384;
  config.transformer.dropout = 0;
  return config;
}

class MemoryPlanTest : public ::testing::Test {
 protected:
  MemoryPlan rehearse(std::size_t free, const TrainOptions& options) {
    MemoryPlan plan{.free = free};
    Workspace workspace(cpu_device());
    rehearse_learning(options, *task_, workspace, largest_, plan);
    return plan;
  }

  SmallCorpus corpus_;
  std::unique_ptr<TranslationTask> task_ = make_translation(wide_transformer(), corpus_, 1);
  data::Batch largest_ = corpus_.batches(batches_of(40)).largest();
};

TEST_F(MemoryPlanTest, WholeBatchesGoThroughIfTheyFit) {
  const std::vector<float> before = weights_of(*task_);
  const MemoryPlan plan = rehearse(std::size_t{1} << 34, {});
  EXPECT_EQ(plan.at_once, 0u);
  EXPECT_EQ(plan.largest_batch, largest_.tokens());
  EXPECT_GT(plan.learning, std::size_t{2} << 20);
  EXPECT_EQ(weights_of(*task_), before) << "a rehearsal trains nothing";
  for (const float one : task_->parameters().gradients().to_host<float>()) ASSERT_EQ(one, 0);
}

TEST_F(MemoryPlanTest, ABatchThatDoesNotFitGoesThroughInPartsThatDo) {
  const std::size_t need = rehearse(std::size_t{1} << 34, {}).learning;
  TrainOptions options;
  for (const std::size_t share : {2, 4}) {
    options.memory_fraction = 1.0 / static_cast<double>(share);
    const MemoryPlan plan = rehearse(need, options);
    EXPECT_GT(plan.at_once, 0u);
    EXPECT_LT(plan.at_once, plan.largest_batch);
    EXPECT_LE(plan.learning, need / share);
  }
  MemoryPlan searching{.search = need / 2, .free = need};
  Workspace workspace(cpu_device());
  options.memory_fraction = 1;
  rehearse_learning(options, *task_, workspace, largest_, searching);
  EXPECT_LE(searching.learning, need / 2) << "memory of search is not available to batches";
}

TEST_F(MemoryPlanTest, ASentenceThatNeverFitsIsNamedBeforeTheFirstUpdate) {
  EXPECT_NE(message([&] { rehearse(std::size_t{100} << 10, {}); }).find("too little for a sentence pair of"),
            std::string::npos);
}

TEST_F(MemoryPlanTest, IsDescribedInWords) {
  MemoryPlan plan{
      .learning = std::size_t{3} << 20, .free = std::size_t{5} << 30, .fraction = 0.9, .largest_batch = 5000};
  const auto facts = describe(plan);
  EXPECT_NE(facts[0].second.find("batches 3.0 MiB"), std::string::npos) << facts[0].second;
  EXPECT_EQ(facts[1].second, "5.0 GiB, of which batches and search may take 90 %");
  EXPECT_EQ(facts[2].second, "the largest batch, 5,000 tokens of both sides");
  plan.at_once = 1250;
  EXPECT_EQ(describe(plan)[2].second, "1,250 tokens of both sides; larger batches (up to 5,000) are split into parts");
}

TEST(SmallerPart, HalvesWhatWasTriedDownToTheLongestSentence) {
  EXPECT_EQ(smaller_part(0, 1000, 10), 500u);
  EXPECT_EQ(smaller_part(500, 1000, 10), 250u);
  EXPECT_EQ(smaller_part(5000, 1000, 10), 500u) << "a limit above the largest batch is no limit";
  EXPECT_EQ(smaller_part(15, 1000, 10), 10u);
  EXPECT_EQ(smaller_part(10, 1000, 10), 0u) << "a sentence is not split";
  EXPECT_EQ(smaller_part(0, 10, 10), 0u);
}

// Collects the remarks of a run.
class Remarks final : public Observer {
 public:
  void on_remark(const std::string& words, const Position&) override { all += words + "\n"; }
  std::size_t rehearse() override { return 12345; }
  std::string all;
};

TEST_F(MemoryPlanTest, PartsMakeTheUpdatesOfWholeBatches) {
  support::TempFolder folder;
  const auto train = [&](std::int64_t at_once) {
    TrainOptions options = quick_options(folder.file(std::to_string(at_once)));
    options.until = {"3u"};
    options.at_once = at_once;
    options.optimiser = {.kind = OptimiserKind::sgd, .momentum = 0, .clip = 0};
    const auto task = make_translation(wide_transformer(), corpus_, 1);
    Remarks remarks;
    Trainer trainer(options, *task, {corpus_.batches(batches_of(16)), corpus_.batches(batches_of(16))}, {});
    trainer.add(remarks);
    const MemoryPlan plan = trainer.rehearse();
    EXPECT_EQ(plan.at_once, static_cast<std::size_t>(at_once));
    EXPECT_EQ(plan.search, 12345u);
    EXPECT_EQ(plan.gradients, plan.weights);
    trainer.train(never);
    return std::pair(weights_of(*task), trainer.state().best.at("loss").value);
  };
  const auto whole = train(0), parts = train(60);
  for (std::size_t i = 0; i < whole.first.size(); ++i) ASSERT_NEAR(whole.first[i], parts.first[i], 3e-6) << i;
  EXPECT_NEAR(whole.second, parts.second, 1e-5);
}

// Runs out of memory on parts of more than `most` tokens, regardless of the rehearsal.
class CrampedTask final : public Task {
 public:
  CrampedTask(std::unique_ptr<Task> task, std::size_t most) : task_(std::move(task)), most_(most) {}
  const models::ModelConfig& config() const override { return task_->config(); }
  nn::Parameters& parameters() override { return task_->parameters(); }
  std::uint64_t learn(Context& cx, const data::Batch& batch, const LossSettings& settings, double scale,
                      const LossTotals& losses) override {
    const std::uint64_t labels = task_->learn(cx, batch, settings, scale, losses);
    if (batch.tokens() > most_) throw OutOfMemory("no memory is left");
    return labels;
  }
  Tally tally(Workspace& workspace, const data::Batcher& batches, const data::Batch& batch) const override {
    return task_->tally(workspace, batches, batch);
  }

 private:
  std::unique_ptr<Task> task_;
  std::size_t most_;
};

TEST_F(MemoryPlanTest, ARunThatRunsOutOfMemoryContinuesWithSmallerParts) {
  support::TempFolder folder;
  const auto train = [&](std::size_t most, std::string& remarks) {
    TrainOptions options = quick_options(folder.file(std::to_string(most)));
    options.until = {"4u"};
    options.optimiser = {.kind = OptimiserKind::sgd, .momentum = 0, .clip = 0};
    CrampedTask task(make_translation(wide_transformer(), corpus_, 1), most);
    Remarks observer;
    Trainer trainer(options, task, {corpus_.batches(batches_of(16)), std::nullopt}, {});
    trainer.add(observer);
    trainer.train(never);
    remarks = observer.all;
    return weights_of(task);
  };
  std::string quiet, spoken, refused;
  const std::vector<float> roomy = train(1'000'000, quiet), cramped = train(100, spoken);
  EXPECT_EQ(quiet, "");
  EXPECT_NE(spoken.find("update 1: no memory is left; from now on at most"), std::string::npos) << spoken;
  for (std::size_t i = 0; i < roomy.size(); ++i) ASSERT_NEAR(roomy[i], cramped[i], 3e-6) << i;
  EXPECT_NE(message([&] { train(3, refused); }).find("even for one sentence pair"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::train
