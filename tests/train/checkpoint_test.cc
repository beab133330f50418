#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include <mutex>

#include "tests/comm/ranks.h"
#include "tests/support/errors.h"
#include "tests/train/small_run.h"

namespace dragoman::train {
namespace {

using support::message;
using support::read_all;
using support::TempFolder;

// A minimal run: parameters and everything else that a checkpoint holds.
struct MiniRun {
  MiniRun() : optimiser({.kind = OptimiserKind::adam}, weights), average(0.9, weights) {}

  Trained trained() { return {weights, optimiser, &average, state}; }
  // Simulates update `number`.
  void move_to(std::uint64_t number) {
    state.position.updates = number;
    state.best["bleu"] = {12.25, number};
    state.rate_factor = 0.5;
    for (const nn::Parameters::Entry& entry : task.parameters().entries())
      for (Size i = 0; i < entry.shape.count(); ++i)
        static_cast<float*>(entry.gradient.data)[i] = 0.01f * static_cast<float>(i + static_cast<Size>(number));
    optimiser.step(0.1, number, {});
    average.update(number);
  }
  std::vector<float> everything() {
    std::vector<float> values = weights_of(task);
    for (const Tensor& part : {optimiser.state()[0].second, optimiser.state()[1].second, average.tensor()})
      for (const float value : part.to_host<float>()) values.push_back(value);
    return values;
  }

  ToyTask task;
  MasterWeights weights{task.parameters()};
  Optimiser optimiser;
  MovingAverage average;
  TrainState state;
};

std::string quiet(const CheckpointFolder& folder, MiniRun& run) {
  return folder.load_newest(run.trained(), [](const std::string&) {});
}

TEST(Checkpoint, RestoresWeightsMomentsAverageAndState) {
  TempFolder folder;
  MiniRun run;
  run.move_to(1);
  run.move_to(2);
  save_checkpoint(folder.file("c"), {}, run.trained());
  MiniRun other;
  load_checkpoint(folder.file("c"), other.trained());
  EXPECT_EQ(other.everything(), run.everything());
  EXPECT_EQ(other.state, run.state);
}

TEST(Checkpoint, IsAModelFileOfTheAveragedWeights) {
  TempFolder folder;
  MiniRun run;
  run.move_to(1);
  save_checkpoint(folder.file("c"), {}, run.trained());
  ToyTask model;
  store::ModelFile(folder.file("c"), store::ModelFile::Configuration::unused).load(model.parameters());
  EXPECT_EQ(weights_of(model), run.average.tensor().to_host<float>());
  EXPECT_NE(weights_of(model), weights_of(run.task));
}

// One rank of a run that has divided its state: buffers of several pieces of a checksum.
class TeamRun {
 public:
  explicit TeamRun(comm::Communicator& comm, DType type = DType::f32)
      : sharding_(make(type).count(), {.comm = comm, .parts = comm.size(), .wire = comm::Wire::f32, .ordered = false},
                  Size{1} << 17),
        weights_(parameters_, sharding_),
        optimiser_({.kind = OptimiserKind::adam}, weights_),
        average_(0.9, weights_) {}

  Trained trained() { return {weights_, optimiser_, &average_, state_}; }
  void move_to(std::uint64_t number) {
    state_.position.updates = number;
    for (const nn::Parameters::Entry& entry : parameters_.entries())
      for (Size i = 0; i < entry.shape.count(); ++i)
        static_cast<float*>(entry.gradient.data)[i] = 0.01f * static_cast<float>((i + static_cast<Size>(number)) % 97);
    optimiser_.step(0.1, number, {});
    weights_.gather();
    average_.update(number);
  }
  // Of this rank: what the model computes with, and the share of the rest.
  std::vector<std::vector<float>> everything() {
    std::vector<std::vector<float>> all = {average_.tensor().to_host<float>()};
    for (const nn::Parameters::Entry& entry : parameters_.entries()) all.push_back(entry.tensor.to_host<float>());
    for (const Piece& piece : weights_.share().pieces()) all.push_back(weights_.part(piece).to_host<float>());
    for (const auto& [name, moments] : optimiser_.state()) all.push_back(moments.to_host<float>());
    return all;
  }

 private:
  Tensor make(DType type) {
    parameters_.add("matrix", {300, 1001}, nn::Init::normal(1));
    parameters_.add("bias", {7}, nn::Init::normal(1));
    parameters_.allocate(cpu_device(), type, 1, true);
    return parameters_.weights();
  }

