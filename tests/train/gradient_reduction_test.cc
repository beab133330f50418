#include "train/gradient_reduction.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "kernels/cuda/cuda.h"
#include "tensor/placement.h"
#include "tests/comm/ranks.h"
#include "tests/models/zoo.h"
#include "tests/support/errors.h"
#include "train/gradient_accumulator.h"

namespace dragoman::train {
namespace {

constexpr Size kSmallBuckets = 32;

// One of several ranks, without the others: keeps what it is to send and changes nothing.
class Mailbox final : public comm::Communicator {
 public:
  explicit Mailbox(int rank = 0, int size = 2) : Communicator(rank, size) {}

  const char* name() const override { return "mailbox"; }
  std::string describe(int) const override { return "a rank"; }
  void reduce_scatter(const comm::Parted& tensor, comm::Wire, bool) override {
    const float* const address = tensor.whole.data<float>();
    sent[address] = tensor.whole.to_host<float>();
    order.push_back(address);
    ++count;
  }
  void all_gather(const comm::Parted&) override {}
  void all_reduce(const Tensor&) override {}
  void broadcast(const Tensor&, int) override {}
  std::vector<std::string> exchange(const std::string& bytes) override {
    return std::vector<std::string>(static_cast<std::size_t>(size()), bytes);
  }
  void report_failure(const std::string&) override {}

  std::vector<float> all_values() const {
    std::vector<float> all;
    for (const auto& [address, values] : sent) all.insert(all.end(), values.begin(), values.end());
    return all;
  }

  std::map<const float*, std::vector<float>> sent;  // the last contents of each bucket, by address
  std::vector<const float*> order;
  std::atomic<Size> count = 0;
};

Team team_of(comm::Communicator& comm, comm::Wire wire = comm::Wire::f32, bool ordered = false) {
  return {.comm = comm, .parts = comm.size(), .wire = wire, .ordered = ordered};
}

// Calls `at_end` when backward has run everything else.
class HookedTask final : public Task {
 public:
  HookedTask(const models::ModelConfig& config, const Placement& where) : inner_(config) {
    inner_.parameters().allocate(where.device, where.type, 1, true);
  }

  const models::ModelConfig& config() const override { return inner_.config(); }
  nn::Parameters& parameters() override { return inner_.parameters(); }
  std::uint64_t learn(Context& cx, const data::Batch& batch, const LossSettings& settings, double scale,
                      const LossTotals& losses) override {
    ++passes;
    const Tensor end = cx.track(cx.zeros(DType::f32, {1}));
    const double gradient[] = {1};
    cx.seed(end, gradient);
    cx.record("hook", {end}, [this](Context&) {
      if (at_end) at_end();
    });
    return inner_.learn(cx, batch, settings, scale, losses);
  }
  Tally tally(Workspace&, const data::Batcher&, const data::Batch&) const override { return {}; }

  std::function<void()> at_end;
  int passes = 0;

 private:
  TranslationTask inner_;
};

data::Batch zoo_batch(std::int32_t shift = 0) {
  data::Batch batch;
  for (std::size_t i = 0; i < models::kSources.size(); ++i) {
    for (const std::int32_t id : models::kSources[i]) batch.source.tokens.push_back((id + shift) % 11);
    for (const std::int32_t id : models::kTargets[i]) batch.target.tokens.push_back((id + shift) % 13);
    for (const std::int32_t id : models::kTargets[i]) batch.labels.push_back((id + shift + 1) % 13);
    batch.source.end_row();
    batch.target.end_row();
    batch.sentences.push_back(static_cast<std::uint32_t>(i));
  }
  return batch;
}

// A rank with its model, which computes the gradients of one update after the other.
struct ReducingRank {
  ReducingRank(const models::ModelConfig& config, const Team& team, const TrainOptions& options = {},
               const Placement& where = {cpu_device(), DType::f32})
      : task(config, where),
        sharding(task.parameters().weights().count(), team, kSmallBuckets),
        workspace(where.device),
        losses(where.device, DType::f64, 2),
        gradients(task, workspace, options, sharding) {}

