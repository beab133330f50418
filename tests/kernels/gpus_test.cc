// State per GPU, as far as it can be tested without one.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "kernels/cuda/runtime/check_gpu.h"

namespace dragoman::kernels::cuda {
namespace {

std::string refusal(int gpu, int gpus) {
  try {
    check_gpu(gpu, gpus);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Gpus, OneThatIsNotThereIsRefusedWithASentence) {
  EXPECT_EQ(refusal(0, 1), "accepted");
  EXPECT_EQ(refusal(7, 8), "accepted");
  EXPECT_EQ(refusal(7, 1), "there is no cuda:7; this machine has 1 GPU");
  EXPECT_EQ(refusal(8, 8), "there is no cuda:8; this machine has 8 GPUs");
  EXPECT_EQ(refusal(-1, 8), "there is no cuda:-1; this machine has 8 GPUs");
  EXPECT_EQ(refusal(kMostGpus, kMostGpus + 1),
            fmt::format("cuda:{0} cannot be used: one process works on the first {0} GPUs only", kMostGpus));
}

TEST(Gpus, AreSelectedOnlyWhenTheyChange) {
  std::vector<int> selected;
  const auto select = [&](int gpu) { selected.push_back(gpu); };
  CurrentGpu current;
  EXPECT_EQ(current.number(), 0);
  for (const int gpu : {0, 0, 1, 1, 0, 3, 3}) {
    current.enter(gpu, select);
    EXPECT_EQ(current.number(), gpu);
  }
  EXPECT_EQ(selected, (std::vector{1, 0, 3}));
}

TEST(Gpus, ThatCannotBeSelectedLeaveTheCurrentOne) {
  CurrentGpu current;
  current.enter(2, [](int) {});
  EXPECT_THROW(current.enter(7, [](int gpu) { check_gpu(gpu, 3); }), Error);
  EXPECT_EQ(current.number(), 2);
}

TEST(Gpus, HaveValuesOfTheirOwnThatStayWhereTheyAre) {
  PerGpu<std::vector<int>> lanes;
  std::vector<int>* const first = &lanes.at(0);
  lanes.at(0) = {1, 2};
  lanes.at(kMostGpus - 1) = {3};
  EXPECT_EQ(&lanes.at(0), first);
  EXPECT_EQ(lanes.at(0), (std::vector{1, 2}));
  EXPECT_TRUE(lanes.at(1).empty());
  EXPECT_EQ(lanes.at(kMostGpus - 1), std::vector{3});
}

TEST(Gpus, EstablishAFactOnceEach) {
  OncePerGpu fact;
  std::vector<int> asked;
  const auto holds = [&](int gpu) { return fact.at(gpu, [&] { return asked.push_back(gpu), gpu == 1; }); };
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(holds(0));
    EXPECT_TRUE(holds(1));
  }
  EXPECT_EQ(asked, (std::vector{0, 1}));
}

TEST(Gpus, AskAgainForAFactThatCouldNotBeEstablished) {
  OncePerGpu fact;
  EXPECT_THROW(fact.at(0, []() -> bool { fail("not now"); }), Error);
  EXPECT_TRUE(fact.at(0, [] { return true; }));
}

// The current GPU belongs to the thread. Needs no GPU: nobody selects another one.
TEST(Gpus, EveryThreadBeginsWithTheFirst) {
  std::vector<int> seen(4, -1);
  std::vector<std::thread> threads;
  for (int& gpu : seen) threads.emplace_back([&gpu] { gpu = current_gpu(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen, std::vector(4, 0));
}

}  // namespace
}  // namespace dragoman::kernels::cuda
