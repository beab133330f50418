#include "train/disk_plan.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::train {
namespace {

TrainOptions lasting(const std::string& until, const std::string& checkpoint, const std::string& validate, int keep) {
  TrainOptions options;
  options.until = {until};
  options.checkpoint = checkpoint;
  options.validate = validate;
  options.keep = keep;
  return options;
}

TEST(DiskPlan, CountsTheKeptCheckpointsAndTheOneBeingWritten) {
  EXPECT_EQ(checkpoints_at_once(lasting("1Mu", "1ku", "1e", 3), 100), 4u);
  EXPECT_EQ(checkpoints_at_once(lasting("0", "1ku", "0", 7), 100), 8u) << "a run without an end";
}

TEST(DiskPlan, AShortRunWritesFewer) {
  // At updates 0, 10, 20 and the end, and one at a time.
  EXPECT_EQ(checkpoints_at_once(lasting("20u", "10u", "0", 1000), 100), 5u);
  // 5 epochs of 100 updates: 5 validations and 10 checkpoints.
  EXPECT_EQ(checkpoints_at_once(lasting("5e", "50u", "1e", 1000), 100), 18u);
  // The number of tokens per update is unknown.
  EXPECT_EQ(checkpoints_at_once(lasting("1Gt", "50u", "1e", 1000), 100), 1001u);
}

TEST(DiskPlan, TooLittleSpaceIsASentenceWithNumbers) {
  const DiskPlan plan{.checkpoint = 300 << 20, .model = 100 << 20, .checkpoints = 4};
  EXPECT_EQ(plan.total(), 1400u << 20);
  EXPECT_NO_THROW(check_disk(plan, "run", 0, 1400 << 20));
  EXPECT_NO_THROW(check_disk(plan, "run", 400 << 20, 1000 << 20)) << "existing files are replaced";
  EXPECT_EQ(
      support::message([&] { check_disk(plan, "run", 0, 1000 << 20); }),
      "run: 1000.0 MiB are free there, but this run needs 1.4 GiB for up to 4 checkpoints of 300.0 MiB and a model "
      "of 100.0 MiB. Free some space, choose another --output, or keep fewer checkpoints (--keep)");
}

}  // namespace
}  // namespace dragoman::train
