#include "train/master_weights.h"

#include <gtest/gtest.h>

#include <cstring>
#include <mutex>

#include "tests/comm/ranks.h"
#include "tests/support/errors.h"
#include "tests/train/small_run.h"

namespace dragoman::train {
namespace {

using support::read_all;

// A task in mixed precision on the CPU: every weight is drawn towards a value that depends on the batch. It reads only
// the bf16 copy of the weights.
class MixedTask final : public Task {
 public:
  explicit MixedTask(DType type = DType::bf16) {
    parameters_.add("matrix", {61, 33}, nn::Init::normal(1));
    parameters_.add("bias", {7}, nn::Init::normal(1));
    parameters_.add("frozen", {300}, nn::Init::normal(1));
    parameters_.add("last", {5, 41}, nn::Init::normal(1));
    parameters_.allocate(cpu_device(), type, 1, true);
  }

  const models::ModelConfig& config() const override { return config_; }
  nn::Parameters& parameters() override { return parameters_; }
  std::uint64_t learn(Context&, const data::Batch& batch, const LossSettings&, double gradient_scale,
                      const LossTotals& losses) override {
    if (++passes_ == fails_at) fail("the GPU is lost");
    const std::size_t labels = batch.labels.size();
    double loss = 0;
    for (const nn::Parameters::Entry& entry : parameters_.entries()) {
      if (!entry.trainable) continue;
      const std::vector<float> weights = entry.tensor.to_host<float>();
      auto* const gradient = static_cast<float*>(entry.gradient.data);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double gap = weights[i] - 0.1 * batch.labels[i % labels];
        loss += gap * gap;
        gradient[i] += static_cast<float>(2 * gap * gradient_scale);
      }
    }
    for (const Tensor& sum : {losses.loss(), losses.nll()}) *static_cast<double*>(sum.raw()) += loss;
    return labels;
  }
  Tally tally(Workspace&, const data::Batcher&, const data::Batch& batch) const override {
    Tally tally{.sums = {.tokens = batch.labels.size()}};
    for (const nn::Parameters::Entry& entry : parameters_.entries())
      for (const float weight : entry.tensor.to_host<float>()) tally.sums.nll += 1e-3 * std::pow(weight - 1, 2);
    return tally;
  }

  int fails_at = -1;

 private:
  models::ModelConfig config_;
  nn::Parameters parameters_;
  int passes_ = 0;
};

// Runs on several ranks, which are threads.
class Ranks : public ::testing::Test {
 protected:
  struct Rank {
    comm::Communicator& comm;
    MixedTask& task;
    Trainer& trainer;
  };

  TrainOptions options(const std::string& name, double ema = 0.9) const {
    TrainOptions options = quick_options(folder_.file(name));
    options.parts = 8;
    options.optimiser.ema = ema;
    options.freeze = {"frozen"};
    return options;
  }
  // Calls body(rank) for every rank of a run.
  void on_ranks(int ranks, const TrainOptions& options, const std::function<void(const Rank&)>& body,
                DType type = DType::bf16) {
    comm::with_ranks(ranks, [&](comm::Communicator& comm) {
      MixedTask task(type);
      Trainer trainer(options, task, data(Team::of(options, comm).shard()), store::ModelInfo{}, comm);
      body({comm, task, trainer});
    });
  }
  // Trains to about update `last`, from the newest checkpoint if there is one.
  void train(int ranks, const TrainOptions& options, std::uint64_t last = 20) {
    on_ranks(ranks, options, [&](const Rank& rank) {
      rank.trainer.resume();
      rank.trainer.train([&] { return rank.trainer.state().position.updates >= last; });
    });
  }
  // What a run has written: the model, and the tensors and the state of its newest checkpoint.
  std::map<std::string, std::string> written(const std::string& name) const {
    std::map<std::string, std::string> all = {{"model", read_all(folder_.file(name + "/model.safetensors"))}};
    const store::SafetensorsFile file(CheckpointFolder(folder_.file(name + "/checkpoints"), 2).list().back());
    for (const store::TensorRecord& tensor : file.tensors()) all[tensor.name] = file.read(tensor);
    TrainState state = state_from_json(all.at("train.state"), name);
    state.seconds = 0;
    all["train.state"] = to_json(state);
    return all;
  }

  TrainData data(data::Shard shard) {
    const std::lock_guard lock(mutex_);  // the ranks share the files of the corpus
    return {corpus_.batches(batches_of(2), shard), corpus_.batches(batches_of(16))};
  }

