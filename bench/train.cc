// The overhead of the trainer: target tokens per CPU second of the bare step (encode, decode, loss, backward, clip,
// Adam, on batches already in memory) and of complete updates of the trainer (with batching, bookkeeping and logs), for
// the same model and batches.
//
//   bench_train --preset lstm-luong transformer-small
//
// With --links, how much of the exchange of gradients between 8 processes is hidden behind backward if it takes 0.25,
// 0.5, ... of the time to compute them. The other processes and the link are simulated: a call sleeps as long as it
// would take.
//
//   bench_train --preset transformer-base --vocabulary 8000 --sentences 2 --links 0.1 0.25 0.5 1
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "base/threads.h"
#include "data/tokenize.h"
#include "models/presets.h"
#include "text/build.h"
#include "train/json_log.h"
#include "train/tensorboard.h"
#include "train/trainer.h"

namespace dragoman::train {
namespace {

struct BenchOptions {
  std::vector<std::string> presets = {"lstm-luong", "transformer-small"};
  std::vector<double> links;
  int sentences = 10, vocabulary = 4400, updates = 60, rounds = 5, threads = 1;
};

// Two files of sentences of 4 to 24 random words.
class RandomCorpus {
 public:
  explicit RandomCorpus(const BenchOptions& options) : options_(options) {
    std::filesystem::create_directories(folder_);
    write("source");
    write("target");
    source_ = vocabulary("source");
    target_ = vocabulary("target");
  }
  ~RandomCorpus() { std::filesystem::remove_all(folder_); }
  RandomCorpus(const RandomCorpus&) = delete;
  RandomCorpus& operator=(const RandomCorpus&) = delete;

  const std::string& folder() const { return folder_; }
  const text::Tokenizer& source() const { return *source_; }
  const text::Tokenizer& target() const { return *target_; }
  data::Batcher batches() const {
    const data::TokenStore store = data::open_tokens({.corpus = {.source = path("source"), .target = path("target")},
                                                      .reading = {},
                                                      .filters = {},
                                                      .source = source_.get(),
                                                      .target = target_.get(),
                                                      .keep_text = false,
                                                      .cache_folder = folder_});
    data::BatchOptions batches;
    batches.plan.size = options_.sentences;
    return {{{store}}, {source_.get(), target_.get()}, batches};
  }

 private:
  std::string path(const std::string& side) const { return folder_ + "/" + side; }
  void write(const std::string& side) const {
    std::ofstream file(path(side));
    Random random(1, side.size());
    for (int line = 0; line < 10'000; ++line) {
      const std::uint64_t words = 4 + random.below(21);
      for (std::uint64_t i = 0; i < words; ++i)
        file << (i > 0 ? " w" : "w") << random.below(static_cast<std::uint64_t>(options_.vocabulary));
      file << '\n';
    }
  }
  std::unique_ptr<text::Tokenizer> vocabulary(const std::string& side) const {
    std::ifstream file(path(side));
    return text::build_words([&](std::string& line) { return static_cast<bool>(std::getline(file, line)); },
                             {.language = text::Language::tokenized}, {});
  }

