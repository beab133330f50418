// Runs on a GPU; skipped with the reason if there is none.
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

// Wraps a task; the gradients of one batch are NaN.
class BrokenOnce final : public Task {
 public:
  BrokenOnce(std::unique_ptr<Task> sound, int broken_batch) : sound_(std::move(sound)), broken_batch_(broken_batch) {}

  const models::ModelConfig& config() const override { return sound_->config(); }
  nn::Parameters& parameters() override { return sound_->parameters(); }
  std::uint64_t learn(Context& cx, const data::Batch& batch, const LossSettings& settings, double gradient_scale,
                      const LossTotals& losses) override {
    const bool broken = ++batches == broken_batch_;
    return sound_->learn(cx, batch, settings, broken ? NAN : gradient_scale, losses);
  }
  Tally tally(Workspace& workspace, const data::Batcher& held_out, const data::Batch& batch) const override {
    return sound_->tally(workspace, held_out, batch);
  }

  int batches = 0;

 private:
  std::unique_ptr<Task> sound_;
  int broken_batch_;
};

class CudaRemarks final : public Observer {
 public:
  void on_remark(const std::string& words, const Position&) override { all.push_back(words); }
  std::vector<std::string> all;
};

TEST_F(TrainerOnCuda, ADivergedUpdateIsRolledBackTogetherWithThePendingOneAfterIt) {
  TrainOptions options = quick_options(folder_.file("run"));
  options.until = {"200u"};  // so long that nothing is logged after updates 13 and 14, which would wait for them
  options.on_divergence = OnDivergence::rollback;
  BrokenOnce task(make_translation(tiny_transformer(), corpus_, 1, {cuda_device(), DType::bf16}), 13);
  Trainer trainer(options, task, {corpus_.batches(batches_of(8)), corpus_.batches(batches_of(16))}, store::ModelInfo{});
  CudaRemarks remarks;
  trainer.add(remarks);
  EXPECT_EQ(trainer.train([] { return false; }).position.updates, 200u);
  ASSERT_EQ(remarks.all.size(), 1u);
  EXPECT_NE(remarks.all[0].find("update 13"), std::string::npos) << remarks.all[0];
  EXPECT_NE(remarks.all[0].find("back to update 10 with 0.5"), std::string::npos) << remarks.all[0];
  EXPECT_EQ(task.batches, 200 + 4) << "updates 11 to 14 were made twice";
  for (const nn::Parameters::Entry& entry : task.parameters().entries())
    for (const float weight : task.parameters().weights_of(entry).to_host<float>())
      ASSERT_TRUE(std::isfinite(weight)) << entry.name;
}

TEST_F(TrainerOnCuda, AResumedRunEqualsTheUninterruptedOneBitByBit) {
  for (const models::ModelConfig& config : {tiny_transformer(), tiny_lstm()})
    for (const DType type : {DType::f32, DType::bf16}) {
      const auto make = [&](const std::string& output) { return fresh_run(config, {cuda_device(), type}, output); };
      EXPECT_GT(verify_resume(make, folder_.path(), 14), 10'000u);
    }
}

// One run moves from the host to the GPU and back; each process continues exactly where the previous one stopped.
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
