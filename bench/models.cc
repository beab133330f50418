// Target tokens per second of a preset in training and in decoding, with random words in sentences of given lengths.
//
//   bench_models --preset lstm-luong transformer-small --batch 10 --lengths equal:14
//   bench_models --preset transformer-base --batch 32 --lengths FILE      lines of "SOURCE_LENGTH TARGET_LENGTH"
//
// A training step clears the gradients, encodes, decodes, computes the loss, runs backward, clips and updates with
// Adam. A greedy step appends one word to every sentence of a batch. bench/peers/models.py measures the same in
// PyTorch.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "bench/kernel_choice.h"
#include "models/embedding.h"
#include "models/families.h"
#include "models/presets.h"
#include "models/seq2seq.h"
#include "tensor/placement.h"

namespace dragoman::models {
namespace {

struct BenchOptions {
  std::vector<std::string> presets;
  std::vector<std::string> modes = {"train", "greedy"};
  std::string lengths = "equal:25";
  std::string device = "cpu", precision = "f32", kernel;
  std::vector<std::string> settings;
  int batch = 10, vocabulary = 8000, steps = 7, threads = 0;
};

PlacementOptions placement(const BenchOptions& options) {
  PlacementOptions where{.device = options.device};
  Settings(where).read_yaml("precision: " + options.precision, "--precision");
  return where;
}

struct Side {
  std::vector<std::int32_t> tokens, offsets{0};

  void add(int length, int vocabulary, Random& random) {
    for (int i = 0; i < length; ++i)
      tokens.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocabulary))));
    offsets.push_back(static_cast<std::int32_t>(tokens.size()));
  }
  Packed packed(const Context& cx) const { return Packed::from_host(cx, tokens, offsets); }
  Size sentences() const { return std::ssize(offsets) - 1; }
  Size total() const { return std::ssize(tokens); }
  Size longest() const {
    Size most = 0;
    for (std::size_t i = 1; i < offsets.size(); ++i) most = std::max<Size>(most, offsets[i] - offsets[i - 1]);
    return most;
  }
};

struct Pairs {
  Side source, target;
};

// One batch per step: the next `batch` lines of the file, which starts over at its end.
std::vector<Pairs> make_batches(const BenchOptions& options) {
  std::vector<std::pair<int, int>> lengths;
  if (options.lengths.starts_with("equal:")) {
    const int length = std::atoi(options.lengths.c_str() + 6);
    check(length > 0, "--lengths {}: expected a number above 0 after 'equal:'", options.lengths);
    lengths.emplace_back(length, length);
  } else {
    std::ifstream file(options.lengths);
    for (int source = 0, target = 0; file >> source >> target;) lengths.emplace_back(source, target);
    check(!lengths.empty(), "{}: expected lines of a source and a target length", options.lengths);
  }
  Random random(1);
  std::vector<Pairs> batches(static_cast<std::size_t>(options.steps));
  std::size_t next = 0;
  for (Pairs& pairs : batches)
    for (int i = 0; i < options.batch; ++i, ++next) {
      const auto [source, target] = lengths[next % lengths.size()];
      pairs.source.add(source, options.vocabulary, random);
      pairs.target.add(target, options.vocabulary, random);
    }
  return batches;
}

class Training {
 public:
  explicit Training(Seq2seq& model)
      : model_(model),
        workspace_(model.parameters().weights().device()),
        kept_(workspace_.device),
        moments_{zeros(), zeros()} {}

  void step(const Pairs& pairs) {
    workspace_.reset();
    const Tensor weights = model_.parameters().weights(), gradients = model_.parameters().gradients();
    gradients.clear();
    Context cx = Context::training(workspace_, 1, static_cast<std::uint64_t>(++steps_));
    const Memory memory = model_.encode(cx, pairs.source.packed(cx));
    State state = model_.start(cx, memory, false);
    const Packed target = pairs.target.packed(cx);
    const Decoded decoded = model_.decode(cx, target, memory, state);
    model_.loss(cx, decoded.features, target.tokens,
                {.smoothing = 0.1, .gradient_scale = 1 / static_cast<double>(pairs.target.total())});
    cx.backward();
    const Tensor squares = cx.empty(DType::f64, {1});
    sum_squares(gradients, squares);
    adam_step(weights, gradients, moments_, {}, 1e-4, steps_, {squares, 4.0}, model_.parameters().copy());
  }

 private:
  Tensor zeros() { return Context(kept_).zeros(DType::f32, model_.parameters().weights().shape()); }

  Seq2seq& model_;
  Workspace workspace_, kept_;
  AdamMoments moments_;
  Size steps_ = 0;
};

// Target tokens per second of each step: by wall-clock time, and by the CPU time of all threads, which other programs
// on the machine disturb less.
struct Rates {
  std::vector<double> wall, processor;
};

class Clock {
 public:
  void stop(Size tokens, Rates& rates) const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
    const double worked = static_cast<double>(std::clock() - worked_before_) / CLOCKS_PER_SEC;
    rates.wall.push_back(static_cast<double>(tokens) / wall.count());
    rates.processor.push_back(static_cast<double>(tokens) / worked);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t worked_before_ = std::clock();
};

