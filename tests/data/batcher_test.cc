#include "data/batcher.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "data/prefetcher.h"
#include "data/tokenize.h"
#include "tests/data/support.h"

namespace dragoman::data {
namespace {

using testing::message;
using testing::NumberTokenizer;
using testing::TempFolder;
using Ids = std::vector<std::int32_t>;

// Tokenised corpora of random numbers.
class BatcherTest : public ::testing::Test {
 protected:
  TokenStore store(const std::string& source, const std::string& target, bool keep_text = false) {
    const std::string name = std::to_string(files_++);
    TokenRequest request;
    request.corpus = {folder_.write(name + ".a", source), folder_.write(name + ".b", target)};
    request.source = request.target = &tokenizer_;
    request.keep_text = keep_text;
    return open_tokens(request);
  }

  TokenStore random_store(std::uint64_t seed, int lines, std::uint64_t longest, bool keep_text = false) {
    Random random(seed);
    std::string sides[2];
    for (int i = 0; i < 2 * lines; ++i) {
      std::string& side = sides[i % 2];
      for (std::uint64_t words = random.below(longest + 1); words > 0; --words)
        side += std::to_string(random.below(900)) + " ";
      side += "\n";
    }
    return store(sides[0], sides[1], keep_text);
  }

  Batcher batcher(std::vector<BatchSource> sources, const BatchOptions& options, Shard shard = {}) {
    return Batcher(std::move(sources), {&tokenizer_, &tokenizer_}, options, shard);
  }

  // All batches of one epoch.
  static std::vector<Batch> walk(Batcher& batcher, std::uint64_t epoch) {
    std::vector<Batch> all(batcher.steps(epoch));
    batcher.seek(epoch, 0);
    for (Batch& batch : all) batcher.next(batch);
    return all;
  }

