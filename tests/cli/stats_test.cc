#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

class Stats : public ::testing::Test {
 protected:
  Outcome run(const std::string& arguments) const { return run_program(folder_, arguments); }
  std::string write(const std::string& name, const std::string& content) const { return folder_.write(name, content); }

  support::TempFolder folder_;
};

TEST_F(Stats, JsonHasTheCountsOfBothSides) {
  const std::string source = write("a.de", "das Haus ist das Haus\ndas Radio\n");
  const std::string target = write("a.en", "the house is the house\nthe Radio Radio\n");
  const Outcome outcome = run("stats " + source + " " + target + " --json --min-count 2");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["source"]["sentences"], 2);
  EXPECT_EQ(report["source"]["tokens"], 7);
  EXPECT_EQ(report["source"]["types"], 4);
  EXPECT_EQ(report["source"]["singletons"], 2);
  EXPECT_EQ(report["source"]["mean_length"], 3.5);
  EXPECT_EQ(report["source"]["min_length"], 2);
  EXPECT_EQ(report["source"]["max_length"], 5);
  EXPECT_EQ(report["source"]["vocabulary"], 2);
  EXPECT_EQ(report["source"]["unknown_tokens"], 2);
  EXPECT_EQ(report["target"]["types"], 4);
  EXPECT_EQ(report["shared_types"], 0);
  EXPECT_EQ(nlohmann::json::parse(run("stats " + source + " " + target + " --json").out)["shared_types"], 1);
}

TEST_F(Stats, SaysHowToReadAFileWithoutColumns) {
  const std::string text = write("a.txt", "one sentence\nanother one\n");
  const Outcome columns = run("stats " + text);
  EXPECT_EQ(columns.status, 1);
  EXPECT_NE(
      columns.err.find(":1: expected at least 2 columns separated by tabs but got 1; a file of plain sentences is "
                       "read with --format lines"),
      std::string::npos)
      << columns.err;
  EXPECT_EQ(run("stats --format lines " + text).status, 0);
  EXPECT_NE(run("stats").err.find("but got none"), std::string::npos);
  EXPECT_NE(run("stats ''").err.find("expected the name of a file"), std::string::npos);
}

TEST_F(Stats, TheTableShowsFiltersAndBars) {
  const std::string table = write("a.tsv", "a b\tc d\nx\tx\n\ty\n");
  const Outcome outcome = run("stats " + table + " --drop-empty --drop-identical");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* words : {"tokens", "dropped: empty", "dropped: identical", "source lengths", "####"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << " in\n" << outcome.out;
}

TEST_F(Stats, AFileOfTextHasOneSide) {
  const std::string text = write("news.de", "das Haus\n\nein Haus\n");
  const Outcome table = run("stats " + text + " --drop-empty");
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_EQ(table.out.find("target"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("dropped: empty                            1\n"), std::string::npos) << table.out;
  const nlohmann::json report = nlohmann::json::parse(run("stats " + text + " --json").out);
  EXPECT_EQ(report["source"]["sentences"], 3);
  EXPECT_EQ(report["source"]["types"], 3);
  EXPECT_FALSE(report.contains("target"));
  EXPECT_EQ(nlohmann::json::parse(run("stats - --format lines --json < " + text).out)["source"]["tokens"], 4);
  EXPECT_NE(run("stats " + text + " --max-ratio 2").err.find("has one side only"), std::string::npos);
}

TEST_F(Stats, ReadsStandardInput) {
  const std::string table = write("a.tsv", "a b\tc\n");
  const Outcome outcome = run("stats - --json < " + table);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["source"]["tokens"], 2);
}

TEST_F(Stats, BadInputIsOneClearLineAndAFailure) {
  const std::string good = write("good", "a\nb\n"), one = write("one", "a\n"), latin = write("latin", "a\n\xE4\n");
  for (const auto& [arguments, words] :
       {std::pair{good + " " + one, "good:2 has no partner"}, std::pair{good + " " + latin, "latin:2: byte 1"},
        std::pair{good + " " + folder_.file("none"), "none: cannot be opened"},
        std::pair{good + " " + one + " --tokenizer " + good, "good"}}) {
    const Outcome outcome = run("stats " + arguments);
    const std::string said = outcome.said();
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(said.find(words), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
  EXPECT_EQ(run("stats " + good + " " + latin + " --invalid-utf8 skip").status, 0);
}

}  // namespace
}  // namespace dragoman::cli