  BenchOptions options_;
  std::string folder_ = (std::filesystem::temp_directory_path() / fmt::format("bench-train-{}", getpid())).string();
  std::unique_ptr<text::Tokenizer> source_, target_;
};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TranslationTask make_task(const std::string& preset, const RandomCorpus& corpus) {
  models::ModelConfig config = models::preset(preset);
  config.source_vocabulary = corpus.source().size();
  config.target_vocabulary = corpus.target().size();
  return TranslationTask(config);
}

// Tokens per CPU second of the bare step.
double bare_rate(const std::string& preset, const RandomCorpus& corpus, int updates) {
  TranslationTask task = make_task(preset, corpus);
  nn::Parameters& parameters = task.parameters();
  parameters.allocate(cpu_device(), DType::f32, 1, true);
  const MasterWeights weights(parameters);
  Optimiser optimiser({}, weights);
  Workspace workspace(cpu_device());
  std::vector<data::Batch> ready(static_cast<std::size_t>(updates));
  data::Batcher batches = corpus.batches();
  for (data::Batch& batch : ready) batches.next(batch);
  double tokens = 0, start = 0;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    if (i == 1) start = processor_seconds();
    workspace.reset();
    parameters.gradients().clear();
    Context cx = Context::training(workspace, 1, i + 1);
    const auto labels = static_cast<double>(ready[i].labels.size());
    const Tensor sums = cx.zeros(DType::f64, {3, 1});
    task.learn(cx, ready[i], {}, 1 / labels, {sums.row_view(0, 2)});
    sum_squares(parameters.gradients(), sums.row_view(2, 1));
    optimiser.step(1e-4, i + 1, sums.row_view(2, 1));
    tokens += i > 0 ? labels : 0;
  }
  return tokens / (processor_seconds() - start);
}

// Starts counting at the end of the first update.
class Stopwatch final : public Observer {
 public:
  void on_update(const StepReport& step) override {
    if (step.position.updates == 1) {
      start_ = processor_seconds();
      return;
    }
    tokens_ += static_cast<double>(step.sums.tokens);
    rate = tokens_ / (processor_seconds() - start_);
  }
  double rate = 0;

