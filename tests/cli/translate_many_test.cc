// Many files, translated by several processes that may die.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/random.h"
#include "data/byte_source.h"
#include "tests/cli/program.h"
#include "tests/search/text_model.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

class TranslateMany : public ::testing::Test {
 protected:
  static constexpr int kFiles = 12, kLines = 40;

  void SetUp() override {
    search::test::write_text_model(folder_.file("m.safetensors"), "seq2seq-additive-encoder+decoder", 3);
    fs::create_directory(folder_.file("in"));
    for (int file = 0; file < kFiles; ++file) {
      std::string lines;
      for (int line = 0; line < kLines; ++line) lines += (file + line) % 2 == 0 ? "the dog\n" : "where is it ?\n";
      folder_.write("in/part" + std::to_string(file), lines);
    }
  }
  Outcome translate(const std::string& arguments) const {
    return run_program(folder_, "translate --device cpu --threads 1 --model m.safetensors " + arguments);
  }
  std::string expected(int file) const { return translate("--quiet --input in/part" + std::to_string(file)).out; }
  void expect_all_translated() const {
    const std::string even = expected(0), odd = expected(1);
    EXPECT_NE(even, odd);
    for (int file = 0; file < kFiles; ++file)
      EXPECT_EQ(data::read_whole(folder_.file("out/part" + std::to_string(file))), file % 2 == 0 ? even : odd) << file;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.file("out")), {}), kFiles) << "something else was left";
  }

  support::TempFolder folder_;
};

TEST_F(TranslateMany, EveryFileIsTranslatedIntoTheFolder) {
  const Outcome outcome = translate("--input 'in/part*' --output out/");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("finished: 12 files"), std::string::npos) << outcome.err;
  expect_all_translated();
}

TEST_F(TranslateMany, FinishedFilesAreLeftAlone) {
  ASSERT_EQ(translate("--quiet --input in --output out/").status, 0);
  fs::remove(folder_.file("out/part3"));
  folder_.write("out/part4", "mine\n");
  ASSERT_EQ(translate("--quiet --input in --output out").status, 0);
  EXPECT_EQ(data::read_whole(folder_.file("out/part4")), "mine\n");
  EXPECT_EQ(data::read_whole(folder_.file("out/part3")), expected(3));
}

TEST_F(TranslateMany, NamesKeepTheirCompression) {
  ASSERT_EQ(run_program(folder_, "filter in/part0 in/part1 --output-source in/a.gz --output-target in/b.gz").status, 0);
  ASSERT_EQ(translate("--quiet --input 'in/*.gz' --output out/").status, 0);
  EXPECT_EQ(data::read_whole(folder_.file("out/a.gz")), expected(0));
  EXPECT_TRUE(support::read_all(folder_.file("out/a.gz")).starts_with("\x1f\x8b"));
}

TEST_F(TranslateMany, FilesThatCannotBeReadDoNotStopTheOthers) {
  folder_.write("in/a.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\3 damaged", 18));
  folder_.write("in/long", "the dog\n" + std::string(100, 'a') + "\n");
  fs::create_directory(folder_.file("in/folder"));
  fs::create_symlink("nowhere", folder_.file("in/link"));
  ASSERT_EQ(mkfifo(folder_.file("in/pipe").c_str(), 0600), 0);
  const Outcome outcome = translate("--quiet --max-line-bytes 64 --input in --output out/");
  EXPECT_EQ(outcome.status, 1);
  for (const char* line :
       {"in/a.gz: the gzip file is damaged", "in/long: line 2: is longer", "in/folder: expected a file",
        "in/link: cannot be opened", "in/pipe: expected a regular file"})
    EXPECT_NE(outcome.err.find(line), std::string::npos) << line << "\n" << outcome.err;
  EXPECT_NE(outcome.err.find("5 of 17 files not translated"), std::string::npos) << outcome.err;
  expect_all_translated();

  folder_.write("in/long", "the dog\n");
  EXPECT_NE(translate("--quiet --input in --output out/").err.find("4 of 17 files"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder_.file("out/long"))) << "mended, so the next run translates it";
  for (const char* name : {"a.gz", "folder", "link", "pipe"}) fs::remove(folder_.file(std::string("in/") + name));
  EXPECT_EQ(translate("--quiet --input in --output out/").status, 0);
}

