#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

using support::read_all;

TEST(PhrasebookCommand, WritesSixFilesOfTheLengthsAskedFor) {
  const support::TempFolder folder;
  const Outcome outcome = run_program(folder, "phrasebook --sentences 5000 --valid 20 --test 0 --out p");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"p.test.de", "p.test.en", "p.train.de", "p.train.en",
                                                      "p.valid.de", "p.valid.en"}));
  const auto lines = [&](const std::string& name) {
    const std::string text = read_all(folder.file(name));
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines("p.train.en"), 5000);
  EXPECT_EQ(lines("p.train.de"), 5000);
  EXPECT_EQ(lines("p.valid.de"), 20);
  EXPECT_EQ(lines("p.test.en"), 0);
}

TEST(PhrasebookCommand, ARefusedRunLeavesTheFilesAsTheyWere) {
  const support::TempFolder folder;
  ASSERT_EQ(run_program(folder, "phrasebook --sentences 10 --valid 1 --test 1 --out p").status, 0);
  const std::string before = read_all(folder.file("p.train.en"));
  const std::vector<std::string> names = folder.names();
  const Outcome refused = run_program(folder, "phrasebook --sentences 100000 --patterns ask-price --out p");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("generate only"), std::string::npos) << refused.err;
  EXPECT_EQ(read_all(folder.file("p.train.en")), before);
  EXPECT_EQ(folder.names(), names);
}

}  // namespace
}  // namespace dragoman::cli