 private:
  double start_ = 0, tokens_ = 0;
};

double trainer_rate(const std::string& preset, const RandomCorpus& corpus, int updates) {
  TranslationTask task = make_task(preset, corpus);
  task.parameters().allocate(cpu_device(), DType::f32, 1, true);
  TrainOptions options;
  options.output = corpus.folder() + "/run";
  std::filesystem::remove_all(options.output);
  options.until = {std::to_string(updates)};
  options.log = "20u";
  options.checkpoint = "1Mu";
  options.schedule.rate = 1e-4;
  Trainer trainer(options, task, {corpus.batches(), std::nullopt}, {});
  JsonLog log(options.output + "/log.jsonl");
  TensorBoard board(options.output + "/tensorboard");
  Stopwatch watch;
  trainer.add(log);
  trainer.add(board);
  trainer.add(watch);
  trainer.train([] { return false; });
  return watch.rate;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The first of 8 processes, whose link passes on so many bytes per second. The others compute as fast as this one.
class SimulatedLink final : public comm::Communicator {
 public:
  SimulatedLink() : Communicator(0, 8) {}

  const char* name() const override { return "simulated"; }
  std::string describe(int) const override { return "a simulated process"; }
  void reduce_scatter(const comm::Parted& tensor, comm::Wire, bool) override {
    const auto bytes = static_cast<double>(tensor.whole.bytes()) * (size() - 1) / size();
    std::this_thread::sleep_for(std::chrono::duration<double>(bytes / bandwidth));
  }
  void all_gather(const comm::Parted&) override {}
  void all_reduce(const Tensor&) override {}
  void broadcast(const Tensor&, int) override {}
  std::vector<std::string> exchange(const std::string& bytes) override {
    return std::vector<std::string>(static_cast<std::size_t>(size()), bytes);
  }
  void report_failure(const std::string&) override {}

  double bandwidth = std::numeric_limits<double>::infinity();
};

// The gradients of updates with about as many buckets as transformer-base has with 32,000 words.
class LinkedUpdates {
 public:
  LinkedUpdates(const std::string& preset, const RandomCorpus& corpus)
      : task_(make_task(preset, corpus)), batches_(corpus.batches()) {
    task_.parameters().allocate(cpu_device(), DType::f32, 1, true);
    const Size count = task_.parameters().weights().count();
    sharding_.emplace(count, Team{.comm = link_, .parts = link_.size(), .wire = comm::Wire::f32, .ordered = false},
                      count / 23);
    gradients_.emplace(task_, workspace_, TrainOptions(), *sharding_);
  }
  // To compute gradients, and what sending them takes after that.
  struct Seconds {
    double computing = 0, exposed = 0;
  };
  // Medians of some updates.
  Seconds run(double bandwidth, int updates) {
    link_.bandwidth = bandwidth;
    std::vector<double> computing, exposed;
    for (int i = 0; i < updates; ++i) {
      std::vector<data::Batch> group(1);
      batches_.seek(0, static_cast<std::uint64_t>(i));  // the same for every link
      batches_.next(group[0]);
      const LossTotals totals{losses_.rows(0, 2)};
      const auto begin = std::chrono::steady_clock::now();
      gradients_->accumulate({group, group[0].labels.size(), {&totals, 1}}, {}, [](const std::string&) {});
      exposed.push_back(gradients_->take_times().exposed);
      const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
      computing.push_back(all.count() - exposed.back());
    }
    return {median(computing), median(exposed)};
  }
  double bytes() { return static_cast<double>(task_.parameters().gradients().bytes()) * 7 / 8; }

 private:
  TranslationTask task_;
  data::Batcher batches_;
  SimulatedLink link_;
  Workspace workspace_{cpu_device()};
  Buffer losses_{cpu_device(), DType::f64, 2};
  std::optional<Sharding> sharding_;
  std::optional<GradientAccumulator> gradients_;
};

void run_links(const BenchOptions& options) {
  const RandomCorpus corpus(options);
  fmt::print("milliseconds per update, medians of {}; 'hidden' is the share of the exchange during backward\n",
             options.updates);
  fmt::print("{:<20} {:>10} {:>10} {:>10} {:>8}\n", "preset", "computing", "exchange", "exposed", "hidden");
  for (const std::string& preset : options.presets) {
    LinkedUpdates updates(preset, corpus);
    const double without_link = updates.run(std::numeric_limits<double>::infinity(), options.updates).computing;
    for (const double link : options.links) {
      const double exchange = link * without_link;
      const auto [computing, exposed] = updates.run(updates.bytes() / exchange, options.updates);
      fmt::print("{:<20} {:>10.0f} {:>10.0f} {:>10.0f} {:>7.0f}%\n", preset, 1000 * computing, 1000 * exchange,
                 1000 * exposed, 100 * (1 - exposed / exchange));
      std::fflush(stdout);
    }
  }
}

void run(const BenchOptions& options) {
  threads::set_count(options.threads);
  if (!options.links.empty()) return run_links(options);
  const RandomCorpus corpus(options);
  fmt::print("target tokens per CPU second, median of {} rounds of {} updates\n", options.rounds, options.updates);
  fmt::print("{:<24} {:>12} {:>12} {:>8}\n", "preset", "bare step", "trainer", "ratio");
  for (const std::string& preset : options.presets) {
    std::vector<double> bare, trainer, ratio;
    for (int round = 0; round < options.rounds; ++round) {
      bare.push_back(bare_rate(preset, corpus, options.updates));
      trainer.push_back(trainer_rate(preset, corpus, options.updates));
      ratio.push_back(trainer.back() / bare.back());
    }
    fmt::print("{:<24} {:>12.0f} {:>12.0f} {:>8.3f}\n", preset, median(bare), median(trainer), median(ratio));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace dragoman::train

int main(int argc, char** argv) {
  using namespace dragoman;
  train::BenchOptions options;
  CLI::App app("The overhead of the trainer over the bare step");
  app.add_option("--preset", options.presets, "models to measure");
  app.add_option("--links", options.links, "hidden exchange: its time, as shares of the time to compute");
  app.add_option("--sentences", options.sentences, "sentences per batch")->check(CLI::PositiveNumber);
  app.add_option("--vocabulary", options.vocabulary, "words of either side")->check(CLI::PositiveNumber);
  app.add_option("--updates", options.updates, "updates per round")->check(CLI::Range(2, 1'000'000));
  app.add_option("--rounds", options.rounds, "rounds to take the median of")->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "threads to use (0: one per core)");
  CLI11_PARSE(app, argc, argv);
  try {
    train::run(options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
