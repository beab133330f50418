#include "tensor/placement.h"

#include <gtest/gtest.h>

#include "kernels/cuda/cuda.h"

namespace dragoman {
namespace {

std::string reason(const PlacementOptions& options) {
  try {
    set_placement(options);
    placement();
  } catch (const Error& error) {
    set_placement({.device = "cpu"});
    return error.what();
  }
  set_placement({.device = "cpu"});
  return "accepted";
}

TEST(Placement, IsTheHostInSinglePrecisionUnlessAskedOtherwise) {
  const Placement where = placement();
  EXPECT_EQ(&where.device, &cpu_device());
  EXPECT_EQ(where.type, DType::f32);
}

TEST(Placement, RefusesDevicesThatHaveNoName) {
  for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "CPU", ""})
    EXPECT_EQ(reason({.device = name}),
              fmt::format("there is no device '{}'; expected cpu, cuda, cuda:N or auto", name));
}

TEST(Placement, RefusesHalfPrecisionOnTheHost) {
  EXPECT_EQ(reason({.device = "cpu", .precision = Precision::bf16}),
            "precision bf16 is for GPUs; the host computes in f32");
}

TEST(Placement, WithoutAGpuAutoIsTheHostAndCudaSaysWhyNot) {
  if (kernels::cuda::problem().empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(&find_device("auto"), &cpu_device());
  EXPECT_EQ(reason({.device = "cuda"}), "no GPU can be used: " + kernels::cuda::problem());
}

TEST(Placement, OnAGpuAutomaticPrecisionIsMixed) {
  if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  set_placement({.device = "cuda"});
  EXPECT_EQ(placement().type, DType::bf16);
  set_placement({.device = "cuda", .precision = Precision::f32});
  EXPECT_EQ(placement().type, DType::f32);
  EXPECT_FALSE(placement().device.on_host());
  set_placement({.device = "cpu"});
}

}  // namespace
}  // namespace dragoman
