#include "train/agreement.h"

#include <gtest/gtest.h>

#include "tests/comm/ranks.h"

namespace dragoman::train {
namespace {

TEST(Agreement, AllRanksKnowTheLabelsOfAllAndTheSlowest) {
  const std::vector<double> seconds = {1, 4, 2};
  comm::with_ranks(3, [&](comm::Communicator& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    const Agreement agreed = agree(comm, {.labels = 100 + rank, .stops = false, .seconds = seconds[rank]});
    EXPECT_EQ(agreed.labels, 303u);
    EXPECT_FALSE(agreed.stops);
    EXPECT_EQ(agreed.waiting.ranks, 3);
    EXPECT_EQ(agreed.waiting.slowest, 1);
    EXPECT_DOUBLE_EQ(agreed.waiting.share, (3.0 / 4 + 2.0 / 4) / 2) << "rank 0 waits 3 of 4 seconds, rank 2 two";
  });
}

TEST(Agreement, OneRankThatStopsStopsAll) {
  comm::with_ranks(3, [](comm::Communicator& comm) {
    EXPECT_TRUE(agree(comm, {.labels = 1, .stops = comm.rank() == 2, .seconds = 0}).stops);
  });
}

TEST(Agreement, AProcessAloneWaitsForNobody) {
  const Agreement agreed = agree(comm::alone(), {.labels = 7, .stops = true, .seconds = 3});
  EXPECT_EQ(agreed.labels, 7u);
  EXPECT_TRUE(agreed.stops);
  EXPECT_EQ(agreed.waiting.share, 0);
}

}  // namespace
}  // namespace dragoman::train
