#include "tests/faults/workshop.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace dragoman::faults {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

int all_failures = 0;

Words split(const std::string& text) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Words join(std::initializer_list<Words> parts) {
  Words all;
  for (const Words& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Adds the tensors of a safetensors file to `state`. Reads the format itself, so that a defect of the program's reader
// cannot hide one of its writer.
void add_tensors(const fs::path& path, std::string& state) {
  const std::string bytes = read_file(path);
  std::uint64_t size = 0;
  check(bytes.size() >= sizeof size, "{}: too short", path.string());
  std::memcpy(&size, bytes.data(), sizeof size);
  check(size <= bytes.size() - sizeof size, "{}: too short", path.string());
  const json header = json::parse(bytes.substr(sizeof size, size));
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::uint64_t begin = entry.at("data_offsets").at(0), end = entry.at("data_offsets").at(1);
    std::string content = bytes.substr(sizeof size + size + begin, end - begin);
    check(content.size() == end - begin, "{}: '{}' is cut off", path.string(), name);
    std::string shape = entry.at("shape").dump();
    if (name == "train.state") {
      json numbers = json::parse(content);
      numbers.erase("seconds");
      content = numbers.dump();
      shape = "[]";  // the length of the text
    }
    state += fmt::format("{} {} {}\n", name, shape, content);
  }
}

}  // namespace

std::string content_of(const fs::path& path) {
  if (!fs::is_directory(path)) return read_file(path);
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path))
    files.push_back(entry.path().filename().string() + "\n" + read_file(entry.path()));
  std::sort(files.begin(), files.end());
  std::string all;
  for (const std::string& file : files) all += file;
  return all;
}

Row::Row(std::string fault, std::string subject) : fault_(std::move(fault)), subject_(std::move(subject)) {}

Row::~Row() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  fmt::print("{:<26} {:<22} {:>6} {:>6} {:>8.1f} s  {}\n", fault_, subject_, rounds_, met_, seconds,
             failed_ == 0 ? "ok" : fmt::format("{} FAILED", failed_));
  std::fflush(stdout);
  all_failures += failed_;
}

void Row::add(const std::string& problem) {
  ++rounds_;
  if (problem.empty()) return;
  ++failed_;
  fmt::print("  {}, {}, round {}: {}\n", fault_, subject_, rounds_, problem);
  std::fflush(stdout);
}

int Row::failures() { return all_failures; }

Workshop::Workshop(const TortureOptions& options)
    : options_(options),
      folder_(fs::temp_directory_path() / fmt::format("dragoman-torture-{}", getpid())),
      random_(options.seed) {
  fs::create_directories(folder_);
  const Outcome outcome = run(
      {.words = split("phrasebook --sentences 60 --valid 12 --test 20 --out c"), .folder = folder_, .environment = {}});
  check(outcome.succeeded(), "the corpora cannot be made: {}", outcome.describe());
  std::string labelled;
  for (int i = 0; i < 40; ++i)
    labelled += fmt::format("sentence {} is {}\t{}\n", i, i % 2 ? "good" : "bad", i % 2 ? "praise" : "blame");
  write_file(folder_ / "labelled.tsv", labelled);

  const Words corpus{"--source", file("c.train.en"), "--target", file("c.train.de")};
  const Words valid{"--valid-source", file("c.valid.en"), "--valid-target", file("c.valid.de")};
  const Words common =
      split("--cache . --threads 1 --device cpu --batch.by sentences --batch.size 10 --no-tensorboard");
  const Words transformer = split(
      "--preset transformer-tiny --model.embedding 16 --model.transformer.size 16 --model.transformer.feed-forward 32 "
      "--model.transformer.encoder-layers 1 --checkpoint 7u --until 200u");
  trainings_ = {
      {"transformer",
       join({transformer, split("--model.transformer.decoder-layers 1 --validate 40u"), corpus, valid, common}), true},
      {"lstm", join({split("--preset lstm-luong --model.embedding 16 --until 60u --checkpoint 3u"), corpus, common}),
       true},
      {"classifier", join({transformer, split("--task classify --source"), {file("labelled.tsv")}, common}), true},
      {"statistical", join({split("--preset smt-phrase --threads 1"), corpus, valid}), false}};
}

Workshop::~Workshop() {
  if (all_failures == 0) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  } else {
    fmt::print("the files are in {}\n", folder_.string());
  }
}

fs::path Workshop::fresh_folder() {
  const fs::path folder = folder_ / fmt::format("round-{}", fresh_++);
  fs::create_directories(folder);
  return folder;
}