  void update(const std::vector<data::Batch>& batches) {
    const LossTotals totals{losses.rows(0, 2)};
    gradients.accumulate({batches, 10, {&totals, 1}}, {}, [this](const std::string& words) { remarks += words; });
  }
  std::vector<float> gradient() { return task.parameters().gradients().to_host<float>(); }
  // This rank's share of the gradient.
  std::vector<float> share() {
    const std::vector<float> all = gradient();
    std::vector<float> own;
    for (const Piece& piece : sharding.share().pieces())
      own.insert(own.end(), all.begin() + piece.first, all.begin() + piece.first + piece.count);
    return own;
  }

  HookedTask task;
  Sharding sharding;
  Workspace workspace;
  Buffer losses;
  GradientAccumulator gradients;
  std::string remarks;
};

// The share of a rank if buckets are summed after backward.
std::vector<float> share_without_overlap(const models::ModelConfig& config, const Team& team,
                                         const TrainOptions& options, const std::vector<data::Batch>& batches) {
  Mailbox mailbox(team.comm.rank(), team.comm.size());
  ReducingRank rank(config, team_of(mailbox), options);
  rank.update(batches);
  const Sharding sharding(rank.task.parameters().weights().count(), team, kSmallBuckets);
  for (Size bucket = 0; bucket < sharding.buckets(); ++bucket)
    sharding.reduce(rank.task.parameters().gradients(), bucket);
  return rank.share();
}

TEST(GradientReduction, BucketsOfEveryModelAreCompleteWhenTheyAreSent) {
  for (const auto& [name, config] : models::zoo())
    for (const double r_drop : {0.0, 1.0}) {
      TrainOptions options;
      options.loss.r_drop = r_drop;
      Mailbox mailbox;
      ReducingRank rank(config, team_of(mailbox), options);
      for (int update = 0; update < 2; ++update) {  // the second one in the order that the first one found
        rank.update({zoo_batch(1), zoo_batch()});
        EXPECT_EQ(mailbox.all_values(), rank.gradient()) << name << ", R-Drop " << r_drop;
      }
      EXPECT_EQ(mailbox.count, 2 * rank.sharding.buckets()) << name;
    }
}

// The thread that sends has a stream of its own.
TEST(GradientReduction, OnAGpuBucketsAreCompleteWhenTheyAreSentToo) {
  if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  for (const DType type : {DType::f32, DType::bf16})
    for (const char* preset : {"transformer-base", "lstm-luong", "linformer-k32"}) {
      Mailbox mailbox;
      ReducingRank rank(models::shrunk(preset), team_of(mailbox), {}, {cuda_device(), type});
      for (int update = 0; update < 20; ++update) {
        rank.update({zoo_batch(update), zoo_batch(update + 1)});
        EXPECT_EQ(mailbox.all_values(), rank.gradient()) << preset;
      }
    }
}

TEST(GradientReduction, EveryModelNoticesABucketThatIsSentOneOpTooEarly) {
  class Early final : public GradientWatch {
   public:
    explicit Early(GradientReduction& to) : to_(to) {}
    void on_use(const Tensor& parameter, std::size_t node) override { to_.on_use(parameter, node + 1); }
    void on_contribution(const Tensor& parameter) override { to_.on_contribution(parameter); }
    void on_backward(std::size_t node) override { to_.on_backward(node); }

   private:
    GradientReduction& to_;
  };
  for (const auto& [name, config] : models::zoo()) {
    Mailbox mailbox;
    TranslationTask task(config);
    task.parameters().allocate(cpu_device(), DType::f32, 1, true);
    const Sharding sharding(task.parameters().weights().count(), team_of(mailbox), kSmallBuckets);
    GradientReduction reduction(sharding, task.parameters().gradients());
    Workspace workspace(cpu_device());
    reduction.watch(workspace.tape);
    Early early(reduction);
    workspace.tape.set_watch(&early);
    Context cx = Context::training(workspace, 1, 1);
    const Buffer losses(cpu_device(), DType::f64, 2);
    const std::string words =
        support::message([&] { task.learn(cx, zoo_batch(), {}, 0.1, LossTotals{losses.rows(0, 2)}); });
    EXPECT_NE(words.find("the gradient has been sent to other ranks already"), std::string::npos) << name << words;
  }
}

TEST(GradientReduction, BucketsTravelWhileBackwardComputes) {
  Mailbox mailbox;
  ReducingRank rank(models::shrunk("transformer-base"), team_of(mailbox));
  bool arrived = false;
  rank.task.at_end = [&] {
    for (int i = 0; i < 1000 && !arrived; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10)))
      arrived = mailbox.count == rank.sharding.buckets();
  };
  rank.update({zoo_batch()});
  EXPECT_TRUE(arrived) << "before backward has ended";
  const GradientReduction::Times times = rank.gradients.take_times();
  EXPECT_GT(times.overlapped, 0);
}

