#include "comm/shared_memory.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "tests/comm/ranks.h"

namespace dragoman::comm {
namespace {

Tensor tensor_of(std::vector<float>& values) { return {values.data(), DType::f32, {std::ssize(values)}, cpu_device()}; }

// The numbers that a rank contributes.
std::vector<float> numbers(int rank, Size count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  Random random(7, static_cast<std::uint64_t>(rank));
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

// The sum over all ranks of element i in f32: neighbours in pairs, then these sums in pairs, until one is left.
float sum_in_pairs(const std::vector<std::vector<float>>& of_ranks, Size i) {
  std::vector<float> sums;
  for (const std::vector<float>& values : of_ranks) sums.push_back(values[static_cast<std::size_t>(i)]);
  while (sums.size() > 1) {
    std::vector<float> pairs;
    for (std::size_t k = 0; k < sums.size(); k += 2)
      pairs.push_back(k + 1 < sums.size() ? sums[k] + sums[k + 1] : sums[k]);
    sums = pairs;
  }
  return sums[0];
}

struct Case {
  int size;
  Size count, unit;
};

class Collectives : public testing::TestWithParam<Case> {};

TEST_P(Collectives, EachRankGetsTheSumOfItsPartInPairs) {
  const auto [size, count, unit] = GetParam();
  std::vector<std::vector<float>> of_ranks;
  for (int r = 0; r < size; ++r) of_ranks.push_back(numbers(r, count));
  with_ranks(size, [&, count = count, unit = unit](Communicator& comm) {
    std::vector<float> own = of_ranks[static_cast<std::size_t>(comm.rank())];
    const Parted parted{tensor_of(own), unit};
    comm.reduce_scatter(parted, Wire::f32, true);
    for (Size i = parted.first(comm.rank()); i < parted.first(comm.rank() + 1); ++i)
      ASSERT_EQ(own[static_cast<std::size_t>(i)], sum_in_pairs(of_ranks, i)) << i;
    comm.all_gather(parted);
    for (Size i = 0; i < std::min(count, comm.size() * unit); ++i)
      ASSERT_EQ(own[static_cast<std::size_t>(i)], sum_in_pairs(of_ranks, i)) << i;
  });
}

TEST_P(Collectives, Bf16OnTheWireRoundsTheTermsAndNotTheSum) {
  const auto [size, count, unit] = GetParam();
  std::vector<std::vector<float>> rounded;
  for (int r = 0; r < size; ++r) {
    rounded.push_back(numbers(r, count));
    for (float& value : rounded.back()) value = kernels::bf16::from(value).value();
  }
  with_ranks(size, [&, count = count, unit = unit](Communicator& comm) {
    std::vector<float> own = numbers(comm.rank(), count);
    const Parted parted{tensor_of(own), unit};
    comm.reduce_scatter(parted, Wire::bf16, false);
    for (Size i = parted.first(comm.rank()); i < parted.first(comm.rank() + 1); ++i)
      ASSERT_EQ(own[static_cast<std::size_t>(i)], sum_in_pairs(rounded, i)) << i;
  });
}

// Parts of equal and of unequal sizes, without an end, and larger than an outbox.
INSTANTIATE_TEST_SUITE_P(Sizes, Collectives,
                         testing::Values(Case{2, 64, 32}, Case{3, 100, 48}, Case{4, 1000, 256}, Case{4, 16, 16},
                                         Case{5, 200, 48}, Case{7, 200, 32}, Case{2, 1'200'000, 600'064}));

TEST(SharedMemory, BroadcastsAndAddsDoubles) {
  with_ranks(3, [](Communicator& comm) {
    std::vector<float> values = numbers(comm.rank(), 700'000);
    comm.broadcast(tensor_of(values), 1);
    EXPECT_EQ(values, numbers(1, 700'000));
    std::vector<double> sums = {1.0 + comm.rank(), 0.5};
    comm.all_reduce({sums.data(), DType::f64, {2}, cpu_device()});
    EXPECT_EQ(sums, (std::vector<double>{6, 1.5}));
  });
}

TEST(SharedMemory, AFailureOfOneRankEndsTheWaitsOfTheOthers) {
  Meeting meeting(3);
  const auto begin = Clock::now();
  const auto errors = errors_of_ranks(3, [&](int rank) {
    SharedMemory memory(meeting.place(rank), meeting.join(rank));
    if (rank == 2) return memory.report_failure("the disk is full");
    std::vector<double> sums = {1};
    memory.all_reduce({sums.data(), DType::f64, {1}, cpu_device()});
  });
  for (const int rank : {0, 1})
    EXPECT_NE(errors[static_cast<std::size_t>(rank)].find(": the disk is full"), std::string::npos)
        << errors[static_cast<std::size_t>(rank)];
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(4));
}

}  // namespace
}  // namespace dragoman::comm
