#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

TEST(Help, ListsTheCommandsBySubject) {
  const support::TempFolder folder;
  const Outcome outcome = run_program(folder, "help");
  EXPECT_EQ(outcome.status, 0);
  const std::size_t prepare = outcome.out.find("prepare a corpus:"), stats = outcome.out.find("  stats ");
  const std::size_t train = outcome.out.find("\ntrain:");
  ASSERT_NE(train, std::string::npos);
  EXPECT_LT(prepare, stats);
  EXPECT_LT(stats, train);
  EXPECT_EQ(run_program(folder, "--help").out, outcome.out);
}

TEST(Help, OfACommandIsItsOwnHelp) {
  const support::TempFolder folder;
  const Outcome outcome = run_program(folder, "help train");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, run_program(folder, "train --help").out);
  EXPECT_NE(outcome.out.find("examples:\n  # "), std::string::npos);
  for (const char* heading : {"\nData:\n", "\nVocabulary:\n", "\nModel:\n", "\nOptimiser:\n", "\nMachine:\n"})
    EXPECT_NE(outcome.out.find(heading), std::string::npos) << heading;
}

TEST(Help, OfAnUnknownCommandNamesTheNearest) {
  const support::TempFolder folder;
  const Outcome outcome = run_program(folder, "help trian");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("did you mean 'train'?"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace dragoman::cli
