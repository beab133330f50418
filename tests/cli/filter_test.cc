#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

class FilterCommand : public ::testing::Test {
 protected:
  FilterCommand() {
    folder_.write("a.de", "ja\nnein nein nein\n");
    folder_.write("a.en", "yes\nno no no\n");
  }
  Outcome run(const std::string& arguments) const {
    return run_program(folder_, "filter " + arguments + " --output-source out.de --output-target out.en");
  }

  support::TempFolder folder_;
};

TEST_F(FilterCommand, WritesFilesAndPrintsCounts) {
  const Outcome outcome = run("a.de a.en --max-words 2");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("dropped: too long                         1\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(support::read_all(folder_.file("out.en")), "yes\n");
}

TEST_F(FilterCommand, TakesSeveralFilesByFlagAndPrintsJson) {
  const Outcome outcome = run("--source a.de --source a.de --target a.en --target a.en --drop-duplicates --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json counts = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(counts["read"], 4);
  EXPECT_EQ(counts["kept"], 2);
}

// The target is beyond the limit of a file's size, the source is not.
TEST_F(FilterCommand, WritesBothFilesOrNone) {
  folder_.write("b.de", "ja\n");
  folder_.write("b.en", std::string(20'000, 'a') + "\n");
  const Outcome outcome = run_program(folder_, "--version; ulimit -f 16; '" DRAGOMAN_PROGRAM
                                               "' filter b.de b.en --output-source out.de --output-target out.en");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("out.en: cannot be written"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 4) << "only the inputs";
}

TEST_F(FilterCommand, FilesAreNamedInOneWay) {
  for (const char* arguments : {"a.de a.en --source a.de", "a.de a.en a.de", ""}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.err.find("source"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace dragoman::cli