Words Workshop::train_words(const Training& training, const std::string& output, const Words& more) const {
  return join(
      {{"train"}, training.words, {"--output", output, training.checkpoints ? "--resume" : "--overwrite"}, more});
}

const std::string& Workshop::expected(const Training& training) {
  std::string& state = expected_["train " + training.name];
  if (state.empty()) {
    const fs::path folder = fresh_folder();
    const Outcome outcome = run({.words = train_words(training, "run"), .folder = folder, .environment = {}});
    check(outcome.succeeded(), "training without faults failed: {}", outcome.describe());
    state = trained_state(folder / "run");
  }
  return state;
}

std::string Workshop::finish_and_compare(const Training& training, const fs::path& folder) {
  const Outcome outcome = run({.words = train_words(training, "run"), .folder = folder, .environment = {}});
  if (!outcome.succeeded()) return "training did not go on: " + outcome.describe();
  try {
    return trained_state(folder / "run") == expected(training) ? "" : "the final state differs; see " + folder.string();
  } catch (const std::exception& error) {
    return error.what();
  }
}

const std::string& Workshop::model() {
  if (model_.empty()) {
    const fs::path folder = fresh_folder();
    const Outcome outcome = run({.words = train_words(trainings_[0], "run"), .folder = folder, .environment = {}});
    check(outcome.succeeded(), "training without faults failed: {}", outcome.describe());
    fs::copy_file(folder / "run/model.safetensors", folder_ / "model.safetensors");
    fs::copy_file(folder / "run/source.vocab", folder_ / "source.vocab");
    model_ = file("model.safetensors");
  }
  return model_;
}

const std::vector<Task>& Workshop::tasks() {
  if (!tasks_.empty()) return tasks_;
  const std::string en = file("c.train.en"), de = file("c.train.de"), test = file("c.test.en");
  const std::string& model = this->model();
  tasks_ = {
      {"translate", {"translate", "--model", model, "--threads", "1", "--output", "out"}, "out", test},
      {"score", {"score", "--model", model, "--threads", "1", test, file("c.test.de")}},
      {"average", {"average", model, model, "--output", "mean"}, "mean"},
      {"import", {"import", DRAGOMAN_GOLDEN "/import/marian_tags", "--output", "imported"}, "imported"},
      {"export", {"export", model, "--to", "numpy", "--output", "exported"}, "exported", "", true},
      {"shortlist",
       {"shortlist", model, "--source", en, "--target", de, "--threads", "1", "--output", "short"},
       "short"},
      {"inspect", {"inspect", model}},
      {"vocab", {"vocab", en, "--type", "words", "--output", "v"}, "v"},
      {"tokenize", {"tokenize"}, "", test},
      {"align", {"align", en, de, "--threads", "1", "--save", "links"}, "links"},
      {"filter", {"filter", en, de, "--output-source", "kept.en", "--output-target", "kept.de"}, "kept.en"},
      {"augment",
       {"augment", en, de, "--typos", "1", "--output-source", "more.en", "--output-target", "more.de"},
       "more.en"},
      {"evaluate", {"evaluate", en, de, "--metrics", "bleu"}},
      {"stats", {"stats", en, de}},
  };
  return tasks_;
}

const std::string& Workshop::expected(const Task& task) {
  const auto at = expected_.find(task.name);
  if (at != expected_.end()) return at->second;
  const fs::path folder = fresh_folder();
  const Outcome outcome = run(launch(task, folder));
  check(outcome.succeeded(), "{} failed without faults: {}", task.name, outcome.describe());
  return expected_[task.name] = made(task, outcome, folder);
}

Launch Workshop::launch(const Task& task, const fs::path& folder) const {
  return {.words = task.words, .folder = folder, .environment = {}, .input = task.input};
}

std::string Workshop::made(const Task& task, const Outcome& outcome, const fs::path& folder) {
  return task.output.empty() ? outcome.out : content_of(folder / task.output);
}

std::map<std::string, std::string> with_fault(const std::string& fault) {
  return {{"LD_PRELOAD", DRAGOMAN_SHIM}, {"DRAGOMAN_FAULT", fault}};
}

std::string trained_state(const fs::path& run) {
  std::string state;
  add_tensors(run / "model.safetensors", state);
  if (!fs::exists(run / "checkpoints")) return state;
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints"))
    if (entry.path().extension() == ".safetensors") newest = std::max(newest, entry.path());
  state += newest.filename().string() + "\n";
  add_tensors(newest, state);
  return state;
}

}  // namespace dragoman::faults