  SmallCorpus corpus_;
  support::TempFolder folder_;
  std::mutex mutex_;
};

using MasterWeightsTest = Ranks;

TEST_F(MasterWeightsTest, TheBitsOfEveryFileAreThoseOfOneProcess) {
  for (const auto& [kind, ema] :
       {std::pair{OptimiserKind::adam, 0.0}, {OptimiserKind::adamw, 0.9}, {OptimiserKind::sgd, 0.9}}) {
    const auto name = [&kind = kind](int ranks) { return fmt::format("{} {}", name_of(kind), ranks); };
    for (const int ranks : {1, 2, 4, 8}) {
      TrainOptions settings = options(name(ranks), ema);
      settings.optimiser.kind = kind;
      settings.checkpoint = "0";
      settings.optimiser.weight_decay = kind == OptimiserKind::adam ? 0 : 0.01;
      train(ranks, settings);
    }
    const auto one = written(name(1));
    EXPECT_EQ(one.count("train.weights"), ema > 0 ? 1u : 0u);
    for (const int ranks : {2, 4, 8}) EXPECT_EQ(written(name(ranks)), one) << name(ranks);
  }
}

TEST_F(MasterWeightsTest, ARunMayBeResumedOnAnyNumberOfRanks) {
  train(1, options("straight"));
  const TrainOptions settings = options("moving");
  train(4, settings, 5);
  train(2, settings, 9);
  train(1, settings, 13);
  train(8, settings, 20);
  EXPECT_EQ(written("moving"), written("straight"));
}

TEST_F(MasterWeightsTest, ARunGoesOnOnFewerRanksAfterOneIsLost) {
  train(1, options("straight"));
  const TrainOptions settings = options("lost");
  const std::string words = support::message([&] {
    on_ranks(4, settings, [&](const Rank& rank) {
      if (rank.comm.rank() == 2) rank.task.fails_at = 2 * 13;
      rank.trainer.train(never);
    });
  });
  EXPECT_NE(words.find("the GPU is lost"), std::string::npos) << words;
  EXPECT_EQ(CheckpointFolder(folder_.file("lost/checkpoints"), 2).list().back(),
            folder_.file("lost/checkpoints/000000010.safetensors"));
  train(2, settings);
  EXPECT_EQ(written("lost"), written("straight"));
}

TEST_F(MasterWeightsTest, EarlyStoppingKeepsTheModelThatOneProcessKeeps) {
  for (const int ranks : {1, 2, 4}) {
    TrainOptions settings = options(std::to_string(ranks));
    settings.until = {"400u"};
    settings.validate = "3u";
    settings.checkpoint = "2u";
    settings.patience = 2;
    settings.keep = 2;
    settings.schedule.rate = 0.3;
    on_ranks(ranks, settings, [](const Rank& rank) {
      EXPECT_TRUE(rank.trainer.train(never).reason.starts_with("no better"));
      EXPECT_EQ(rank.trainer.state().without_improvement, 2);
    });
    EXPECT_EQ(CheckpointFolder(settings.output + "/checkpoints", 2).list().size(), 2u);
  }
  for (const char* ranks : {"2", "4"}) EXPECT_EQ(written(ranks), written("1")) << ranks;
}

// The file has the f32 weights, whatever the model computed with.
TEST_F(MasterWeightsTest, ARunMayBeResumedInAnotherPrecision) {
  const TrainOptions settings = options("run");
  train(2, settings, 7);
  const std::string bytes = written("run").at("train.weights");
  std::vector<float> saved(bytes.size() / sizeof(float));
  std::memcpy(saved.data(), bytes.data(), bytes.size());
  const auto rounded = [&] {
    std::vector<float> values = saved;
    for (float& value : values) value = kernels::bf16::from(value).value();
    return values;
  };
  for (const int ranks : {1, 4}) {
    on_ranks(ranks, settings, [&](const Rank& rank) {
      ASSERT_TRUE(rank.trainer.resume());
      EXPECT_EQ(rank.task.parameters().copy().to_host<float>(), rounded()) << ranks;
    });
    on_ranks(
        ranks, settings,
        [&](const Rank& rank) {
          ASSERT_TRUE(rank.trainer.resume());
          EXPECT_EQ(rank.task.parameters().weights().to_host<float>(), saved) << ranks;
        },
        DType::f32);
  }
}

TEST_F(MasterWeightsTest, ARunMayBeResumedWithoutItsAverage) {
  train(2, options("run"), 7);
  const std::string bytes = written("run").at("train.weights");
  on_ranks(
      4, options("run", 0),
      [&](const Rank& rank) {
        ASSERT_TRUE(rank.trainer.resume());
        const Tensor weights = rank.task.parameters().weights();
        EXPECT_EQ(std::memcmp(weights.raw(), bytes.data(), bytes.size()), 0);
      },
      DType::f32);
}

// After a validation of the average, training goes on with the weights themselves, on every rank.
TEST_F(MasterWeightsTest, AllRanksComputeWithTheSameWeightsAfterAValidation) {
  std::vector<float> copies[3];
  on_ranks(2, options("run"), [&](const Rank& rank) {
    rank.trainer.train(never);
    std::vector<float>& copy = copies[rank.comm.rank()];
    copy = rank.task.parameters().copy().to_host<float>();
  });
  on_ranks(1, options("one"), [&](const Rank& rank) {
    rank.trainer.train(never);
    copies[2] = rank.task.parameters().copy().to_host<float>();
  });
  EXPECT_EQ(copies[0], copies[2]);
  EXPECT_EQ(copies[1], copies[2]);
}

TEST_F(MasterWeightsTest, TheMemoryOfARankIsThatOfItsShare) {
  constexpr std::size_t kWide = 4, kNarrow = 2, kSpareCopies = 1;
  for (const int ranks : {1, 4})
    on_ranks(ranks, options(std::to_string(ranks)), [&](const Rank& rank) {
      const nn::Parameters& parameters = rank.task.parameters();
      const auto count = static_cast<std::size_t>(parameters.weights().count());
      const MemoryPlan plan = rank.trainer.rehearse();
      const std::size_t own = (plan.weights - kNarrow * count) / kWide;
      if (ranks == 1) {
        EXPECT_EQ(own, count);
        EXPECT_EQ(parameters.bytes(), (kNarrow + 2 * kWide) * count) << "copy, weights and gradients";
      } else {
        EXPECT_LE(own, count / 4 + 16);
        EXPECT_EQ(parameters.bytes(), (kNarrow + kWide) * count) << "copy and gradients";
      }
      EXPECT_EQ(plan.optimiser, (2 + 1 + kSpareCopies) * kWide * own) << "moments, average, a spare for swapping";
    });
}

TEST_F(MasterWeightsTest, InF32EveryRankHasTheWeightsItComputesWith) {
  on_ranks(
      2, options("run"),
      [&](const Rank& rank) {
        const nn::Parameters& parameters = rank.task.parameters();
        EXPECT_EQ(rank.trainer.rehearse().weights, parameters.weights().bytes());
        EXPECT_EQ(parameters.weights_of(parameters.entries().front()).count(), 61 * 33);
      },
      DType::f32);
}

TEST(MasterWeights, OnlyBf16TravelsInMixedPrecision) {
  comm::with_ranks(2, [](comm::Communicator& comm) {
    std::uint64_t bytes[2];
    for (const DType type : {DType::f32, DType::bf16}) {
      MixedTask task(type);
      const Size count = task.parameters().weights().count();
      const Sharding sharding(count, {.comm = comm, .parts = 2, .wire = comm::Wire::f32, .ordered = false});
      const MasterWeights weights(task.parameters(), sharding);
      EXPECT_EQ(weights.is_divided(), type == DType::bf16);
      bytes[type == DType::bf16] = weights.bytes_to_gather();
      EXPECT_EQ(weights.bytes_to_gather(), static_cast<std::uint64_t>(weights.share().count() * size_of(type)));
    }
    EXPECT_EQ(bytes[0], 2 * bytes[1]);
  });
}

TEST(MasterWeights, TheWholeOfDividedWeightsIsRefused) {
  comm::with_ranks(2, [](comm::Communicator& comm) {
    MixedTask task;
    nn::Parameters& parameters = task.parameters();
    const Sharding sharding(parameters.weights().count(),
                            {.comm = comm, .parts = 2, .wire = comm::Wire::f32, .ordered = false});
    const MasterWeights weights(parameters, sharding);
    EXPECT_EQ(support::message([&] { parameters.weights_of(parameters.entries().front()); }),
              "[parameters] the f32 weights of matrix are divided between processes");
  });
}

}  // namespace
}  // namespace dragoman::train
