// Runs on a GPU; skipped with the reason where there is none.
#include <gtest/gtest.h>

#include "kernels/cuda/cuda.h"
#include "tests/train/small_run.h"
#include "train/verify.h"

namespace dragoman::train {
namespace {

class TrainerOnCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  }

  FreshRun fresh_run(const models::ModelConfig& config, const Placement& where, const std::string& output) const {
    TrainOptions options = quick_options(output);
    options.optimiser.ema = 0.9;
    FreshRun run{make_translation(config, corpus_, 1, where), nullptr};
    run.trainer = std::make_unique<Trainer>(options, *run.task,
                                            TrainData{corpus_.batches(batches_of(8)), corpus_.batches(batches_of(16))},
                                            store::ModelInfo{});
    return run;
  }

  SmallCorpus corpus_;
  support::TempFolder folder_;
};

TEST_F(TrainerOnCuda, AResumedRunEqualsTheUninterruptedOneBitByBit) {
  for (const models::ModelConfig& config : {tiny_transformer(), tiny_lstm()})
    for (const DType type : {DType::f32, DType::bf16}) {
      const auto make = [&](const std::string& output) { return fresh_run(config, {cuda_device(), type}, output); };
      EXPECT_GT(verify_resume(make, folder_.path(), 14), 10'000u);
    }
}

// From the host to the GPU and back, one run; each start takes over exactly what the one before had.
TEST_F(TrainerOnCuda, CheckpointsMoveBetweenHostAndGpu) {
  const Placement places[] = {{cpu_device(), DType::f32},
                              {cuda_device(), DType::bf16},
                              {cuda_device(), DType::f32},
                              {cpu_device(), DType::f32}};
  std::vector<float> last;
  double loss = 1e9;
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    const FreshRun run = fresh_run(tiny_transformer(), places[turn], folder_.file("run"));
    ASSERT_EQ(run.trainer->resume(), turn > 0);
    if (turn > 0) {
      EXPECT_EQ(weights_of(*run.task), last);
    }
    run.trainer->train([&] { return run.trainer->state().position.updates >= 5 * (turn + 1); });
    EXPECT_EQ(run.trainer->state().position.updates, 5 * (turn + 1));
    EXPECT_LT(run.trainer->state().running_loss, loss);
    loss = run.trainer->state().running_loss;
    last = weights_of(*run.task);
  }
}

}  // namespace
}  // namespace dragoman::train
