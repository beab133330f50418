#include "train/validate.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/comm/ranks.h"
#include "tests/train/small_run.h"

namespace dragoman::train {
namespace {

using ScoreList = std::vector<std::pair<std::string, double>>;

// Counts the batches that it is asked for.
class ObservedTask final : public Task {
 public:
  ObservedTask(Task& task, std::atomic<int>& batches) : task_(task), batches_(batches) {}
  const models::ModelConfig& config() const override { return task_.config(); }
  nn::Parameters& parameters() override { return task_.parameters(); }
  std::uint64_t learn(Context& cx, const data::Batch& batch, const LossSettings& settings, double scale,
                      const LossTotals& losses) override {
    return task_.learn(cx, batch, settings, scale, losses);
  }
  Tally tally(Workspace& workspace, const data::Batcher& batches, const data::Batch& batch) const override {
    ++batches_;
    return task_.tally(workspace, batches, batch);
  }

 private:
  Task& task_;
  std::atomic<int>& batches_;
};

// The scores that every rank gets, on 1, 2, 3 and 4 ranks; also checks that they share the work.
std::vector<ScoreList> scores_by_ranks(const std::function<std::unique_ptr<Task>()>& make,
                                       const std::function<data::Batcher()>& batches, std::size_t at_once) {
  std::vector<ScoreList> lists;
  std::optional<int> calls;
  for (const int ranks : {1, 2, 3, 4}) {
    std::vector<ScoreList> own(static_cast<std::size_t>(ranks));
    std::atomic<int> count = 0;
    comm::with_ranks(ranks, [&](comm::Communicator& comm) {
      const auto task = make();
      const ObservedTask observed(*task, count);
      Workspace workspace(cpu_device());
      data::Batcher data = batches();
      own[static_cast<std::size_t>(comm.rank())] = validate(observed, workspace, data, at_once, comm).list();
    });
    EXPECT_EQ(count, calls.value_or(count)) << "every batch is computed once on " << ranks << " ranks";
    calls = count;
    lists.insert(lists.end(), own.begin(), own.end());
  }
  return lists;
}

TEST(Validate, SeveralLanguagesHaveTheSameBitsOnAnyNumberOfRanks) {
  const SmallCorpus corpus;
  const auto batches = [&] {
    return data::Batcher({{.store = corpus.store(), .languages = "en-de"},
                          {.store = corpus.store(), .tag = 5, .languages = "en-fr"},
                          {.store = corpus.store(), .tag = 6}},
                         {&corpus.source(), &corpus.target()}, batches_of(7));
  };
  const std::vector<ScoreList> all = scores_by_ranks(
      [&]() -> std::unique_ptr<Task> { return make_translation(tiny_transformer(), corpus, 1); }, batches, 100);
  ASSERT_EQ(all.front().size(), 6u) << "loss and perplexity of all, en-de, en-fr";
  for (const ScoreList& scores : all) EXPECT_EQ(scores, all.front());
}

TEST(Validate, ClassificationHasTheSameBitsOnAnyNumberOfRanks) {
  std::vector<std::string> sentences, labels;
  for (int i = 0; i < 50; ++i) {
    sentences.push_back(fmt::format("word {} and {}", i % 7, i % 11));
    labels.push_back(fmt::format("class{}", i % 5));
  }
  const SmallCorpus corpus(sentences, labels);
  const auto make = [&]() -> std::unique_ptr<Task> {
    models::ModelConfig config = tiny_transformer();
    config.source_vocabulary = corpus.source().size();
    config.classes = corpus.target().size() - 4;
    auto task = std::make_unique<ClassificationTask>(config);
    task->parameters().allocate(cpu_device(), DType::f32, 1, true);
    return task;
  };
  data::BatchOptions options = batches_of(4);
  options.rows.target_marks = false;
  const std::vector<ScoreList> all = scores_by_ranks(
      make, [&] { return corpus.batches(options); }, 0);
  ASSERT_EQ(all.front().size(), 4u) << "loss, perplexity, accuracy, f1";
  EXPECT_GT(all.front()[2].second, 0) << "some predictions are right";
  for (const ScoreList& scores : all) EXPECT_EQ(scores, all.front());
}

TEST(Validate, MoreRanksThanBatchesIsNoProblem) {
  const SmallCorpus corpus;
  const std::vector<ScoreList> all =
      scores_by_ranks([&]() -> std::unique_ptr<Task> { return make_translation(tiny_transformer(), corpus, 1); },
                      [&] { return corpus.batches(batches_of(48)); }, 0);
  for (const ScoreList& scores : all) EXPECT_EQ(scores, all.front());
}

}  // namespace
}  // namespace dragoman::train
