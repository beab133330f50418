#include "comm/nccl.h"

#include <gtest/gtest.h>

#include "kernels/cuda/cuda.h"
#include "tests/comm/ranks.h"

namespace dragoman::comm {
namespace {

// A group of one GPU: every function of the library is called, and every sum has one term.
class NcclTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
    if (NcclCommunicator::version().empty()) GTEST_SKIP() << "NCCL is not installed";
    Meeting meeting(1);
    comm_ = std::make_unique<NcclCommunicator>(meeting.place(0), meeting.join(0), cuda_device());
  }
  void TearDown() override {
    if (memory_ != nullptr) cuda_device().release(memory_);
  }
  // 1, 2, 3, ... on the GPU.
  Tensor numbers(DType type, Size count) {
    memory_ = cuda_device().allocate(static_cast<std::size_t>(count * size_of(type)));
    const Tensor tensor(memory_, type, {count}, cuda_device());
    for (Size i = 0; i < count; ++i) values_.push_back(static_cast<double>(i + 1));
    tensor.write(values_);
    return tensor;
  }

  std::unique_ptr<NcclCommunicator> comm_;
  std::vector<double> values_;
  void* memory_ = nullptr;
};

TEST_F(NcclTest, ASumOfOneTermIsThatTermInEveryOrderAndFormat) {
  const Tensor tensor = numbers(DType::f32, 200);
  for (const Size unit : {Size{200}, Size{208}})  // as many elements as the part, and fewer
    for (const Wire wire : {Wire::f32, Wire::bf16})
      for (const bool ordered : {false, true}) {
        comm_->reduce_scatter({tensor, unit}, wire, ordered);
        EXPECT_EQ(tensor.to_host<double>(), values_) << "whole numbers up to 256 are exact in bf16";
      }
}

TEST_F(NcclTest, GathersAndBroadcastsInPlace) {
  const Tensor tensor = numbers(DType::f32, 100);
  comm_->all_gather({tensor, 100});
  comm_->all_gather({tensor, 112});
  comm_->broadcast(tensor, 0);
  EXPECT_EQ(tensor.to_host<double>(), values_);
}

TEST_F(NcclTest, AddsDoubles) {
  const Tensor sums = numbers(DType::f64, 7);
  comm_->all_reduce(sums);
  EXPECT_EQ(sums.to_host<double>(), values_);
}

}  // namespace
}  // namespace dragoman::comm
