#include <gtest/gtest.h>

#include "kernels/cuda/cuda.h"
#include "tensor/context.h"
#include "tensor/device.h"
#include "tensor/ops.h"

namespace dragoman {
namespace {

namespace cuda = kernels::cuda;

std::string refusal(const std::string& name) {
  try {
    find_device(name);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CudaDevice, OfANumberThatThereIsNotIsRefusedWithTheReason) {
  if (!cuda::problem().empty()) {
    EXPECT_EQ(refusal("cuda:7"), "no GPU can be used: " + cuda::problem());
    return;
  }
  if (cuda::count() > 7) GTEST_SKIP() << "there is a cuda:7";
  EXPECT_TRUE(refusal("cuda:7").starts_with("there is no cuda:7; this machine has ")) << refusal("cuda:7");
}

TEST(CudaDevice, IsOneObjectPerGpu) {
  if (!cuda::problem().empty()) GTEST_SKIP() << cuda::problem();
  EXPECT_EQ(&find_device("cuda:0"), &find_device("cuda"));
  EXPECT_EQ(&find_device("cuda:0"), &cuda_device());
  EXPECT_STREQ(find_device("cuda:0").name(), "cuda");
  if (cuda::count() < 2) GTEST_SKIP() << "needs two GPUs; this machine has " << cuda::count();
  EXPECT_NE(&find_device("cuda:1"), &find_device("cuda:0"));
  EXPECT_STREQ(find_device("cuda:1").name(), "cuda:1");
}

TEST(CudaDevice, TwoOfThemComputeInTurns) {
  if (cuda::count() < 2) GTEST_SKIP() << "needs two GPUs; this machine has " << cuda::count();
  Workspace first(cuda_device(0)), second(cuda_device(1));
  Context a(first), b(second);
  const std::vector<float> values = {1, 2, 3};
  for (int round = 0; round < 3; ++round) {
    const Tensor x = a.from_host<float>(values, {3}), y = b.from_host<float>(values, {3});
    const Tensor twice = add(a, x, x), four_times = add(b, add(b, y, y), add(b, y, y));
    EXPECT_EQ(twice.to_host<float>(), (std::vector<float>{2, 4, 6}));
    EXPECT_EQ(four_times.to_host<float>(), (std::vector<float>{4, 8, 12}));
  }
}

}  // namespace
}  // namespace dragoman
