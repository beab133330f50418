#include "recipe/step_device.h"

#include <gtest/gtest.h>

#include "store/safetensors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::recipe {
namespace {

const std::vector<std::string> kGpus = {"first", "second"};

Step step_of(const std::string& command, const std::string& run = "") {
  Step step;
  step.command = split_command(command);
  step.run = run;
  return step;
}

TEST(StepDevice, IsAGpuForCommandsThatComputeUnlessTheyAreToldOtherwise) {
  EXPECT_EQ(gpu_used(step_of("translate --model absent"), kGpus), "first");
  EXPECT_EQ(gpu_used(step_of("bench --device cuda:1"), kGpus), "second");
  EXPECT_EQ(gpu_used(step_of("train --device cuda --device cpu", "absent"), kGpus), "");
  EXPECT_EQ(gpu_used(step_of("evaluate a b"), kGpus), "");
  EXPECT_EQ(gpu_used(step_of("align a b"), kGpus), "");
  EXPECT_EQ(gpu_used(step_of("translate --model absent"), {}), "");
}

TEST(StepDevice, IsTheHostForStatisticalModels) {
  const support::TempFolder folder;
  store::write_safetensors(folder.file("model.safetensors"), {{"dragoman.kind", "statistical"}}, {});
  EXPECT_EQ(gpu_used(step_of("translate --model " + folder.file("model.safetensors")), kGpus), "");
  EXPECT_EQ(gpu_used(step_of("train --preset smt-word", folder.path()), kGpus), "");
  store::write_safetensors(folder.file("model.safetensors"), {{"dragoman.kind", "neural"}}, {});
  EXPECT_EQ(gpu_used(step_of("train", folder.path()), kGpus), "first");
}

}  // namespace
}  // namespace dragoman::recipe
