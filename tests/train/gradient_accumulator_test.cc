#include "train/gradient_accumulator.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/train/small_run.h"

namespace dragoman::train {
namespace {

using support::message;

// A toy task that records the parts it receives and runs out of memory above a number of tokens.
class CountingTask final : public Task {
 public:
  const models::ModelConfig& config() const override { return toy_.config(); }
  nn::Parameters& parameters() override { return toy_.parameters(); }
  std::uint64_t learn(Context& cx, const data::Batch& batch, const LossSettings& settings, double scale,
                      const LossTotals& losses) override {
    parts.push_back(batch.tokens());
    scales.push_back(scale);
    if (batch.tokens() > memory) throw OutOfMemory("no memory is left");
    return toy_.learn(cx, batch, settings, scale, losses);
  }
  Tally tally(Workspace&, const data::Batcher&, const data::Batch&) const override { return {}; }

  std::size_t memory = 1'000'000;
  std::vector<std::size_t> parts;
  std::vector<double> scales;

 private:
  ToyTask toy_;
};

class GradientAccumulatorTest : public ::testing::Test {
 protected:
  GradientAccumulatorTest() {
    data::Batcher batcher = corpus_.batches(batches_of(8));
    for (data::Batch& batch : batches_) batcher.next(batch);
  }
  GradientAccumulator accumulator(std::int64_t at_once) {
    TrainOptions options;
    options.at_once = at_once;
    return {task_, workspace_, options, sharding_};
  }
  std::uint64_t accumulate(GradientAccumulator& gradients) {
    const LossTotals losses{losses_};
    gradients.accumulate({batches_, labels(), {&losses, 1}}, state_,
                         [this](const std::string& words) { remarks_ += words; });
    return GradientAccumulator::count_labels(batches_);
  }
  std::size_t longest() const { return std::max(batches_[0].longest(), batches_[1].longest()); }
  std::size_t largest() const { return std::max(batches_[0].tokens(), batches_[1].tokens()); }
  std::uint64_t labels() const { return batches_[0].labels.size() + batches_[1].labels.size(); }

  SmallCorpus corpus_;
  std::vector<data::Batch> batches_ = std::vector<data::Batch>(2);
  CountingTask task_;
  Workspace workspace_{cpu_device()};
  Sharding sharding_{task_.parameters().weights().count(), Team{}};
  Buffer sums_{cpu_device(), DType::f64, 2};
  Tensor losses_{sums_.tensor().raw(), DType::f64, {2, 1}, cpu_device()};
  TrainState state_;
  std::string remarks_;
};

TEST_F(GradientAccumulatorTest, TheBatchesOfAnUpdateShareOneMean) {
  GradientAccumulator gradients = accumulator(0);
  EXPECT_EQ(accumulate(gradients), labels());
  EXPECT_EQ(task_.parts, (std::vector<std::size_t>{batches_[0].tokens(), batches_[1].tokens()}));
  for (const double scale : task_.scales) EXPECT_EQ(scale, 1 / static_cast<double>(labels()));
}

TEST_F(GradientAccumulatorTest, StartsFromZeroEveryTime) {
  GradientAccumulator gradients = accumulator(0);
  accumulate(gradients);
  const auto gradient = task_.parameters().gradients().to_host<float>();
  const auto losses = losses_.to_host<double>();
  accumulate(gradients);
  EXPECT_EQ(task_.parameters().gradients().to_host<float>(), gradient);
  EXPECT_EQ(losses_.to_host<double>(), losses);
}

TEST_F(GradientAccumulatorTest, LargeBatchesGoThroughInParts) {
  GradientAccumulator gradients = accumulator(static_cast<std::int64_t>(longest()));
  EXPECT_EQ(accumulate(gradients), labels());
  EXPECT_GT(task_.parts.size(), 2u);
  for (const std::size_t tokens : task_.parts) EXPECT_LE(tokens, longest());
}

TEST_F(GradientAccumulatorTest, HalvesThePartsWhenMemoryRunsOutAndStartsTheUpdateAgain) {
  GradientAccumulator roomy = accumulator(0);
  accumulate(roomy);
  const auto expected = task_.parameters().gradients().to_host<float>();
  task_.memory = std::max(largest() / 2, longest());
  GradientAccumulator cramped = accumulator(0);
  state_.position.updates = 6;
  EXPECT_EQ(accumulate(cramped), labels());
  EXPECT_EQ(cramped.at_once(), task_.memory);
  EXPECT_NE(remarks_.find("update 7: no memory is left; from now on at most"), std::string::npos) << remarks_;
  const auto gradient = task_.parameters().gradients().to_host<float>();
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-5) << i;
}

TEST_F(GradientAccumulatorTest, FailsWhenOneSentencePairDoesNotFit) {
  task_.memory = 1;
  GradientAccumulator gradients = accumulator(0);
  EXPECT_NE(message([&] { accumulate(gradients); }).find("even for one sentence pair"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::train
