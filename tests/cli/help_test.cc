#include <gtest/gtest.h>

#include <set>

#include "cli/command.h"
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

TEST(Help, OffersADeviceWhereOneIsUsed) {
  const support::TempFolder folder;
  const std::set<std::string> computing = {"bench", "classify", "recipe", "score", "serve", "train", "translate"};
  for (const CommandGroup& group : command_groups())
    for (const Command& command : group.commands) {
      const std::string name = command.name, help = run_program(folder, "help " + name).out;
      EXPECT_EQ(help, run_program(folder, name + " --help").out);
      for (const char* const flag : {"\n  --device ", "\n  --precision "})
        EXPECT_EQ(help.find(flag) != std::string::npos, computing.contains(name)) << name << " " << flag;
    }
}

TEST(Help, OfTrainingOffersWhatCanBeTrainedWith) {
  const support::TempFolder folder;
  EXPECT_EQ(run_program(folder, "help train").out.find("int8"), std::string::npos);
  EXPECT_NE(run_program(folder, "help translate").out.find("int8"), std::string::npos);
}

TEST(Help, OfAnUnknownCommandNamesTheNearest) {
  const support::TempFolder folder;
  const Outcome outcome = run_program(folder, "help trian");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("did you mean 'train'?"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace dragoman::cli
