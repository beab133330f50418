// Several ranks, as threads of this process, train one model.
#include "train/team.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "tests/comm/ranks.h"
#include "tests/support/errors.h"
#include "tests/train/small_run.h"

namespace dragoman::train {
namespace {

using support::TempFolder;

const SmallCorpus& team_corpus() {
  static const SmallCorpus shared;
  return shared;
}

// Options that use every feature of the trainer.
TrainOptions team_options(const std::string& output, int parts) {
  TrainOptions options = quick_options(output);
  options.until = {"12u"};
  options.validate = "6u";
  options.parts = parts;
  options.optimiser.ema = 0.9;
  options.optimiser.weight_decay = 0.01;
  options.optimiser.kind = OptimiserKind::adamw;
  options.loss.label_smoothing = 0.1;
  return options;
}

// Trains on `ranks` ranks until the end, or until the last rank is asked to stop after `stop_at` updates. Returns the
// weights, which fit into one bucket of Sharding.
std::vector<float> train_with_ranks(int ranks, const TrainOptions& options, std::uint64_t stop_at = 1000) {
  std::vector<float> weights;
  const SmallCorpus& corpus = team_corpus();
  comm::with_ranks(ranks, [&](comm::Communicator& comm) {
    const auto task = make_translation(tiny_transformer(), corpus, options.seed);
    const Team team = Team::of(options, comm);
    data::BatchOptions batches = batches_of(2);
    batches.rows.mask_source = 0.1;
    Trainer trainer(options, *task, {corpus.batches(batches, team.shard()), corpus.batches(batches_of(16))}, {}, comm);
    trainer.resume();
    trainer.train([&] { return comm.rank() == comm.size() - 1 && trainer.state().position.updates + 1 >= stop_at; });
    if (comm.leads()) weights = weights_of(*task);
  });
  return weights;
}

// Everything in the newest checkpoint except the training time.
std::map<std::string, std::string> newest_contents(const std::string& output) {
  const store::SafetensorsFile file(CheckpointFolder(output + "/checkpoints", 2).list().back());
  std::map<std::string, std::string> all;
  for (const store::TensorRecord& tensor : file.tensors()) all[tensor.name] = file.read(tensor);
  TrainState state = state_from_json(all.at("train.state"), file.path());
  state.seconds = 0;
  all["train.state"] = to_json(state);
  return all;
}

TEST(Team, TheSameBitsOnOneTwoFourAndEightRanks) {
  TempFolder folder;
  const std::vector<float> one = train_with_ranks(1, team_options(folder.file("1"), 8));
  for (const int ranks : {2, 4, 8}) {
    const std::string output = folder.file(std::to_string(ranks));
    EXPECT_EQ(train_with_ranks(ranks, team_options(output, 8)), one) << ranks << " ranks";
    EXPECT_EQ(newest_contents(output), newest_contents(folder.file("1"))) << ranks << " ranks";
  }
  EXPECT_NE(train_with_ranks(1, team_options(folder.file("4 parts"), 4)), one) << "the parts make the update";
}

TEST(Team, ARunThatWasStoppedOnFourRanksGoesOnOnTwoAndOne) {
  TempFolder folder;
  const std::vector<float> straight = train_with_ranks(1, team_options(folder.file("straight"), 4));
  const TrainOptions options = team_options(folder.file("moved"), 4);
  train_with_ranks(4, options, 4);
  EXPECT_EQ(state_from_json(newest_contents(options.output).at("train.state"), "").position.updates, 4u);
  train_with_ranks(2, options, 9);
  EXPECT_EQ(train_with_ranks(1, options), straight);
  EXPECT_EQ(newest_contents(options.output), newest_contents(folder.file("straight")));
}

TEST(Team, FourRanksLearnLikeOneProcessThatAccumulatesFourBatches) {
  TempFolder folder;
  TrainOptions options = team_options(folder.file("four"), 0);
  options.optimiser = {.kind = OptimiserKind::sgd, .momentum = 0};  // Adam divides rounding errors by themselves
  options.schedule.rate = 0.1;
  const std::vector<float> four = train_with_ranks(4, options);
  options.output = folder.file("one");
  options.optimiser.accumulate = 4;
  const std::vector<float> one = train_with_ranks(1, options);
  ASSERT_EQ(four.size(), one.size());
  double gap = 0;
  for (std::size_t i = 0; i < one.size(); ++i) gap = std::max(gap, std::abs(double(four[i]) - double(one[i])));
  EXPECT_LT(gap, 1e-6);
  EXPECT_NE(four, one) << "the sums have another order";
}

TEST(Team, GradientsMayTravelInBf16) {
  TempFolder folder;
  TrainOptions options = team_options(folder.file("f32"), 0);
  const std::vector<float> wide = train_with_ranks(2, options);
  options.output = folder.file("bf16");
  options.wire = comm::Wire::bf16;
  const std::vector<float> narrow = train_with_ranks(2, options);
  EXPECT_NE(narrow, wide);
  const auto perplexity = [&](const std::string& name) {
    return state_from_json(newest_contents(folder.file(name)).at("train.state"), "").best.at("perplexity").value;
  };
  EXPECT_NEAR(perplexity("bf16") / perplexity("f32"), 1, 0.05);
}

TEST(Team, WithoutPartsARunMayStillBeResumedOnFewerRanks) {
  TempFolder folder;
  const TrainOptions options = team_options(folder.file("run"), 0);
  train_with_ranks(4, options, 4);
  const TrainState before = state_from_json(newest_contents(options.output).at("train.state"), "");
  EXPECT_EQ(before.parts, 4);
  EXPECT_EQ(before.step, 4u) << "of 6, with 4 batches each";
  train_with_ranks(2, options, 5);
  const TrainState after = state_from_json(newest_contents(options.output).at("train.state"), "");
  EXPECT_EQ(after.parts, 2);
  EXPECT_EQ(after.step, 9u) << "8 steps of 2 batches were 4 steps of 4";
  EXPECT_EQ(after.batches, 18u);
}

TEST(Team, RefusesPartsThatTheRanksCannotDivide) {
  TrainOptions options;
  options.parts = 6;
  EXPECT_NE(support::message([&] { Team::of(options, comm::alone()); }).find("power of two"), std::string::npos);
  comm::with_ranks(3, [&](comm::Communicator& comm) {
    TrainOptions own;
    own.parts = 8;
    EXPECT_NE(support::message([&] { Team::of(own, comm); }).find("3 processes cannot divide the parts"),
              std::string::npos);
  });
}

}  // namespace
}  // namespace dragoman::train
