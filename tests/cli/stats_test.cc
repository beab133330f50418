#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

struct Outcome {
  int status = -1;
  std::string out;
};

// Runs the program with standard error behind standard output.
Outcome run(const std::string& arguments) {
  Outcome outcome;
  std::FILE* const pipe = popen((std::string(DRAGOMAN_PROGRAM) + " " + arguments + " 2>&1").c_str(), "r");
  char buffer[4096];
  for (std::size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.out.append(buffer, count);
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

class Stats : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "dragoman-stats-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << content;
    return folder_ + "/" + name;
  }

  std::string folder_;
};

TEST_F(Stats, JsonHasTheCountsOfBothSides) {
  const std::string source = write("a.de", "das Haus ist das Haus\ndas Radio\n");
  const std::string target = write("a.en", "the house is the house\nthe Radio Radio\n");
  const Outcome outcome = run("stats " + source + " " + target + " --json --min-count 2");
  ASSERT_EQ(outcome.status, 0) << outcome.out;
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

TEST_F(Stats, TheTableShowsFiltersAndBars) {
  const std::string table = write("a.tsv", "a b\tc d\nx\tx\n\ty\n");
  const Outcome outcome = run("stats " + table + " --drop-empty --drop-identical");
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  for (const char* words : {"tokens", "dropped: empty", "dropped: identical", "source lengths", "####"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << " in\n" << outcome.out;
}

TEST_F(Stats, ReadsStandardInput) {
  const std::string table = write("a.tsv", "a b\tc\n");
  const Outcome outcome = run("stats - --json < " + table);
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["source"]["tokens"], 2);
}

TEST_F(Stats, BadInputIsOneClearLineAndAFailure) {
  const std::string good = write("good", "a\nb\n"), one = write("one", "a\n"), latin = write("latin", "a\n\xE4\n");
  for (const auto& [arguments, words] :
       {std::pair{good + " " + one, "good:2 has no partner"}, std::pair{good + " " + latin, "latin:2: byte 1"},
        std::pair{good + " " + folder_ + "/none", "none: cannot be opened"}, std::pair{good, "expected a target file"},
        std::pair{good + " " + one + " --tokenizer " + good, "good"}}) {
    const Outcome outcome = run("stats " + arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.out.find(words), std::string::npos) << outcome.out;
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
  }
  EXPECT_EQ(run("stats " + good + " " + latin + " --invalid-utf8 skip").status, 0);
}

}  // namespace
