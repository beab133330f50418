#include "train/sharding.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "tests/comm/ranks.h"
#include "train/tree_sum.h"

namespace dragoman::train {
namespace {

constexpr Size kCount = 1000, kSmallBucket = 256;

Tensor flat_of(std::vector<float>& values) { return {values.data(), DType::f32, {std::ssize(values)}, cpu_device()}; }

std::vector<float> counted_up() {
  std::vector<float> values(kCount);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST(Sharding, EveryElementBelongsToOneRank) {
  std::vector<int> owners(kCount);
  std::mutex mutex;
  comm::with_ranks(3, [&](comm::Communicator& comm) {
    const Sharding sharding(kCount, {.comm = comm, .parts = 3, .wire = comm::Wire::f32, .ordered = false},
                            kSmallBucket);
    Size local = 0;
    const std::lock_guard lock(mutex);
    for (const Piece& piece : sharding.share().pieces()) {
      EXPECT_EQ(piece.local, local);
      local += piece.count;
      for (Size i = piece.first; i < piece.first + piece.count; ++i) ++owners[static_cast<std::size_t>(i)];
    }
    EXPECT_EQ(local, sharding.share().count());
    EXPECT_LT(sharding.share().count(), kCount / 2) << "memory of moments is divided";
  });
  EXPECT_EQ(owners, std::vector<int>(kCount, 1));
}

TEST(Sharding, ReducedSharesAddUpAndGatherToTheSum) {
  comm::with_ranks(4, [&](comm::Communicator& comm) {
    const Sharding sharding(kCount, {.comm = comm, .parts = 8, .wire = comm::Wire::f32, .ordered = true}, kSmallBucket);
    std::vector<float> values = counted_up();
    for (float& value : values) value *= static_cast<float>(comm.rank() + 1);
    for (Size bucket = 0; bucket < sharding.buckets(); ++bucket) sharding.reduce(flat_of(values), bucket);
    sharding.gather(flat_of(values));
    const std::vector<float> plain = counted_up();
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 10 * plain[i]) << i;
  });
}

// The sums of squares of all slices, from `ranks` ranks.
std::vector<double> squares_of(int ranks) {
  std::vector<double> all;
  comm::with_ranks(ranks, [&](comm::Communicator& comm) {
    const Sharding sharding(kCount, {.comm = comm, .parts = 4, .wire = comm::Wire::f32, .ordered = true}, kSmallBucket);
    std::vector<float> values = counted_up();
    for (float& value : values) value = 1 / value;
    std::vector<double> sums(static_cast<std::size_t>(sharding.slices()));
    const Tensor rows(sums.data(), DType::f64, {sharding.slices(), 1}, cpu_device());
    sharding.sum_squares(flat_of(values), rows);
    comm.all_reduce({sums.data(), DType::f64, {sharding.slices()}, cpu_device()});
    if (comm.leads()) all = sums;
  });
  return all;
}

TEST(Sharding, TheSquaresOfSlicesDoNotDependOnTheNumberOfRanks) {
  const std::vector<double> one = squares_of(1);
  EXPECT_NEAR(std::accumulate(one.begin(), one.end(), 0.0), 1.643934, 1e-5) << "1 + 1/4 + 1/9 + ... + 1/1000^2";
  EXPECT_EQ(squares_of(2), one);
  EXPECT_EQ(squares_of(4), one);
}

TEST(Sharding, TheBytesOfAllRanksAreThoseOfEveryShareToOrFromEveryOther) {
  for (const auto wire : {comm::Wire::f32, comm::Wire::bf16}) {
    std::atomic<std::uint64_t> reduced = 0, gathered = 0;
    comm::with_ranks(3, [&](comm::Communicator& comm) {
      const Sharding sharding(kCount, {.comm = comm, .parts = 3, .wire = wire, .ordered = false}, kSmallBucket);
      std::vector<float> values(kCount);
      reduced += sharding.bytes_to_reduce(flat_of(values));
      gathered += sharding.bytes_to_gather(flat_of(values));
    });
    EXPECT_EQ(reduced.load(), static_cast<std::uint64_t>(2 * kCount * (wire == comm::Wire::bf16 ? 2 : 4)));
    EXPECT_EQ(gathered.load(), static_cast<std::uint64_t>(2 * kCount * 4));
  }
}

TEST(TreeSum, AddsInPairs) {
  // In f32 the order decides: 1e8 swallows a 3 that comes alone.
  const std::vector<float> terms = {1e8f, 3, 3, 3, -1e8f, 3, 3, 3};
  std::vector<float> memory(1);
  TreeSum sum(flat_of(memory), 8);
  for (int round = 0; round < 2; ++round) {
    sum.clear();
    for (const float term : terms) {
      memory[0] = term;
      sum.add();
    }
    const float left = (terms[0] + terms[1]) + (terms[2] + terms[3]),
                right = (terms[4] + terms[5]) + (terms[6] + terms[7]);
    EXPECT_EQ(memory[0], left + right);
  }
  EXPECT_EQ(sum.bytes(), 3 * sizeof(float));
}

}  // namespace
}  // namespace dragoman::train
