// Results that cannot be written are an error, for every command.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"
#include "tests/search/classifier_file.h"
#include "tests/search/text_model.h"

namespace dragoman::cli {
namespace {

class FullDevice : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new support::TempFolder;
    search::test::write_text_model(folder_->file("m.safetensors"), "transformer-small", 3);
    search::test::write_classifier(folder_->file("c.safetensors"), "transformer-small", 3);
    std::string source, target;
    for (int i = 0; i < 40; ++i) {
      source += i % 2 ? "the dog sees you .\n" : "where is the red house ?\n";
      target += i % 2 ? "der hund sieht dich .\n" : "wo ist das rote haus ?\n";
    }
    folder_->write("s", source);
    folder_->write("t", target);
    std::filesystem::create_symlink("/dev/full", folder_->file("full.train.en"));
    std::filesystem::create_directories(folder_->file("pages/commands"));
    std::filesystem::create_symlink("/dev/full", folder_->file("pages/commands/translate.md"));
    std::filesystem::create_directories(folder_->file("run/report"));
    folder_->write("run/log.jsonl", R"({"kind":"start","update":0,"epoch":0,"tokens":0})"
                                    "\n");
    std::filesystem::create_symlink("/dev/full", folder_->file("run/report/index.html"));
    ASSERT_EQ(run_program(*folder_, "align s t --lexicon lexicon --save aligner > /dev/null").status, 0);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static inline support::TempFolder* folder_ = nullptr;
};

TEST_F(FullDevice, IsAnErrorOfEveryCommand) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const std::string translate = "translate --device cpu --quiet --model m.safetensors --input s ";
  const std::string train = "train --preset transformer-tiny --source s --target t --device cpu --threads 1 ";
  const std::string classify = "classify --device cpu --quiet --model c.safetensors --input s ";
  const std::vector<std::string> commands = {
      "--version > /dev/full",
      "help > /dev/full",
      "help translate > /dev/full",
      "translate --dump-config > /dev/full",
      "stats s t > /dev/full",
      "stats s t --json > /dev/full",
      "filter s t --output-source /dev/full --output-target f.t",
      "filter s t --output-source f.s --output-target f.t --json > /dev/full",
      "tokenize s > /dev/full",
      "tokenize s --output /dev/full",
      "vocab s --type words --output /dev/full",
      "phrasebook --show 1 > /dev/full",
      "phrasebook --sentences 5 --valid 1 --test 1 --out full",
      "docs --output pages",
      train + "--output r --dry-run > /dev/full",
      "report run",
      "report run --output page.html > /dev/full",
      "report run run --output /dev/full",
      "average m.safetensors m.safetensors --output /dev/full",
      translate + "> /dev/full",
      translate + "--output /dev/full",
      translate + "--json > /dev/full",
      translate + "--n-best 2 > /dev/full",
      translate + "--alignments /dev/full",
      translate + "--tree /dev/full",
      translate + "--side-by-side /dev/full",
      translate + "--tree-svg /dev/full",
      translate + "--attention-svg /dev/full",
      classify + "> /dev/full",
      classify + "--output /dev/full",
      classify + "--json > /dev/full",
      "direct lexicon s > /dev/full",
      "evaluate t t > /dev/full",
      "evaluate t t --json > /dev/full",
      "score --device cpu --model m.safetensors s t > /dev/full",
      "score --device cpu --model m.safetensors s t --json > /dev/full",
      "score --device cpu --model m.safetensors s t --summary > /dev/full",
      "score --device cpu --model m.safetensors s t --alignments /dev/full",
      "recipe list --help > /dev/full",
      "align s t > /dev/full",
      "align s t --show > /dev/full",
      "align s t --save /dev/full",
      "align s t --svg /dev/full",
      "align s t --lexicon /dev/full",
      "align s t --lexicon-text /dev/full",
      "inspect --presets > /dev/full",
      "inspect m.safetensors > /dev/full",
      "inspect m.safetensors --json > /dev/full",
      "bench --device cpu --preset transformer-tiny --lengths 4 --tokens 16 --warmup 0 --repeats 1 > /dev/full",
      "bench --device cpu --preset transformer-tiny --lengths 4 --tokens 16 --warmup 0 --repeats 1 --json > /dev/full",
      "doctor > /dev/full",
      "doctor --json > /dev/full",
  };
  for (const std::string& command : commands) {
    const Outcome outcome = run_program(*folder_, command);
    EXPECT_EQ(outcome.status, 1) << command << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << command << "\n" << outcome.err;
    EXPECT_EQ(outcome.err.find("terminate"), std::string::npos) << command;
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")) << "a device is written to, not replaced";
}

}  // namespace
}  // namespace dragoman::cli