TEST(GradientReduction, OnlyTheLastBatchOfAnUpdateSends) {
  Mailbox mailbox;
  TrainOptions options;
  options.at_once = static_cast<std::int64_t>(zoo_batch().longest());  // three pieces per batch
  ReducingRank rank(models::shrunk("transformer-base"), team_of(mailbox), options);
  rank.task.at_end = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (rank.task.passes < 6) {
      EXPECT_EQ(mailbox.count, 0) << rank.task.passes;
    }
  };
  rank.update({zoo_batch(), zoo_batch(2)});
  EXPECT_EQ(rank.task.passes, 6);
  EXPECT_EQ(mailbox.all_values(), rank.gradient());
}

TEST(GradientReduction, ParametersAreSentInTheOrderInWhichBackwardFinishesThem) {
  models::ModelConfig config = models::shrunk("transformer-base");
  config.tied = models::Tie::none;
  config.target_vocabulary = 16;  // its embeddings fill whole buckets
  Mailbox mailbox;
  ReducingRank rank(config, team_of(mailbox));
  rank.update({zoo_batch()});
  mailbox.order.clear();
  rank.update({zoo_batch()});
  const nn::Parameters& parameters = rank.task.parameters();
  // When the last bucket with a part of the parameter was sent.
  const auto place = [&](const std::string& name) {
    const nn::Parameters::Entry* const entry = parameters.find(name);
    check(entry != nullptr, "no parameter {}", name);
    const auto* const first = static_cast<const float*>(entry->gradient.data);
    std::ptrdiff_t last = 0;
    for (auto bucket = mailbox.order.begin(); bucket != mailbox.order.end(); ++bucket)
      if (*bucket < first + entry->shape.count() && *bucket + kSmallBuckets > first)
        last = bucket - mailbox.order.begin();
    return last;
  };
  const std::vector<std::string> expected = {"output.weight",
                                             "decoder.layers.1.linear1.weight",
                                             "decoder.layers.0.linear1.weight",
                                             "decoder.embed_tokens.weight",
                                             "encoder.layers.1.linear1.weight",
                                             "encoder.layers.0.linear1.weight",
                                             "encoder.embed_tokens.weight"};
  for (std::size_t i = 1; i < expected.size(); ++i)
    EXPECT_LT(place(expected[i - 1]), place(expected[i])) << expected[i - 1] << " before " << expected[i];
}

