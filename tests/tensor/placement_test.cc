#include "tensor/placement.h"

#include <gtest/gtest.h>

#include "kernels/cuda/cuda.h"

namespace dragoman {
namespace {

std::string reason(const PlacementOptions& options, Use use = Use::inference) {
  try {
    find_placement(options, use);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Placement, OnTheHostIsInSinglePrecision) {
  const Placement where = find_placement({.device = "cpu"});
  EXPECT_EQ(&where.device, &cpu_device());
  EXPECT_EQ(where.type, DType::f32);
  EXPECT_FALSE(where.tf32);
}

TEST(Placement, RefusesDevicesThatHaveNoName) {
  for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "CPU", ""})
    EXPECT_EQ(reason({.device = name}),
              fmt::format("there is no device '{}'; expected cpu, cuda, cuda:N or auto", name));
}

TEST(Placement, OnTheHostNarrowFormatsAreForProducts) {
  const Placement where = find_placement({.device = "cpu", .precision = Precision::int8});
  EXPECT_EQ(where.type, DType::f32);
  EXPECT_EQ(where.weights, WeightFormat::int8);
  EXPECT_EQ(find_placement({.device = "cpu", .precision = Precision::bf16}).weights, WeightFormat::bf16);
  EXPECT_EQ(reason({.device = "cpu", .precision = Precision::int8}, Use::training),
            "precision int8 is for inference; training on the CPU needs f32 or bf16");
  const Placement training = find_placement({.device = "cpu", .precision = Precision::bf16}, Use::training);
  EXPECT_EQ(training.type, DType::f32);
  EXPECT_EQ(training.weights, WeightFormat::same);
  EXPECT_TRUE(training.bf16_products);
  EXPECT_EQ(reason({.device = "cpu", .precision = Precision::tf32}),
            "precision tf32 is for GPUs; on the CPU use f32, bf16 or int8");
  EXPECT_EQ(reason({.device = "cpu", .precision = Precision::tf32}, Use::training),
            "precision tf32 is for GPUs; on the CPU use f32 or bf16");
}

TEST(Placement, WithoutAGpuAutoIsTheHostAndCudaSaysWhyNot) {
  if (kernels::cuda::problem().empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(&find_device("auto"), &cpu_device());
  EXPECT_EQ(reason({.device = "cuda"}), "no GPU can be used: " + kernels::cuda::problem());
}

TEST(Placement, OnAGpuAutomaticPrecisionIsMixed) {
  if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  EXPECT_EQ(find_placement({.device = "cuda"}).type, DType::bf16);
  const Placement single = find_placement({.device = "cuda", .precision = Precision::f32});
  EXPECT_EQ(single.type, DType::f32);
  EXPECT_FALSE(single.tf32);
  EXPECT_FALSE(single.device.on_host());
  EXPECT_TRUE(find_placement({.device = "cuda", .precision = Precision::tf32}).tf32);
}

TEST(PrecisionScope, BelongsToItsThreadAndEndsWithItsScope) {
  if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  const Placement where = find_placement({.device = "cuda", .precision = Precision::tf32});
  {
    const PrecisionScope scope(where);
    EXPECT_TRUE(kernels::cuda::set_tf32(true));
  }
  EXPECT_FALSE(kernels::cuda::set_tf32(false));
}

}  // namespace
}  // namespace dragoman
