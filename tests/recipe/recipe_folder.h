#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
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

inline std::string data_text() {
  std::string text = "data:\n  corpus:\n    files:\n";
  for (const char* name : {"train.en", "train.de", "valid.en", "valid.de", "test.en", "test.de", "test.talp"})
    text += fmt::format("      {}: {:064}\n", name, 0);
  return text;
}

// Two systems, one test set, a figure of each kind that has commands; the second system is trained for `updates`.
inline std::string recipe_text(const std::string& updates, const std::string& more_systems = "") {
  return R"(title: Two small systems
data: corpus/*
flags:
  train: >
    --preset seq2seq-additive-encoder --source {data}/corpus/train.en --target {data}/corpus/train.de
    --valid-source {data}/corpus/valid.en --valid-target {data}/corpus/valid.de --cache {work}
prepare: ["stats {data}/corpus/train.en {data}/corpus/train.de --json > {work}/counts.json"]
tests:
  test: {source: "{data}/corpus/test.en", reference: "{data}/corpus/test.de", perplexity: true}
systems:
  words:
    steps: ["align {data}/corpus/train.en {data}/corpus/train.de --lexicon {system}/lexicon > {system}/links"]
    translate: direct {system}/lexicon {input}
    score: ""
  neural: {train: --until )" +
         updates + "}\n" + more_systems +
         R"(tables:
- {title: Results, baseline: words, systems: [words, neural], columns: {test.bleu: BLEU}}
figures:
  beam: {kind: sweep, test: test, systems: neural, values: [1, 2], rows: {neural: "translate --model {model} --input {input} --output {output} --beam {value}"}}
  corpus: {kind: statistics, rows: {train: "stats {data}/corpus/train.en {data}/corpus/train.de"}}
  links: {kind: alignment, gold: "{data}/corpus/test.talp", rows: {EM: "align {data}/corpus/test.en {data}/corpus/test.de"}}
  tree: {kind: tree, systems: neural, test: test, sentence: 2}
  maps: {kind: attention, systems: neural, test: test, sentences: 2}
miniature:
  sentences: 60
  systems: [words, neural]
  flags:
    train: >
      --validate 10ku --checkpoint 50u --log 20u --validation.sentences 2 --batch.by sentences --batch.size 8
      --vocab.type words --vocab.min-count 1 --model.embedding 16 --model.recurrent.encoder-hidden 8
      --model.recurrent.decoder-hidden 8 --threads 1
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
  std::string file(const std::string& name) const { return folder_.file("out/" + name); }
  bool has(const std::string& name) const { return fs::exists(file(name)); }
  std::string text(const std::string& name) const { return read_all(file(name)); }
  json read(const std::string& name) const { return json::parse(text(name)); }
  const std::string& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

// A run in the background, which the test can send signals to.
class Background {
 public:
  Background(const RecipeFolder& folder, const std::string& log, const std::string& only) {
    child_ = fork();
    if (child_ == 0) {
      const int file = open((folder.path() + "/" + log).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
      dup2(file, 1);
      dup2(file, 2);
      if (chdir(folder.path().c_str()) == 0)
        execl(DRAGOMAN_PROGRAM, "dragoman", "recipe", "run", "mine", "--miniature", "--output", "out", "--jobs", "2",
              "--only", only.c_str(), nullptr);
      _exit(127);
    }
  }
  ~Background() {
    if (child_ > 0) end(SIGKILL);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Sends a signal and returns the exit status, 128 + N after signal N.
  int end(int signal) {
    kill(child_, signal);
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
