// Target tokens per second of the translator, with random weights and words.
//
//   bench_search --preset transformer-base --vocabulary 32000 --sentences 200 --length 25 --beam 4 --batch 32
//
// Every sentence and every translation has `length` words. --batch 1 translates one sentence after the other, which
// measures latency. bench/peers/search.py does the same with CTranslate2.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>

#include "base/threads.h"
#include "bench/clock.h"
#include "bench/kernel_choice.h"
#include "models/presets.h"
#include "search/engine/neural_engine.h"
#include "search/engine/text_translator.h"
#include "text/build.h"

namespace dragoman::search {
namespace {

struct BenchOptions {
  std::string preset = "transformer-base", kernel;
  int vocabulary = 32000, sentences = 200, length = 25, beam = 4, threads = 0, rounds = 3, shortlist = 0;
  std::vector<int> batches = {0}, workers = {0};
  PlacementOptions where{.device = "cpu"};
};

std::string word(std::uint64_t number) { return fmt::format("w{}", number); }

// A tokenizer with one made-up word per id, so that the length of a sentence in tokens is known.
std::string make_tokenizer(int vocabulary) {
  int next = 4;
  const auto tokenizer = text::build_words(
      [&](std::string& line) {
        if (next >= vocabulary) return false;
        line = word(static_cast<std::uint64_t>(next++));
        return true;
      },
      {}, {});
  check(tokenizer->size() == vocabulary, "expected {} words but made {}", vocabulary, tokenizer->size());
  return tokenizer->serialize();
}

// A shortlist of random words, and the first hundred as frequent ones.
align::Shortlist make_shortlist(int vocabulary, int best) {
  Random random(2);
  std::vector<std::int32_t> frequent, begins{0}, targets;
  for (std::int32_t id = 0; id < std::min(vocabulary, 100); ++id) frequent.push_back(id);
  for (int source = 0; source < vocabulary; ++source) {
    for (int i = 0; i < best; ++i)
      targets.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocabulary))));
    begins.push_back(static_cast<std::int32_t>(targets.size()));
  }
  return {{vocabulary, vocabulary}, std::move(frequent), std::move(begins), std::move(targets)};
}

store::ModelInfo make_info(const BenchOptions& options) {
  store::ModelInfo info;
  info.config = models::preset(options.preset);
  info.config.source_vocabulary = info.config.target_vocabulary = options.vocabulary;
  info.source_tokenizer = info.target_tokenizer = make_tokenizer(options.vocabulary);
  if (options.shortlist > 0) info.shortlist = make_shortlist(options.vocabulary, options.shortlist);
  return info;
}

std::vector<Request> make_sentences(const BenchOptions& options) {
  Random random(1);
  std::vector<Request> requests(static_cast<std::size_t>(options.sentences));
  for (Request& request : requests)
    for (int i = 0; i < options.length; ++i)
      request.text += (i > 0 ? " " : "") + word(4 + random.below(static_cast<std::uint64_t>(options.vocabulary) - 4));
  return requests;
}

void measure(const BenchOptions& options, int batch, int workers, std::unique_ptr<Model> model) {
  TranslatorOptions translator_options;
  translator_options.batch = batch;
  translator_options.workers = workers;
  std::vector<std::unique_ptr<Model>> models;
  models.push_back(std::move(model));
  TextTranslator translator(std::make_unique<NeuralEngine>(std::move(models), translator_options), translator_options);
  const std::vector<Request> requests = make_sentences(options);
  SearchOptions search;
  search.beam = options.beam;
  search.min_length = search.max_length = options.length;
  const auto translate = [&] {
    std::size_t tokens = 0;
    const auto count = [&](const std::vector<TranslationResult>& results) {
      for (const TranslationResult& result : results) tokens += result.translations.at(0).tokens.size();
    };
    if (batch != 1) {
      count(translator.translate(requests, search));
    } else {
      for (const Request& request : requests) count(translator.translate({request}, search));
    }
    return tokens;
  };
  translate();
  std::vector<double> rates;
  for (int round = 0; round < options.rounds; ++round) {
    std::size_t tokens = 0;
    const double time = bench::seconds([&] { tokens = translate(); });
    rates.push_back(static_cast<double>(tokens) / time);
  }
  std::sort(rates.begin(), rates.end());
  fmt::print("{} beam {} batch {}{}{} tokens/s {:.1f}\n", options.preset, options.beam, batch,
             workers > 0 ? fmt::format(" workers {}", workers) : "",
             options.shortlist > 0 ? fmt::format(" shortlist {}", options.shortlist) : "", rates[rates.size() / 2]);
  std::fflush(stdout);
}

void run(const BenchOptions& options) {
  threads::set_count(options.threads);
  if (!options.kernel.empty()) bench::choose_kernel(WeightFormat::int8, options.kernel);
  const Placement where = find_placement(options.where);
  const store::ModelInfo info = make_info(options);
  models::Seq2seq network(info.config);
  network.parameters().allocate(where.device, where.type, 1, false);
  for (const int batch : options.batches)
    for (const int workers : options.workers)
      measure(options, batch, workers,
              std::make_unique<Model>(info, network.parameters(), options.preset, where.weights));
}

}  // namespace
}  // namespace dragoman::search

int main(int argc, char** argv) {
  using namespace dragoman;
  search::BenchOptions options;
  CLI::App app("Target tokens per second of translation, the median of all rounds");
  app.add_option("--preset", options.preset, "the model");
  app.add_option("--vocabulary", options.vocabulary, "words in each vocabulary")->check(CLI::Range(8, 1000000));
  app.add_option("--sentences", options.sentences, "sentences to translate")->check(CLI::PositiveNumber);
  app.add_option("--length", options.length, "words of a sentence and of its translation")->check(CLI::PositiveNumber);
  app.add_option("--beam", options.beam, "beam width")->check(CLI::PositiveNumber);
  app.add_option("--batch", options.batches, "sentences per batch of a worker; 0: the default, 1: one after the other");
  app.add_option("--threads", options.threads, "threads to use (0: one per core)");
  app.add_option("--workers", options.workers, "workers, each with its own batch (0: one per thread, four for a GPU)");
  app.add_option("--device", options.where.device, "cpu, cuda, cuda:N or auto; a GPU computes in bf16");
  app.add_option("--precision", options.where.precision, "f32, bf16 or int8 on the CPU")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Precision>{
          {"f32", Precision::f32}, {"bf16", Precision::bf16}, {"int8", Precision::int8}}));
  app.add_option("--kernel", options.kernel,
                 "kernel for int8: one of those that this CPU supports (default: the best)");
  app.add_option("--shortlist", options.shortlist,
                 "words of a shortlist for each source word, beside 100 for all; 0: none")
      ->check(CLI::Range(0, 1000));
  app.add_option("--rounds", options.rounds, "how often to translate all sentences")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    search::run(options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