TEST_F(TranslateMany, WhatDeadProcessesLeftIsRemoved) {
  fs::create_directory(folder_.file("out"));
  folder_.write("out/part1", "mine\n");
  for (const char* left : {"part1.lock", "part2.lock", "part2.partial-17-3", "part1.partial-18-1"})
    folder_.write(std::string("out/") + left, "");
  folder_.write("out/notes.lock", "not ours");
  ASSERT_EQ(translate("--quiet --input in --output .//out").status, 0);
  EXPECT_EQ(data::read_whole(folder_.file("out/notes.lock")), "not ours");
  EXPECT_EQ(data::read_whole(folder_.file("out/part1")), "mine\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.file("out")), {}), kFiles + 1);
}

TEST_F(TranslateMany, TheOutputFolderMayBeAmongTheInputs) {
  ASSERT_EQ(translate("--quiet --input 'in/*' --output in/out/").status, 0);
  ASSERT_EQ(translate("--quiet --input 'in/*' --output in/out/").status, 0);
  EXPECT_EQ(data::read_whole(folder_.file("in/out/part3")), expected(3));
}

TEST_F(TranslateMany, WhatWouldFailForEachFileEndsTheCommand) {
  const Outcome terms = translate("--input in --output out/ --terms none.tsv");
  EXPECT_EQ(terms.status, 1);
  EXPECT_EQ(terms.err.find("translating"), std::string::npos) << terms.err;

  std::string lines;
  for (int line = 0; line < 4000; ++line) lines += "the dog\n";
  folder_.write("in/many", lines);
  const Outcome full =
      run_program(folder_, "--version; ulimit -f 4; '" DRAGOMAN_PROGRAM
                           "' translate --device cpu --threads 1 --model m.safetensors --input in --output out/");
  EXPECT_EQ(full.status, 1);
  EXPECT_NE(full.err.find("out/many: cannot be written: File too large"), std::string::npos) << full.err;
  EXPECT_EQ(full.err.find("translating in/part0"), std::string::npos) << full.err;
  EXPECT_TRUE(fs::is_empty(folder_.file("out")));
}

TEST_F(TranslateMany, MistakesAreSaidBeforeAnythingIsTranslated) {
  fs::create_directory(folder_.file("more"));
  folder_.write("more/part0", "the dog\n");
  fs::create_directory(folder_.file("locked"));
  folder_.write("locked/part0", "the dog\n");
  folder_.write("locked/part0.lock", "the dog\n");
  for (const auto& [arguments, reason] : std::vector<std::pair<const char*, const char*>>{
           {"--input 'none/*' --output out/", "there are none"},
           {"--input '*/part0' --output out/", "would both be translated to"},
           {"--input 'in/*' --output in/", "another folder"},
           {"--input 'locked/*' --output out/",
            "locked/part0 and locked/part0.lock cannot be translated into one folder"},
           {"--input 'in/*'", "expected --input"},
           {"--input 'in/*' --output out/ --alignments links", "for one"}}) {
    const Outcome outcome = translate(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << arguments << "\n" << outcome.err;
    EXPECT_FALSE(fs::exists(folder_.file("out/part0"))) << arguments;
  }
}

// A process of its own, so that it can be killed.
pid_t start_worker(const support::TempFolder& folder) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (chdir(folder.path().c_str()) == 0)
    execl(DRAGOMAN_PROGRAM, "dragoman", "translate", "--device", "cpu", "--threads", "1", "--model", "m.safetensors",
          "--quiet", "--batch", "1", "--input", "in", "--output", "out/", nullptr);
  _exit(127);
}

TEST_F(TranslateMany, AFileThatCannotBeReadStopsNoWorker) {
  folder_.write("in/a.gz", "not gzip");
  for (const pid_t worker : {start_worker(folder_), start_worker(folder_)}) {
    int status = 0;
    waitpid(worker, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << status;
  }
  EXPECT_NE(translate("--quiet --input in --output out/").err.find("1 of 13 files"), std::string::npos);
  expect_all_translated();
}

TEST_F(TranslateMany, WorkersThatAreKilledLoseNothing) {
  Random random(1);
  std::vector<pid_t> workers;
  for (int round = 0; round < 8; ++round) {
    workers.push_back(start_worker(folder_));
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random.below(60)));
    kill(workers[random.below(workers.size())], SIGKILL);
  }
  workers.push_back(start_worker(folder_));
  int status = 0;
  for (const pid_t worker : workers) waitpid(worker, &status, 0);
  EXPECT_EQ(status, 0) << "of the last one, which was not killed";
  ASSERT_EQ(translate("--quiet --input in --output out/").status, 0);
  expect_all_translated();
}

}  // namespace
}  // namespace dragoman::cli
