// The commands in the documents work. Shell blocks run as a reader would run them, in a folder with a small corpus in
// place of the reader's; `dragoman` there is a script that trains small models for a few updates.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "tests/docs/document.h"
#include "tests/support/temp_folder.h"

namespace dragoman::docs {
namespace {

namespace fs = std::filesystem;

// Settings of the small runs. In a file, those that mean nothing to a model are ignored.
constexpr const char* kSmallRun =
    "validate: 4u\nvalidation.sentences: 2\nthreads: 1\nbatch: {by: sentences, size: 8}\n"
    "statistical.tuning: {iterations: 1, restarts: 1, nbest: 10}\n";
// A model to fine-tune (--from) brings these.
constexpr const char* kSmallModel =
    "vocab.size: 400\nmodel.embedding: 16\nmodel.attention.heads: 1\n"
    "model.transformer: {size: 16, feed-forward: 16, encoder-layers: 1, decoder-layers: 1}\n";
// Flags, because they override those of the documents.
constexpr const char* kSmallNeuralRun = "--until 4u --checkpoint 2u --log 2u";

struct Outcome {
  int status;
  std::string said;
};

// Runs a script in `folder`, stdout and stderr together.
Outcome shell(const std::string& folder, const std::string& script) {
  const support::TempFolder own;
  std::ofstream(own.file("script")) << script;
  const int status = std::system(("cd '" + folder + "' && bash -euo pipefail '" + own.file("script") + "' >'" +
                                  own.file("said") + "' 2>&1 </dev/null")
                                     .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, support::read_all(own.file("said"))};
}

void write_script(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms::owner_all);
}

// The environment that the documents assume: the program on the path, a German-English corpus and, for documents that
// use $MODEL, a model trained on it.
class Documents : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    home_ = new support::TempFolder;
    fs::create_directory(home_->file("bin"));
    fs::create_directory(home_->file("corpus"));
    const std::string program = DRAGOMAN_PROGRAM;
    home_->write("run.yaml", kSmallRun);
    home_->write("model.yaml", kSmallModel);
    write_script(home_->file("bin/dragoman"),
                 "#!/bin/sh\nmodel='--config " + home_->file("model.yaml") + "'\nflags='" + kSmallNeuralRun +
                     "'\ncase \"$1 $*\" in\n"
                     "  train*' smt-'*) flags= ;;\n"
                     "  train*' --from '*) model= ;;\n"
                     "  train*) ;;\n"
                     "  *) exec '" +
                     program + "' \"$@\" ;;\nesac\nexec '" + program + "' \"$@\" --config '" + home_->file("run.yaml") +
                     "' $flags $model\n");
    const std::string path = std::string(std::getenv("PATH"));
    setenv("PATH", (home_->file("bin") + ":" + path).c_str(), 1);
    setenv("MODEL", home_->file("run/model.safetensors").c_str(), 1);
    const Outcome made =
        shell(home_->path(),
              "dragoman phrasebook --sentences 300 --valid 20 --test 20 --out p\n"
              "for part in train valid test; do for language in de en; do\n"
              "  mv p.$part.$language corpus/$part.$language\n"
              "  gzip -k corpus/$part.$language\n"
              "done; done\n"
              "dragoman train --preset transformer-tiny --source corpus/train.de --target corpus/train.en "
              "--valid-source corpus/valid.de --valid-target corpus/valid.en --output run\n"
              "rm -f corpus/*.tokens\n");
    ASSERT_EQ(made.status, 0) << made.said;
  }
  static void TearDownTestSuite() {
    delete home_;
    home_ = nullptr;
  }

  static support::TempFolder* home_;
};
support::TempFolder* Documents::home_ = nullptr;

TEST_F(Documents, ShellBlocksRun) {
  int blocks = 0;
  for (const Document& document : documents()) {
    const support::TempFolder folder;
    fs::copy(home_->file("corpus"), folder.path());
    for (const ShellBlock& block : document.shell) {
      if (block.flags_only) continue;
      ++blocks;
      const Outcome outcome = shell(folder.path(), block.setup + "\n" + block.text);
      EXPECT_EQ(outcome.status, 0) << document.where(block) << "\n" << block.text << outcome.said;
    }
  }
  EXPECT_GT(blocks, 20);
}

TEST_F(Documents, CommandsThatDoNotRunHaveKnownNamesAndFlags) {
  int calls = 0;
  for (const Document& document : documents()) {
    const support::TempFolder folder;
    for (const ShellBlock& block : document.shell) {
      if (!block.flags_only) continue;
      for (const std::string& call : program_calls(block.text)) {
        ++calls;
        const Outcome outcome = shell(folder.path(), "dragoman " + call + " --dump-config");
        EXPECT_EQ(outcome.status, 0) << document.where(block) << "\ndragoman " << call << "\n" << outcome.said;
      }
    }
  }
  EXPECT_GT(calls, 20);
}

TEST(ProgramCalls, AreFoundBehindPipesAndAcrossLines) {
  EXPECT_EQ(program_calls("dragoman a --x 'y|z' \\\n  --w > out  # and\necho dragoman | dragoman b -\n# dragoman c\n"),
            (std::vector<std::string>{"a --x 'y|z' --w ", "b -"}));
}

}  // namespace
}  // namespace dragoman::docs
