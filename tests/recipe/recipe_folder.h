#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/cli/program.h"

// A recipe with two small systems on the phrasebook, run through the program as users run it.
namespace dragoman::recipe {

namespace fs = std::filesystem;
using cli::Outcome;
using nlohmann::json;
using support::read_all;
using support::TempFolder;

inline const char* const kDigest = "0000000000000000000000000000000000000000000000000000000000000000";

inline std::string data_text() {
  std::string text = "data:\n  corpus:\n    files:\n";
  for (const char* name : {"train.en.gz", "train.de.gz", "valid.en.gz", "valid.de.gz", "test.en.gz", "test.de.gz"})
    text += std::string("      ") + name + ": " + kDigest + "\n";
  return text;
}

// Two systems, one test set, one figure of each cheap kind; the second system is trained for `updates`.
inline std::string recipe_text(const std::string& updates, const std::string& more_systems = "") {
  return R"(title: Two small systems
data: corpus/*
flags:
  train: >
    --preset transformer-tiny --source {data}/corpus/train.en.gz --target {data}/corpus/train.de.gz
    --valid-source {data}/corpus/valid.en.gz --valid-target {data}/corpus/valid.de.gz --cache {work}
prepare:
- {command: "stats {data}/corpus/train.en.gz {data}/corpus/train.de.gz --json > {work}/counts.json", makes: counts.json}
tests:
  test:
    source: "{data}/corpus/test.en.gz"
    reference: "{data}/corpus/test.de.gz"
    perplexity: true
    attention: 2
systems:
  words:
    steps:
    - align {data}/corpus/train.en.gz {data}/corpus/train.de.gz --lexicon {system}/lexicon > {system}/links
    translate: direct {system}/lexicon {input}
    score: ""
  neural: {train: --until )" +
         updates + R"(}
)" + more_systems +
         R"(tables:
- {title: Results, baseline: words, columns: {test.bleu: BLEU}}
figures:
  beam:
    kind: sweep
    test: test
    values: [1, 2]
    rows: {neural: "translate --model {systems/neural}/run/model.safetensors --input {input} --output {output} --beam {value}"}
  corpus: {kind: statistics, rows: {train: "stats {data}/corpus/train.en.gz {data}/corpus/train.de.gz --json"}}
  links:
    kind: alignment
    gold: "{data}/phrasebook.gold"
    rows: {EM: "align {data}/corpus/test.en.gz {data}/corpus/test.de.gz"}
  tree: {kind: tree, systems: neural, test: test, sentence: 2}
miniature:
  sentences: 120
  files: {"*/train.en*": train.en, "*/train.de*": train.de, "*/valid.en*": valid.en, "*/valid.de*": valid.de,
          "*/test.en*": test.en, "*/test.de*": test.de}
  flags:
    train: >
      --validate 10ku --checkpoint 50u --log 20u --validation.sentences 2 --batch.by sentences --batch.size 8
      --vocab.type words --vocab.min-count 1 --model.embedding 16 --model.transformer.size 16
      --model.attention.heads 1 --model.transformer.feed-forward 16 --model.transformer.encoder-layers 1
      --model.transformer.decoder-layers 1 --threads 1
)";
}

// A folder with the recipe `mine`, run from there.
class RecipeFolder {
 public:
  explicit RecipeFolder(const std::string& text) {
    fs::create_directories(folder_.file("recipes/mine"));
    folder_.write("recipes/data.yaml", data_text());
    write(text);
  }

  void write(const std::string& text) const { folder_.write("recipes/mine/recipe.yaml", text); }
  Outcome program(const std::string& arguments) const { return cli::run_program(folder_, arguments); }
  Outcome run(const std::string& flags = "") const {
    return program("recipe run mine --miniature --output out " + flags);
  }
  Outcome status() const { return program("recipe status mine --miniature --output out"); }
  std::string file(const std::string& name) const { return folder_.file("out/" + name); }
  bool has(const std::string& name) const { return fs::exists(file(name)); }
  std::string text(const std::string& name) const { return read_all(file(name)); }
  json read(const std::string& name) const { return json::parse(text(name)); }
  const std::string& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

// A runner in the background, which the test can send signals to.
class Background {
 public:
  Background(const RecipeFolder& folder, const std::string& log, const std::string& flag = "--jobs=1") {
    child_ = fork();
    if (child_ == 0) {
      const int file = open((folder.path() + "/" + log).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
      dup2(file, 1);
      dup2(file, 2);
      if (chdir(folder.path().c_str()) == 0)
        execl(DRAGOMAN_PROGRAM, "dragoman", "recipe", "run", "mine", "--miniature", "--output", "out", flag.c_str(),
              nullptr);
      _exit(127);
    }
  }
  ~Background() {
    if (child_ > 0) end(SIGKILL);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Sends a signal, or none, and returns the exit status, 128 + N after signal N.
  int end(int signal = 0) {
    if (signal != 0) kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t child_;
};

inline void wait_until(const std::function<bool()>& holds) {
  for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(holds());
}

}  // namespace dragoman::recipe