TEST(GradientReduction, TheBitsAreThoseOfSumsAfterBackward) {
  TrainOptions in_pieces;
  in_pieces.at_once = 9;
  for (const char* preset : {"transformer-base", "lstm-luong"})
    for (const int ranks : {2, 4})
      for (const bool ordered : {false, true})
        for (const auto wire : {comm::Wire::f32, comm::Wire::bf16})
          comm::with_ranks(ranks, [&](comm::Communicator& comm) {
            models::ModelConfig config = models::shrunk(preset);
            config.source_vocabulary = config.target_vocabulary;
            config.tied = models::Tie::all;
            config.embedding = 8;
            const Team team = team_of(comm, wire, ordered);
            const std::vector<data::Batch> batches = {zoo_batch(comm.rank()), zoo_batch(comm.rank() + 4)};
            ReducingRank rank(config, team, in_pieces);
            for (int update = 0; update < 3; ++update) rank.update(batches);
            EXPECT_EQ(rank.share(), share_without_overlap(config, team, in_pieces, batches)) << preset;
          });
}

TEST(GradientReduction, ARankWithoutSentencesTakesPart) {
  comm::with_ranks(2, [&](comm::Communicator& comm) {
    const models::ModelConfig config = models::shrunk("transformer-base");
    const Team team = team_of(comm);
    const std::vector<data::Batch> batches = {comm.leads() ? data::Batch() : zoo_batch()};
    ReducingRank rank(config, team);
    for (int update = 0; update < 2; ++update) rank.update(batches);
    EXPECT_EQ(rank.share(), share_without_overlap(config, team, {}, batches));
  });
}

TEST(GradientReduction, IfMemoryRunsOutAfterBucketsWereSentAllRanksBeginAgain) {
  for (const int ranks : {2, 4})
    comm::with_ranks(ranks, [&](comm::Communicator& comm) {
      const models::ModelConfig config = models::shrunk("transformer-base");
      const Team team = team_of(comm);
      const std::vector<data::Batch> batches = {zoo_batch(comm.rank())};
      ReducingRank rank(config, team);
      if (comm.rank() == 1)
        rank.task.at_end = [&] {
          if (rank.task.passes == 1) throw OutOfMemory("no memory is left");
        };
      rank.update(batches);
      TrainOptions options;
      options.at_once = static_cast<std::int64_t>(rank.gradients.at_once());
      EXPECT_EQ(options.at_once > 0, comm.rank() == 1);
      EXPECT_EQ(rank.remarks.empty(), comm.rank() != 1) << rank.remarks;
      EXPECT_EQ(rank.task.passes, comm.rank() == 1 ? 4 : 2) << "rank " << comm.rank();
      EXPECT_EQ(rank.share(), share_without_overlap(config, team, options, batches)) << "rank " << comm.rank();
      rank.update(batches);
      EXPECT_EQ(rank.share(), share_without_overlap(config, team, options, batches)) << "the next update";
    });
}

TEST(GradientReduction, IfMemoryRunsOutEarlierTheRankTriesAgainAlone) {
  comm::with_ranks(2, [&](comm::Communicator& comm) {
    const std::vector<data::Batch> batches = {zoo_batch(), zoo_batch()};
    ReducingRank rank(models::shrunk("transformer-base"), team_of(comm));
    if (comm.rank() == 1)
      rank.task.at_end = [&] {
        if (rank.task.passes == 1) throw OutOfMemory("no memory is left");
      };
    rank.update(batches);
    EXPECT_EQ(rank.task.passes, comm.rank() == 1 ? 1 + 6 : 2);
  });
}

TEST(GradientReduction, AnErrorAfterBucketsWereSentEndsAllRanks) {
  comm::Meeting meeting(3);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::string> errors = comm::errors_of_ranks(3, [&](int number) {
    comm::SharedMemory comm(meeting.place(number), meeting.join(number));
    ReducingRank rank(models::shrunk("transformer-base"), team_of(comm));
    if (number == 1) rank.task.at_end = [] { fail("a part of the model is missing"); };
    rank.update({zoo_batch()});
  });
  EXPECT_EQ(errors[1], "a part of the model is missing");
  for (const int other : {0, 2}) {
    EXPECT_NE(errors[static_cast<std::size_t>(other)].find("rank 1 on "), std::string::npos);
    EXPECT_NE(errors[static_cast<std::size_t>(other)].find("in the middle of an update"), std::string::npos);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace dragoman::train
