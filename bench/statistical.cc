// Trains a statistical system, translates a file with it and prints the speed.
//   bench_statistical train MODEL [SETTINGS...]         settings as in configs/smt-*.yaml, and --train-source and so on
//   bench_statistical tune MODEL SOURCE TARGET NEW-MODEL [SETTINGS...]
//   bench_statistical translate MODEL INPUT OUTPUT [SETTINGS...]
//   bench_statistical queries MODEL TEXT                speed of the language model, perplexity of target text
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>

#include "base/log.h"
#include "base/progress.h"
#include "base/threads.h"
#include "data/text_file.h"
#include "data/words.h"
#include "search/engine/statistical_engine.h"

namespace dragoman {
namespace {

using Arguments = std::vector<std::string>;

struct TrainSettings {
  smt::PhraseSystemConfig system;
  std::vector<std::string> source_files, target_files, valid_source, valid_target;

  template <class V>
  void visit(V& v) {
    v("train-source", source_files, "files of source sentences to train on");
    v("train-target", target_files, "files of their translations");
    v("valid-source", valid_source, "files of source sentences to tune on");
    v("valid-target", valid_target, "files of their translations");
    v.group("statistical", system);
  }
};

std::vector<data::Corpus> corpora(const Arguments& source, const Arguments& target) {
  check(source.size() == target.size(), "expected as many source files as target files");
  std::vector<data::Corpus> all;
  for (std::size_t i = 0; i < source.size(); ++i) all.push_back({.source = source[i], .target = target[i]});
  return all;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int train(const std::string& model, const Arguments& arguments) {
  TrainSettings options;
  Settings(options).parse(arguments);
  const auto start = std::chrono::steady_clock::now();
  const smt::PhraseSystem system =
      smt::PhraseSystem::train(options.system, {.corpora = corpora(options.source_files, options.target_files),
                                                .development = corpora(options.valid_source, options.valid_target)});
  search::save_statistical(model, system);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  fmt::print("{}", smt::weights_to_text(system.weights()));
  fmt::print("BLEU on the development set {:.2f}\n{:.0f} s, {:.0f} s of CPU time, at most {:.0f} MiB\n",
             system.tuned_score(), wall.count(), processor_seconds(), peak_mebibytes());
  return 0;
}

smt::PhraseSystem load_adjusted(const std::string& model, const Arguments& settings) {
  smt::PhraseSystem system = search::load_statistical(model);
  smt::PhraseSystemConfig config = system.config();
  Settings(config).parse(settings);
  system.adjust(config);
  return system;
}

int tune(const Arguments& files, const Arguments& settings) {
  smt::PhraseSystem system = load_adjusted(files[0], settings);
  system.tune(corpora({files[1]}, {files[2]}));
  search::save_statistical(files[3], system);
  fmt::print("{}BLEU on the development set {:.2f}, {:.0f} s of CPU time\n", smt::weights_to_text(system.weights()),
             system.tuned_score(), processor_seconds());
  return 0;
}

int translate(const std::string& model, const std::string& input, const std::string& output,
              const Arguments& arguments) {
  const double begin = processor_seconds();
  const smt::PhraseSystem system = load_adjusted(model, arguments);
  const double loaded = processor_seconds();
  const std::vector<std::string> lines = data::read_lines(input);
  std::vector<std::string> translations(lines.size());
  std::vector<std::size_t> words(lines.size());
  std::vector<double> scores(lines.size());
  Progress progress("translating", static_cast<std::int64_t>(lines.size()));
  threads::each(static_cast<std::int64_t>(lines.size()), [&](std::int64_t at) {
    const auto i = static_cast<std::size_t>(at);
    words[i] = system.source_words(lines[i]).size();
    const auto best = system.translate(lines[i])[0];
    translations[i] = best.text;
    scores[i] = best.score;
    progress.advance();
  });
  std::ofstream file(output);
  std::size_t total = 0;
  double score = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    file << translations[i] << '\n';
    total += words[i];
    score += scores[i];
  }
  const double seconds = processor_seconds() - loaded;
  fmt::print(
      "loaded in {:.1f} s; {} words in {:.1f} s of CPU time, {:.0f} words per second and core; mean score "
      "{:.4f}; at most {:.0f} MiB\n",
      loaded - begin, total, seconds, static_cast<double>(total) / seconds, score / static_cast<double>(lines.size()),
      peak_mebibytes());
  return 0;
}

int queries(const std::string& path, const std::string& text) {
  const smt::PhraseSystem system = search::load_statistical(path);
  const smt::NgramModel& model = *system.language_model();
  std::vector<std::vector<std::uint32_t>> sentences;
  for (const std::string& line : data::read_lines(text)) sentences.push_back(system.target_ids(line));
  double best = 0, log10 = 0, words = 0;
  for (int pass = 0; pass < 5; ++pass) {
    log10 = words = 0;
    const double begin = processor_seconds();
    smt::NgramState next;
    for (const auto& sentence : sentences) {
      smt::NgramState state = model.begin();
      for (const std::uint32_t word : sentence) {
        log10 += model.score(state, word, next);
        state = next;
      }
      log10 += model.score(state, smt::kSentenceEnd, next);
      words += static_cast<double>(sentence.size()) + 1;
    }
    best = std::max(best, words / (processor_seconds() - begin));
  }
  fmt::print("{:.0f} queries per millisecond (best of 5), perplexity {:.2f} of {} words and sentence ends\n",
             best / 1000, std::pow(10, -log10 / words), words);
  return 0;
}

int run(const Arguments& words) {
  if (words.size() >= 2 && words[0] == "train") return train(words[1], {words.begin() + 2, words.end()});
  if (words.size() >= 5 && words[0] == "tune")
    return tune({words.begin() + 1, words.begin() + 5}, {words.begin() + 5, words.end()});
  if (words.size() >= 4 && words[0] == "translate")
    return translate(words[1], words[2], words[3], {words.begin() + 4, words.end()});
  if (words.size() == 3 && words[0] == "queries") return queries(words[1], words[2]);
  fail("expected train MODEL, tune MODEL SOURCE TARGET NEW-MODEL, translate MODEL INPUT OUTPUT or queries MODEL TEXT");
}

}  // namespace
}  // namespace dragoman

int main(int count, char** words) {
  try {
    return dragoman::run({words + 1, words + count});
  } catch (const dragoman::Error& error) {
    dragoman::log::error("{}", error.what());
    return 1;
  }
}
