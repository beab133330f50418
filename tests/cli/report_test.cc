#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

class Report : public ::testing::Test {
 protected:
  Outcome run(const std::string& arguments) const { return run_program(folder_, arguments); }
  // The folder of a run with a log.
  std::string run_folder(const std::string& name) const {
    std::filesystem::create_directories(folder_.file(name));
    folder_.write(name + "/log.jsonl", "{\"kind\":\"start\",\"update\":0,\"settings\":{\"seed\":\"" + name + "\"}}\n");
    return folder_.file(name);
  }

  support::TempFolder folder_;
};

TEST_F(Report, OfARunIsWrittenIntoItsFolder) {
  const std::string path = run_folder("one");
  const Outcome outcome = run("report " + path);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, path + "/report/index.html\n");
  EXPECT_NE(support::read_all(path + "/report/index.html").find("interrupted"), std::string::npos);
}

TEST_F(Report, OfSeveralRunsComparesThem) {
  const std::string page = folder_.file("page.html");
  const Outcome outcome = run("report " + run_folder("1") + " " + run_folder("2") + " --output " + page);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(support::read_all(page).find("<th scope='row'>seed</th><td class='words'>1</td>"), std::string::npos);
}

TEST_F(Report, SaysWhatItNeeds) {
  EXPECT_NE(run("report").err.find("expected the output folders"), std::string::npos);
  EXPECT_NE(run("report a b").err.find("expected --output FILE"), std::string::npos);
  EXPECT_NE(run("report " + folder_.file("none")).err.find("no such folder"), std::string::npos);
  folder_.write("text", "{\"kind\":3}\nno log\n");
  EXPECT_NE(run("report " + folder_.file("text")).err.find("is not the log of a training run"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("report")));
}

}  // namespace
}  // namespace dragoman::cli