  nn::Parameters parameters_;
  Sharding sharding_;
  MasterWeights weights_;
  Optimiser optimiser_;
  MovingAverage average_;
  TrainState state_;
};

TEST(Checkpoint, HasTheSameBytesOnAnyNumberOfRanks) {
  TempFolder folder;
  const auto write = [&](int ranks, DType type) {
    const std::string path = folder.file(std::to_string(ranks));
    comm::with_ranks(ranks, [&](comm::Communicator& comm) {
      TeamRun run(comm, type);
      run.move_to(1);
      run.move_to(2);
      save_checkpoint(path, {}, run.trained());
    });
    return read_all(path);
  };
  for (const DType type : {DType::f32, DType::bf16}) {
    const std::string one = write(1, type);
    for (const int ranks : {2, 3, 4}) EXPECT_EQ(write(ranks, type), one) << ranks << " ranks";
  }
  EXPECT_EQ(folder.names().size(), 4u) << "no temporary file is left";
}

TEST(Checkpoint, TheModelFileOfAllRanksIsTheOneThatAProcessWritesAlone) {
  TempFolder folder;
  store::ModelInfo info;
  info.source_tokenizer = "source";
  info.card = {{"updates", "2"}};
  MiniRun run;
  run.move_to(1);
  save_model(folder.file("together"), info, run.trained());
  run.average.swap();
  store::save_model(folder.file("alone"), info, run.task.parameters());
  EXPECT_EQ(read_all(folder.file("together")), read_all(folder.file("alone")));
  const auto write = [&](int ranks) {
    comm::with_ranks(ranks, [&](comm::Communicator& comm) {
      TeamRun team(comm, DType::bf16);
      team.move_to(1);
      save_model(folder.file("team"), info, team.trained());
    });
    return read_all(folder.file("team"));
  };
  const std::string one = write(1);
  for (const int ranks : {2, 3}) EXPECT_EQ(write(ranks), one) << ranks << " ranks";
}

TEST(Checkpoint, EveryRankLoadsItsShareWhoeverWroteIt) {
  for (const DType type : {DType::f32, DType::bf16}) {
    TempFolder folder;
    comm::with_ranks(4, [&](comm::Communicator& comm) {
      TeamRun run(comm, type);
      run.move_to(1);
      save_checkpoint(folder.file("c"), {}, run.trained());
    });
    for (const int ranks : {1, 3})
      comm::with_ranks(ranks, [&](comm::Communicator& comm) {
        TeamRun expected(comm, type), loaded(comm, type);
        expected.move_to(1);
        load_checkpoint(folder.file("c"), loaded.trained());
        EXPECT_EQ(loaded.everything(), expected.everything()) << comm.rank() << " of " << ranks;
      });
  }
}

TEST(Checkpoint, DamageThatOneRankReadsIsAnErrorOnAllOfThem) {
  TempFolder folder;
  const CheckpointFolder checkpoints(folder.path(), 3);
  comm::with_ranks(3, [&](comm::Communicator& comm) {
    TeamRun run(comm);
    run.move_to(1);
    checkpoints.save({}, run.trained());
    run.move_to(2);
    checkpoints.save({}, run.trained());
  });
  std::string bytes = read_all(folder.file("000000002.safetensors"));
  bytes[bytes.size() / 2] ^= 1;
  folder.write("000000002.safetensors", bytes);
  comm::with_ranks(3, [&](comm::Communicator& comm) {
    TeamRun expected(comm), loaded(comm);
    expected.move_to(1);
    std::string heard;
    EXPECT_EQ(checkpoints.load_newest(loaded.trained(), [&](const std::string& words) { heard += words; }),
              folder.file("000000001.safetensors"));
    EXPECT_EQ(heard, folder.file("000000002.safetensors") + ": is damaged: its checksum does not match");
    EXPECT_EQ(loaded.everything(), expected.everything());
  });
}

TEST(Checkpoint, ARankThatIsLostWhileAllWriteLeavesTheOlderOne) {
  TempFolder folder;
  const CheckpointFolder checkpoints(folder.path(), 3);
  comm::Meeting meeting(3);
  const std::vector<std::string> errors = comm::errors_of_ranks(3, [&](int rank) {
    comm::SharedMemory comm(meeting.place(rank), meeting.join(rank));
    TeamRun run(comm);
    run.move_to(1);
    checkpoints.save({}, run.trained());
    run.move_to(2);
    if (rank == 1) {
      comm.report_failure("its disk is full");
      fail("its disk is full");
    }
    checkpoints.save({}, run.trained());
  });
  for (const int rank : {0, 2})
    EXPECT_NE(errors[static_cast<std::size_t>(rank)].find("disk is full"), std::string::npos);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"000000001.safetensors"}));
}

