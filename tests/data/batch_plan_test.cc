#include "data/batch_plan.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.h"
#include "tests/data/support.h"

namespace dragoman::data {
namespace {

using testing::message;
using Batches = std::vector<std::vector<std::uint32_t>>;

std::vector<RowLengths> random_lengths(std::uint64_t seed, std::size_t count, std::uint64_t longest) {
  Random random(seed);
  std::vector<RowLengths> lengths(count);
  for (RowLengths& row : lengths) {
    row.source = static_cast<std::uint32_t>(random.below(longest + 1));
    row.target = static_cast<std::uint32_t>(1 + random.below(longest));
  }
  return lengths;
}

Batches batches(const std::vector<RowLengths>& lengths, const PlanOptions& options, std::uint64_t epoch,
                std::vector<WeightedRange> ranges = {}) {
  if (ranges.empty()) ranges = {{0, lengths.size(), 1}};
  const BatchPlan plan(lengths, ranges, options, epoch);
  Batches all;
  for (std::uint64_t i = 0; i < plan.size(); ++i) all.emplace_back(plan.batch(i).begin(), plan.batch(i).end());
  return all;
}

std::vector<std::uint32_t> flat(const Batches& all) {
  std::vector<std::uint32_t> sentences;
  for (const auto& batch : all) sentences.insert(sentences.end(), batch.begin(), batch.end());
  return sentences;
}

// Runs body on many kinds of plans over random corpora.
template <class Body>
void for_many_plans(Body body) {
  for (const std::size_t count : {0u, 1u, 2u, 10u, 333u, 5000u})
    for (const BatchBy by : {BatchBy::sentences, BatchBy::tokens})
      for (const BatchOrder order : {BatchOrder::random, BatchOrder::length, BatchOrder::file})
        for (const std::int64_t size : {50, 88, 1000}) {
          const PlanOptions options{.by = by, .size = size, .order = order, .window = 700, .seed = 3};
          SCOPED_TRACE(fmt::format("{} sentences by {} order {} size {}", count, name_of(by), name_of(order), size));
          body(random_lengths(count, count, 50), options);
        }
}

TEST(BatchPlan, EverySentenceComesExactlyOnceAnEpoch) {
  for_many_plans([](const std::vector<RowLengths>& lengths, const PlanOptions& options) {
    for (const std::uint64_t epoch : {0, 1, 17}) {
      std::vector<std::uint32_t> sentences = flat(batches(lengths, options, epoch));
      std::sort(sentences.begin(), sentences.end());
      std::vector<std::uint32_t> all(lengths.size());
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(sentences, all);
    }
  });
}

TEST(BatchPlan, NoBatchIsEmptyOrOverItsLimit) {
  for_many_plans([](const std::vector<RowLengths>& lengths, const PlanOptions& options) {
    for (const auto& batch : batches(lengths, options, 2)) {
      EXPECT_FALSE(batch.empty());
      std::int64_t source = 0, target = 0;
      for (const std::uint32_t sentence : batch) {
        source += lengths[sentence].source;
        target += lengths[sentence].target;
      }
      if (options.by == BatchBy::tokens)
        EXPECT_LE(std::max(source, target), options.size);
      else
        EXPECT_LE(static_cast<std::int64_t>(batch.size()), options.size);
    }
  });
}

TEST(BatchPlan, SentenceBatchesAreFullExceptTheLastOne) {
  const auto lengths = random_lengths(1, 1003, 20);
  for (const BatchOrder order : {BatchOrder::random, BatchOrder::length, BatchOrder::file}) {
    const Batches all = batches(lengths, {.size = 10, .order = order, .window = 333}, 0);
    EXPECT_EQ(all.size(), 101u);
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const auto& batch) { return batch.size() == 10; }), 100);
  }
}