  TempFolder folder_;
  NumberTokenizer tokenizer_;
  int files_ = 0;
};

BatchOptions options_by(BatchBy by, std::int64_t size, BatchOrder order) {
  BatchOptions options;
  options.plan = {.by = by, .size = size, .order = order, .window = 128, .seed = 9};
  return options;
}

TEST_F(BatcherTest, TagsFollowTheBeginTokenOfTheirCorpus) {
  BatchOptions options = options_by(BatchBy::sentences, 4, BatchOrder::file);
  options.rows.source_begin = true;
  Batcher mixed = batcher({{.store = store("1 2\n\n", "4\n5\n"), .tag = 501, .languages = "en-de"},
                           {.store = store("1 2\n", "6\n"), .tag = 502, .languages = "en-fr"},
                           {.store = store("3\n", "7\n")}},
                          options);
  Batch batch;
  mixed.next(batch);
  EXPECT_EQ(batch.source.tokens, (Ids{1, 501, 5, 6, 2, 1, 501, 2, 1, 502, 5, 6, 2, 1, 7, 2}));
  EXPECT_EQ(batch.target.tokens, (Ids{1, 8, 1, 9, 1, 10, 1, 11})) << "the target has no tag";
  EXPECT_EQ(mixed.source_of(batch.sentences[1]).languages, "en-de");
  EXPECT_EQ(mixed.source_of(batch.sentences[2]).languages, "en-fr");
  EXPECT_EQ(mixed.source_of(batch.sentences[3]).languages, "");
}

TEST_F(BatcherTest, TagsSurviveNoiseAndSamplingAndCountAsTokens) {
  BatchOptions options = options_by(BatchBy::tokens, 40, BatchOrder::length);
  options.rows.mask_source = options.rows.drop_source = 0.4;
  options.rows.sample_source = 0.3;
  const TokenStore long_rows = random_store(8, 300, 12, true), short_rows = random_store(9, 300, 6, true);
  Batcher noisy = batcher({{.store = long_rows, .tag = 950}, {.store = short_rows, .tag = 951}}, options);
  for (const Batch& batch : walk(noisy, 0)) {
    EXPECT_LE(batch.source.tokens.size(), 40u);
    for (std::size_t i = 0; i < batch.sentences.size(); ++i) {
      const auto row = batch.source.row(i);
      EXPECT_EQ(row[0], batch.sentences[i] < 300 ? 950 : 951);
      EXPECT_EQ(std::count_if(row.begin(), row.end(), [](std::int32_t id) { return id >= 950; }), 1);
    }
  }
}

TEST_F(BatcherTest, PacksRowsWithTheirMarks) {
  Batcher plain = batcher({{store("1 2\n\n3\n", "4\n5 6\n7\n")}}, options_by(BatchBy::sentences, 2, BatchOrder::file));
  Batch batch;
  plain.next(batch);
  EXPECT_EQ(batch.source.tokens, (Ids{5, 6, 2, 2}));
  EXPECT_EQ(batch.source.offsets, (Ids{0, 3, 4}));
  EXPECT_EQ(batch.target.tokens, (Ids{1, 8, 1, 9, 10}));
  EXPECT_EQ(batch.target.offsets, (Ids{0, 2, 5}));
  EXPECT_EQ(batch.labels, (Ids{8, 2, 9, 10, 2}));
  EXPECT_EQ(batch.sentences, (std::vector<std::uint32_t>{0, 1}));
  plain.next(batch);
  EXPECT_EQ(batch.source.tokens, (Ids{7, 2}));
  EXPECT_EQ(batch.sentences, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(batch.step, 1u);
  EXPECT_EQ(batch.steps, 2u);
  plain.next(batch);
  EXPECT_EQ(batch.epoch, 1u);
  EXPECT_EQ(batch.step, 0u);
}

TEST_F(BatcherTest, MarksAreAChoice) {
  BatchOptions options = options_by(BatchBy::sentences, 9, BatchOrder::file);
  options.rows.source_begin = true;
  options.rows.source_end = false;
  options.rows.target_marks = false;
  Batch batch;
  batcher({{store("1 2\n", "3\n")}}, options).next(batch);
  EXPECT_EQ(batch.source.tokens, (Ids{1, 5, 6}));
  EXPECT_EQ(batch.target.tokens, (Ids{7}));
  EXPECT_EQ(batch.labels, (Ids{7}));
}

TEST_F(BatcherTest, AWideShardReturnsTheBatchesOfItsWorkersStepByStep) {
  const TokenStore data = random_store(1, 1001, 20);
  const BatchOptions options = options_by(BatchBy::sentences, 64, BatchOrder::random);
  Batcher wide = batcher({{data}}, options, {2, 6, 3});
  std::vector<Batcher> narrow;
  for (const std::uint32_t rank : {2u, 3u, 4u}) narrow.push_back(batcher({{data}}, options, {rank, 6}));
  wide.seek(0, 1);
  for (Batcher& worker : narrow) worker.seek(0, 1);
  Batch expected, batch;
  for (int step = 0; step < 5; ++step)
    for (Batcher& worker : narrow) {
      worker.next(expected);
      wide.next(batch);
      EXPECT_EQ(batch, expected) << step;
    }
  EXPECT_THROW(batcher({{data}}, options, {4, 6, 3}), Error);
}

TEST_F(BatcherTest, ShardsAreDisjointAndCoverTheEpochTogether) {
  const TokenStore data = random_store(1, 1001, 20);
  for (const BatchBy by : {BatchBy::sentences, BatchBy::tokens})
    for (const std::uint32_t world : {1u, 2u, 3u, 8u}) {
      std::vector<int> seen(1001);
      std::uint64_t steps = 0;
      for (std::uint32_t rank = 0; rank < world; ++rank) {
        Batcher shard = batcher({{data}}, options_by(by, 64, BatchOrder::length), {rank, world});
        const std::vector<Batch> all = walk(shard, 3);
        if (rank == 0) steps = all.size();
        EXPECT_EQ(all.size(), steps);
        for (const Batch& batch : all)
          for (const std::uint32_t sentence : batch.sentences) ++seen[sentence];
      }
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 1001) << world;
    }
}

TEST_F(BatcherTest, SeekingEqualsWalkingThere) {
  BatchOptions options = options_by(BatchBy::tokens, 150, BatchOrder::length);
  options.rows.mask_source = 0.2;
  options.rows.drop_source = 0.1;
  options.rows.sample_target = 0.3;
  const TokenStore data = random_store(2, 400, 20, true);
  Batcher walking = batcher({{data}}, options);
  std::vector<Batch> all(3 * walking.steps(0) + 5);
  for (Batch& batch : all) walking.next(batch);
  Random random(1);
  Batcher seeking = batcher({{data}}, options);
  for (int i = 0; i < 50; ++i) {
    const Batch& expected = all[random.below(all.size())];
    Batch batch;
    seeking.seek(expected.epoch, expected.step);
    seeking.next(batch);
    EXPECT_EQ(batch, expected);
  }
  EXPECT_NE(message([&] { seeking.seek(0, 1'000'000); }).find("expected a step up to"), std::string::npos);
}

TEST_F(BatcherTest, ThePositionBehindTheLastStepIsTheNextEpoch) {
  Batcher cursor = batcher({{random_store(2, 50, 5)}}, options_by(BatchBy::sentences, 10, BatchOrder::random));
  cursor.seek(2, 5);
  Batch batch;
  cursor.next(batch);
  EXPECT_EQ(batch.epoch, 3u);
  EXPECT_EQ(batch.step, 0u);
}

TEST_F(BatcherTest, PrefetchingGivesExactlyTheSameBatches) {
  const TokenStore data = random_store(3, 300, 15);
  const BatchOptions options = options_by(BatchBy::tokens, 120, BatchOrder::length);
  for (const std::size_t ahead : {1u, 2u, 64u}) {
    Batcher direct = batcher({{data}}, options);
    Prefetcher prefetcher(batcher({{data}}, options), ahead);
    Batch expected, batch;
    for (int i = 0; i < 200; ++i) {
      direct.next(expected);
      prefetcher.next(batch);
      ASSERT_EQ(batch, expected) << i;
    }
    direct.seek(7, 3);
    prefetcher.seek(7, 3);
    for (int i = 0; i < 50; ++i) {
      direct.next(expected);
      prefetcher.next(batch);
      ASSERT_EQ(batch, expected) << i;
    }
  }
}

TEST_F(BatcherTest, AnErrorInThePrefetchThreadReachesTheCaller) {
  class Failing final : public NumberTokenizer {
    void encode_sampled(std::string_view, double, Random&, Ids&) const override { fail("cannot be drawn"); }
  } failing;
  BatchOptions options = options_by(BatchBy::sentences, 10, BatchOrder::random);
  options.rows.sample_source = 0.5;
  const TokenStore data = random_store(3, 300, 30, true);
  Prefetcher prefetcher(Batcher({{data}}, {&failing, &tokenizer_}, options));
  Batch batch;
  EXPECT_EQ(message([&] { prefetcher.next(batch); }), "cannot be drawn");
  EXPECT_EQ(message([&] { prefetcher.next(batch); }), "cannot be drawn");
}

TEST_F(BatcherTest, NoBatchIsMadeFromAStoreThatAnotherProgramChanges) {
  Batcher batches = batcher({{.store = random_store(1, 40, 8)}}, options_by(BatchBy::sentences, 4, BatchOrder::random));
  Batch batch;
  batches.next(batch);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    if (entry.path().extension() == ".tokens")
      std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 1);
  EXPECT_NE(message([&] { batches.next(batch); }).find("another program has written to it"), std::string::npos);
}

TEST_F(BatcherTest, ASentenceAboveTheTokenBudgetStopsBeforeTheFirstBatch) {
  const TokenStore data = store("1\n1 2 3\n", "1\n1 2 3 4\n");
  EXPECT_EQ(message([&] { batcher({{data}}, options_by(BatchBy::tokens, 4, BatchOrder::random)); }),
            "pair 2 of the corpus has 4 source and 5 target tokens including begin and end, but a batch holds at most "
            "4; raise --batch.size or lower --batch.max-source-length and --batch.max-target-length");
  EXPECT_EQ(message([&] { batcher({{data}}, options_by(BatchBy::tokens, 5, BatchOrder::random)); }),
            "nothing was thrown");
}

TEST_F(BatcherTest, LongSentencesAreCutOrLeftOutAndCounted) {
  const TokenStore data = store("1 2 3 4\n5\n6 7\n", "1\n2 3 4\n5 6\n");
  BatchOptions options = options_by(BatchBy::sentences, 9, BatchOrder::file);
  options.rows.max_source_length = 3;
  options.rows.max_target_length = 2;
  Batch batch;
  Batcher cutting = batcher({{data}}, options);
  cutting.next(batch);
  EXPECT_EQ(batch.source.tokens, (Ids{5, 6, 7, 2, 9, 2, 10, 11, 2}));
  EXPECT_EQ(batch.labels, (Ids{5, 2, 6, 7, 2, 9, 10, 2}));
  EXPECT_EQ(cutting.truncated(), 2u);
  EXPECT_EQ(cutting.dropped(), 0u);
  options.rows.too_long = TooLong::drop;
  Batcher dropping = batcher({{data}}, options);
  dropping.next(batch);
  EXPECT_EQ(batch.sentences, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(dropping.dropped(), 2u);
  EXPECT_EQ(dropping.sentences(), 1u);
}

TEST_F(BatcherTest, TheTokenBudgetHoldsAtEveryLengthWithAndWithoutSampling) {
  const TokenStore data = random_store(5, 500, 40, true);
  for (const double strength : {0.0, 0.1, 0.9}) {
    BatchOptions options = options_by(BatchBy::tokens, 100, BatchOrder::length);
    options.rows.sample_source = options.rows.sample_target = strength;
    Batcher sampling = batcher({{data}}, options);
    for (const Batch& batch : walk(sampling, 1)) {
      EXPECT_LE(batch.source.tokens.size(), 100u);
      EXPECT_LE(batch.target.tokens.size(), 100u);
    }
  }
}

TEST_F(BatcherTest, SeveralCorporaAreMixedByWeightAndNumberedThrough) {
  const TokenStore first = random_store(6, 100, 5), second = random_store(7, 60, 5);
  Batcher mixing = batcher({{first, 1}, {second, 3}}, options_by(BatchBy::sentences, 8, BatchOrder::random));
  std::map<std::uint32_t, int> seen;
  bool mixed = false;
  for (const Batch& batch : walk(mixing, 0)) {
    const auto from_first =
        std::count_if(batch.sentences.begin(), batch.sentences.end(), [](auto s) { return s < 100; });
    mixed = mixed || (from_first > 0 && from_first < 8);
    for (std::size_t i = 0; i < batch.sentences.size(); ++i) {
      const std::uint32_t sentence = batch.sentences[i];
      ++seen[sentence];
      const TokenStore& data = sentence < 100 ? first : second;
      Ids expected(data.source_length(sentence % 100));
      data.copy_source(sentence % 100, expected);
      expected.push_back(2);
      EXPECT_EQ(Ids(batch.source.row(i).begin(), batch.source.row(i).end()), expected);
    }
  }
  EXPECT_TRUE(mixed);
  for (std::uint32_t sentence = 0; sentence < 160; ++sentence) EXPECT_EQ(seen[sentence], sentence < 100 ? 1 : 3);
}

TEST_F(BatcherTest, TheTwoPartsOfASplitNeverMeet) {
  const TokenStore data = random_store(8, 500, 5);
  for (const SplitBy by : {SplitBy::last, SplitBy::random}) {
    const SplitOptions split{.by = by, .share = 0.1};
    std::vector<int> seen(500);
    for (const bool held_out : {false, true}) {
      Batcher part = batcher({{data, 1, split, held_out}}, options_by(BatchBy::sentences, 16, BatchOrder::random));
      for (const Batch& batch : walk(part, 0))
        for (const std::uint32_t sentence : batch.sentences) ++seen[sentence];
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 500);
  }
}

TEST_F(BatcherTest, NoiseIsAPureFunctionOfSeedEpochAndSentence) {
  const TokenStore data = random_store(9, 200, 20);
  BatchOptions small = options_by(BatchBy::sentences, 8, BatchOrder::random);
  small.rows.mask_source = 0.3;
  small.rows.drop_source = 0.2;
  BatchOptions large = small;
  large.plan.size = 50;
  large.plan.order = BatchOrder::length;
  const auto rows = [&](const BatchOptions& options, std::uint64_t epoch) {
    std::map<std::uint32_t, Ids> by_sentence;
    Batcher noisy = batcher({{data}}, options);
    for (const Batch& batch : walk(noisy, epoch))
      for (std::size_t i = 0; i < batch.sentences.size(); ++i)
        by_sentence[batch.sentences[i]] = Ids(batch.source.row(i).begin(), batch.source.row(i).end());
    return by_sentence;
  };
  EXPECT_EQ(rows(small, 2), rows(large, 2));
  EXPECT_NE(rows(small, 2), rows(small, 3));
}

TEST_F(BatcherTest, MaskingAndDroppingHitTheirShareAndLeaveTheTargetAlone) {
  const TokenStore data = random_store(10, 2000, 30);
  BatchOptions options = options_by(BatchBy::sentences, 100, BatchOrder::file);
  Batcher plain = batcher({{data}}, options);
  options.rows.mask_source = 0.25;
  Batcher masking = batcher({{data}}, options);
  options.rows.mask_source = 0;
  options.rows.drop_source = 0.25;
  Batcher dropping = batcher({{data}}, options);
  double total = 0, masked = 0, kept = 0;
  Batch clean, mask, drop;
  for (std::uint64_t step = 0; step < plain.steps(0); ++step) {
    plain.next(clean);
    masking.next(mask);
    dropping.next(drop);
    EXPECT_EQ(mask.target, clean.target);
    EXPECT_EQ(drop.labels, clean.labels);
    EXPECT_EQ(mask.source.offsets, clean.source.offsets);
    total += static_cast<double>(clean.source.tokens.size() - clean.source.rows());
    masked += static_cast<double>(std::count(mask.source.tokens.begin(), mask.source.tokens.end(), 0));
    kept += static_cast<double>(drop.source.tokens.size() - drop.source.rows());
    for (std::size_t i = 0; i < drop.source.rows(); ++i)
      EXPECT_EQ(drop.source.row(i).size() > 1, clean.source.row(i).size() > 1);  // never all tokens
  }
  EXPECT_NEAR(masked / total, 0.25, 0.02);
  EXPECT_NEAR(kept / total, 0.75, 0.02);
}

TEST_F(BatcherTest, SamplingDrawsAnewEachEpochAndNeedsTheText) {
  BatchOptions options = options_by(BatchBy::sentences, 100, BatchOrder::file);
  options.rows.sample_source = 0.2;
  Batcher sampling = batcher({{random_store(11, 100, 30, true)}}, options);
  const auto first = walk(sampling, 0), second = walk(sampling, 1), again = walk(sampling, 0);
  EXPECT_EQ(first, again);
  EXPECT_NE(first[0].source, second[0].source);
  EXPECT_EQ(first[0].target, second[0].target);
  EXPECT_EQ(message([&] { batcher({{random_store(11, 100, 30)}}, options); }),
            "subword regularisation needs a token store with text");
}

TEST_F(BatcherTest, NothingToDoIsAnError) {
  EXPECT_NE(message([&] { batcher({{store("", "")}}, {}); }).find("no sentence pair is left for batches"),
            std::string::npos);
}

TEST_F(BatcherTest, PartsOfABatchAreItsSentencesInOrderWithinTheLimit) {
  Batcher batches = batcher({{random_store(7, 60, 12)}}, {});
  Batch batch;
  batches.next(batch);
  EXPECT_EQ(parts_of(batch, 0), std::vector{batch});
  EXPECT_EQ(parts_of(batch, batch.tokens()), std::vector{batch});
  for (const std::size_t most : {std::size_t{1}, batch.longest(), batch.tokens() / 3}) {
    Batch joined;
    joined.epoch = batch.epoch, joined.step = batch.step, joined.steps = batch.steps;
    for (const Batch& part : parts_of(batch, most)) {
      EXPECT_TRUE(part.tokens() <= most || part.sentences.size() == 1);
      EXPECT_EQ(part.labels.size(), part.target.tokens.size());
      for (std::size_t s = 0; s < part.sentences.size(); ++s) {
        const auto source = part.source.row(s), target = part.target.row(s);
        joined.source.tokens.insert(joined.source.tokens.end(), source.begin(), source.end());
        joined.target.tokens.insert(joined.target.tokens.end(), target.begin(), target.end());
        joined.source.end_row();
        joined.target.end_row();
        joined.sentences.push_back(part.sentences[s]);
      }
      joined.labels.insert(joined.labels.end(), part.labels.begin(), part.labels.end());
    }
    EXPECT_EQ(joined, batch) << most;
  }
}

TEST_F(BatcherTest, NoBatchOfSentencesIsLargerThanTheLargest) {
  BatchOptions options;
  options.plan.size = 9;
  Batcher batches = batcher({{random_store(3, 200, 30)}}, options);
  const std::size_t most = batches.largest().tokens();
  EXPECT_EQ(batches.largest().sentences.size(), 9u);
  Batch batch;
  for (int i = 0; i < 100; ++i) {
    batches.next(batch);
    EXPECT_LE(batch.tokens(), most);
  }
}

TEST_F(BatcherTest, TheLargestBatchOfTokensFillsItsBudgetWithLongSentences) {
  BatchOptions options;
  options.plan.by = BatchBy::tokens;
  options.plan.size = 200;
  const Batch largest = batcher({{random_store(3, 200, 30)}}, options).largest();
  const std::size_t larger = std::max(largest.source.tokens.size(), largest.target.tokens.size());
  EXPECT_LE(larger, 200u);
  EXPECT_GT(larger, 190u);
}

}  // namespace
}  // namespace dragoman::data