// One warm-up step, then one step per batch. On a GPU, steps are launched without waiting for the previous one, so all
// batches are timed together, three times, of which the first is a warm-up. `step` returns the number of tokens to
// count.
template <class Step>
Rates time_steps(const Device& device, const std::vector<Pairs>& batches, Step&& step) {
  Rates warm_up, rates;
  if (device.on_host()) {
    step(batches.front());
    for (const Pairs& pairs : batches) {
      const Clock clock;
      const Size tokens = step(pairs);
      clock.stop(tokens, rates);
    }
    return rates;
  }
  for (int round = 0; round < 4; ++round) {
    Size tokens = 0;
    const Clock clock;
    for (const Pairs& pairs : batches) tokens += step(pairs);
    device.wait();
    clock.stop(tokens, round == 0 ? warm_up : rates);
  }
  return rates;
}

Rates train_rates(Seq2seq& model, const std::vector<Pairs>& batches) {
  Training training(model);
  return time_steps(model.parameters().weights().device(), batches, [&](const Pairs& pairs) {
    training.step(pairs);
    return pairs.target.total();
  });
}

// The best word after each row of features.
void choose(Context& cx, const Seq2seq& model, const Tensor& features, std::vector<std::int32_t>& words) {
  words = model.best_words(cx, features, 1).columns.to_host<std::int32_t>();
}

// Every sentence gets as many words as the longest target has; the time to encode the source is not counted.
void greedy(const Seq2seq& model, const Pairs& pairs, Workspace& workspace, Rates& rates) {
  workspace.reset();
  Context cx(workspace);
  const Memory memory = model.encode(cx, pairs.source.packed(cx));
  const Size sentences = pairs.source.sentences(), steps = pairs.target.longest();
  std::vector<std::int32_t> words(static_cast<std::size_t>(sentences), 1), offsets;
  for (Size s = 0; s <= sentences; ++s) offsets.push_back(static_cast<std::int32_t>(s));
  const Clock clock;
  State state = model.start(cx, memory, true);
  for (Size step = 0; step < steps; ++step)
    choose(cx, model, model.decode(cx, Packed::from_host(cx, words, offsets), memory, state).features, words);
  clock.stop(sentences * steps, rates);
}

Rates greedy_rates(const Seq2seq& model, const std::vector<Pairs>& batches) {
  Workspace workspace(model.parameters().weights().device());
  Rates warm_up, rates;
  greedy(model, batches.front(), workspace, warm_up);
  for (const Pairs& pairs : batches) greedy(model, pairs, workspace, rates);
  return rates;
}

// Source tokens per second of the encoder alone.
Rates encode_rates(const ModelConfig& config, const Device& device, DType type, const std::vector<Pairs>& batches) {
  nn::Parameters list;
  const std::unique_ptr<Encoder> encoder =
      family_of(config).make_encoder(list, config, WordEmbedding::of_source(list, config));
  list.allocate(device, type, 1, false);
  Workspace workspace(device);
  return time_steps(device, batches, [&](const Pairs& pairs) {
    workspace.reset();
    Context cx(workspace);
    encoder->encode(cx, pairs.source.packed(cx));
    return pairs.source.total();
  });
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void run(const BenchOptions& options) {
  threads::set_count(options.threads);
  if (!options.kernel.empty()) bench::choose_kernel(WeightFormat::bf16, options.kernel);
  const std::vector<Pairs> batches = make_batches(options);
  fmt::print("{:<44} {:<8} {:>12} {:>26}\n", "preset", "what", "tokens/s", "per processor second");
  for (const std::string& name : options.presets) {
    ModelConfig config = preset(name);
    config.source_vocabulary = config.target_vocabulary = options.vocabulary;
    for (const std::string& setting : options.settings) Settings(config).read_yaml(setting, "--setting");
    for (const std::string& mode : options.modes) {
      const Placement where = find_placement(placement(options), mode == "train" ? Use::training : Use::inference);
      const PrecisionScope precision(where);
      const auto model_rates = [&] {
        Seq2seq model(config);
        model.parameters().allocate(where.device, where.type, 1, mode == "train");
        if (mode == "train") return train_rates(model, batches);
        model.parameters().pack(where.weights);
        return greedy_rates(model, batches);
      };
      const Rates rates = mode == "encode" ? encode_rates(config, where.device, where.type, batches) : model_rates();
      fmt::print("{:<44} {:<8} {:>12.1f} {:>26.1f}\n", name, mode, median(rates.wall), median(rates.processor));
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace dragoman::models

int main(int argc, char** argv) {
  using namespace dragoman;
  models::BenchOptions options;
  options.presets = models::preset_names();
  CLI::App app("Target tokens per second of training and greedy decoding: the median of all steps");
  app.add_option("--preset", options.presets, "models to measure (default: all)");
  app.add_option("--mode", options.modes, "what to measure")->check(CLI::IsMember({"train", "greedy", "encode"}));
  app.add_option("--lengths", options.lengths, "equal:N, or a file of lines \"SOURCE_LENGTH TARGET_LENGTH\"");
  app.add_option("--batch", options.batch, "sentences per step")->check(CLI::PositiveNumber);
  app.add_option("--vocabulary", options.vocabulary, "words of either side")->check(CLI::PositiveNumber);
  app.add_option("--steps", options.steps, "steps to measure")->check(CLI::PositiveNumber);
  app.add_option("--setting", options.settings, "settings of the model as YAML: {recurrent: {decoder-layers: 2}}");
  app.add_option("--device", options.device, "cpu, cuda, cuda:N or auto");
  app.add_option("--precision", options.precision, "number format")
      ->check(CLI::IsMember({"f32", "tf32", "bf16", "int8"}));
  app.add_option("--kernel", options.kernel,
                 "kernel for bf16, and with that of AMX for f32: one that this CPU supports (default: the best)");
  app.add_option("--threads", options.threads, "threads to use (0: one per core)");
  CLI11_PARSE(app, argc, argv);
  try {
    models::run(options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