TEST(Checkpoint, OnlyTheNewestAreKept) {
  TempFolder folder;
  MiniRun run;
  const CheckpointFolder checkpoints(folder.path(), 2);
  for (std::uint64_t update = 1; update <= 5; ++update) {
    run.move_to(update);
    checkpoints.save({}, run.trained());
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"000000004.safetensors", "000000005.safetensors"}));
}

TEST(Checkpoint, TheNewestIntactOneIsUsed) {
  for (const std::string damage : {"truncated", "flipped", "empty", "text"}) {
    TempFolder folder;
    MiniRun run;
    const CheckpointFolder checkpoints(folder.path(), 3);
    run.move_to(1);
    checkpoints.save({}, run.trained());
    const std::vector<float> good = run.everything();
    run.move_to(2);
    const std::string newest = checkpoints.save({}, run.trained());
    std::string bytes = read_all(newest);
    if (damage == "truncated") bytes.resize(bytes.size() - 10);
    if (damage == "flipped") bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] ^ 1);
    if (damage == "empty") bytes.clear();
    if (damage == "text") bytes = "no model at all";
    folder.write("000000002.safetensors", bytes);
    MiniRun other;
    std::vector<std::string> heard;
    const auto hear = [&](const std::string& words) { heard.push_back(words); };
    EXPECT_EQ(checkpoints.load_newest(other.trained(), hear), folder.file("000000001.safetensors")) << damage;
    EXPECT_EQ(other.everything(), good) << damage;
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_NE(heard[0].find("000000002.safetensors"), std::string::npos) << heard[0];
  }
}

TEST(Checkpoint, EveryFlippedByteIsNoticed) {
  TempFolder folder;
  MiniRun run;
  run.move_to(1);
  save_checkpoint(folder.file("c"), {}, run.trained());
  const std::string bytes = read_all(folder.file("c"));
  MiniRun other;
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    folder.write("d", damaged);
    const std::vector<float> before = other.everything();
    EXPECT_NE(message([&] { load_checkpoint(folder.file("d"), other.trained()); }), "nothing was thrown") << at;
    EXPECT_EQ(other.everything(), before) << "nothing is loaded from a damaged file, byte " << at;
  }
}

TEST(Checkpoint, ItIsAnErrorIfAllAreDamagedButNotIfThereAreNone) {
  TempFolder folder;
  MiniRun run;
  const CheckpointFolder checkpoints(folder.path(), 3);
  EXPECT_EQ(quiet(checkpoints, run), "");
  folder.write("000000001.safetensors", "damaged");
  EXPECT_NE(message([&] { quiet(checkpoints, run); }).find("it has 1 checkpoint, but none of them can be used"),
            std::string::npos);
}

TEST(Checkpoint, PartialFilesAreIgnoredAndRemoved) {
  TempFolder folder;
  MiniRun run;
  const CheckpointFolder checkpoints(folder.path(), 3);
  folder.write("000000009.safetensors.partial-123", "half");
  EXPECT_EQ(quiet(checkpoints, run), "");
  checkpoints.tidy();
  EXPECT_TRUE(folder.names().empty());
}

TEST(Checkpoint, OfARunWithOtherSettingsIsRefusedWithTheReason) {
  TempFolder folder;
  MiniRun run;
  run.move_to(1);
  save_checkpoint(folder.file("c"), {}, run.trained());
  ToyTask task;
  MasterWeights weights(task.parameters());
  Optimiser sgd({.kind = OptimiserKind::sgd, .momentum = 0}, weights);
  TrainState state;
  load_checkpoint(folder.file("c"), {weights, sgd, nullptr, state});  // the file may hold more than is needed
  EXPECT_EQ(weights_of(task), weights_of(run.task)) << "the weights that were stepped, not their average";
  save_checkpoint(folder.file("d"), {}, {weights, sgd, nullptr, state});
  EXPECT_NE(message([&] { load_checkpoint(folder.file("d"), run.trained()); }).find("has no 'train.first'"),
            std::string::npos);
}

TEST(Checkpoint, AFullDiskLeavesTheOlderOneIntact) {
  // On Linux this device is always full.
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  TempFolder folder;
  MiniRun run;
  run.move_to(1);
  const CheckpointFolder checkpoints(folder.path(), 3);
  checkpoints.save({}, run.trained());
  const std::vector<float> good = run.everything();
  run.move_to(2);
  const std::string newer = folder.file("000000002.safetensors");
  std::filesystem::create_symlink("/dev/full", newer);
  EXPECT_NE(message([&] { checkpoints.save({}, run.trained()); }).find("No space left on device"), std::string::npos);
  std::filesystem::remove(newer);
  MiniRun other;
  EXPECT_EQ(quiet(checkpoints, other), folder.file("000000001.safetensors"));
  EXPECT_EQ(other.everything(), good);
}

}  // namespace
}  // namespace dragoman::train