TEST(BatchPlan, TokenBatchesByLengthAreNearlyFull) {
  const auto lengths = random_lengths(1, 20000, 50);
  std::uint64_t tokens = 0;
  for (const RowLengths& row : lengths) tokens += row.target;
  const Batches all =
      batches(lengths, {.by = BatchBy::tokens, .size = 4000, .order = BatchOrder::length, .window = 10000}, 0);
  // The larger side fills up first, so sides of different random lengths cost a little.
  EXPECT_LT(all.size(), 1.35 * static_cast<double>(tokens) / 4000);
}

TEST(BatchPlan, TheSameSeedAndEpochGiveTheSameBatchesAndOthersDiffer) {
  for (const BatchOrder order : {BatchOrder::random, BatchOrder::length}) {
    const auto lengths = random_lengths(5, 1000, 30);
    PlanOptions options{.by = BatchBy::tokens, .size = 200, .order = order, .seed = 1};
    const Batches first = batches(lengths, options, 4);
    EXPECT_EQ(batches(lengths, options, 4), first);
    EXPECT_NE(batches(lengths, options, 5), first);
    options.seed = 2;
    EXPECT_NE(batches(lengths, options, 4), first);
  }
}

TEST(BatchPlan, FileOrderIsTheCorpusAsItStands) {
  const std::vector<std::uint32_t> sentences =
      flat(batches(random_lengths(5, 500, 30), {.size = 7, .order = BatchOrder::file}, 3));
  EXPECT_TRUE(std::is_sorted(sentences.begin(), sentences.end()));
}

TEST(BatchPlan, GroupingByLengthPutsSimilarLengthsTogetherInRandomOrder) {
  const auto lengths = random_lengths(5, 10000, 50);
  const Batches all = batches(lengths, {.size = 50, .order = BatchOrder::length, .window = 5000}, 0);
  std::vector<std::uint32_t> firsts;
  std::uint64_t spread = 0;
  for (const auto& batch : all) {
    std::uint32_t low = 1000, high = 0;
    for (const std::uint32_t sentence : batch) {
      low = std::min(low, lengths[sentence].target);
      high = std::max(high, lengths[sentence].target);
    }
    spread += high - low;
    firsts.push_back(low);
  }
  EXPECT_LE(spread, all.size());  // at most one token on average
  EXPECT_FALSE(std::is_sorted(firsts.begin(), firsts.end()));
}

TEST(BatchPlan, ASentenceAboveTheTokenBudgetIsRefused) {
  const std::vector<RowLengths> lengths = {{5, 5}, {3, 101}};
  EXPECT_EQ(message([&] { batches(lengths, {.by = BatchBy::tokens, .size = 100}, 0); }),
            "sentence 1 has 3 source and 101 target tokens, but a batch holds at most 100; raise --batch.size or "
            "lower --batch.max-source-length and --batch.max-target-length");
}

TEST(BatchPlan, WeightsSayHowOftenASentenceComesBack) {
  const auto lengths = random_lengths(9, 900, 20);
  const std::vector<WeightedRange> ranges = {{0, 300, 1}, {300, 600, 2.5}, {600, 900, 0.25}};
  std::vector<int> total(900);
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<int> once(900);
    for (const std::uint32_t sentence : flat(batches(lengths, {.size = 32}, epoch, ranges))) ++once[sentence];
    for (std::size_t i = 0; i < 900; ++i) {
      total[i] += once[i];
      const int least = i < 300 ? 1 : i < 600 ? 2 : 0, most = i < 300 ? 1 : i < 600 ? 3 : 1;
      EXPECT_TRUE(least <= once[i] && once[i] <= most) << once[i];
    }
    EXPECT_NEAR(std::accumulate(once.begin() + 600, once.end(), 0), 75, 30);
  }
  // After four epochs all sentences of a corpus were shown equally often.
  for (std::size_t i = 0; i < 900; ++i) EXPECT_EQ(total[i], i < 300 ? 4 : i < 600 ? 10 : 1);
}

}  // namespace
}  // namespace dragoman::data
