#include "run/evaluation.h"

#include <algorithm>

#include "base/counted.h"
#include "base/join.h"
#include "base/log.h"
#include "data/text_file.h"

namespace dragoman::run {
namespace {

using eval::Lines;

[[noreturn]] void fail_unknown(const char* what, const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  fail("--{}: '{}' is not one of {}{}", what, word, join(known, ", "),
       near.empty() ? "" : "; did you mean " + near + "?");
}

std::vector<std::unique_ptr<eval::Metric>> make_metrics(const EvaluationOptions& options) {
  std::vector<std::unique_ptr<eval::Metric>> metrics;
  const auto add = [&metrics](std::unique_ptr<eval::Metric> metric) {
    const auto same = [&](const auto& other) { return other->key() == metric->key(); };
    if (std::none_of(metrics.begin(), metrics.end(), same)) metrics.push_back(std::move(metric));
  };
  eval::ChrfOptions plus_plus = options.chrf;
  plus_plus.word_order = 2;
  for (const std::string& name : split_list(options.metrics)) {
    if (name == "bleu") {
      add(std::make_unique<eval::Bleu>(options.bleu));
    } else if (name == "chrf") {
      add(std::make_unique<eval::Chrf>(options.chrf));
      add(std::make_unique<eval::Chrf>(plus_plus));
    } else if (name == "chrfpp" || name == "chrf++") {
      add(std::make_unique<eval::Chrf>(plus_plus));
    } else if (name == "ter") {
      add(std::make_unique<eval::Ter>(options.ter));
    } else if (name == "nltk-bleu") {
      add(std::make_unique<eval::NltkBleu>());
    } else if (name == "multi-bleu") {
      add(std::make_unique<eval::MultiBleu>(options.multi_bleu));
    } else {
      fail_unknown("metrics", name, metric_names());
    }
  }
  check(!metrics.empty(), "--metrics: expected at least one metric");
  return metrics;
}

void warn_if_tokenized(const std::string& path, const Lines& lines) {
  constexpr std::ptrdiff_t kMany = 100;
  const auto ends = std::count_if(lines.begin(), lines.end(), [](const std::string& l) { return l.ends_with(" ."); });
  if (ends < kMany) return;
  log::warning("{}: {} lines end in ' .'; scores of tokenised text are not comparable with those of plain text", path,
               ends);
}

void test_against_first(const EvaluationOptions& options, Evaluation& evaluation) {
  const bool several = evaluation.systems.size() > 1;
  if (!several && !options.confidence) return;
  const bool bootstrap = options.test == SignificanceTest::both || options.test == SignificanceTest::bootstrap;
  const bool randomization = options.test == SignificanceTest::both || options.test == SignificanceTest::randomization;
  for (std::size_t m = 0; m < evaluation.metrics.size(); ++m) {
    const eval::Metric& metric = *evaluation.metrics[m];
    const SystemScore& first = evaluation.systems[0].scores[m];
    std::vector<double> first_scores;
    for (SystemResult& system : evaluation.systems) {
      SystemScore& score = system.scores[m];
      const bool is_first = &score == &first;
      if (bootstrap || options.confidence) {
        const auto scores = eval::bootstrap_scores(metric, score.statistics, options.resamples, options.seed);
        score.confidence = eval::confidence(scores);
        if (is_first) {
          first_scores = scores;
        } else if (bootstrap) {
          score.p_bootstrap = eval::paired_bootstrap(first_scores, scores, score.score - first.score);
        }
      }
      if (randomization && !is_first)
        score.p_randomization =
            eval::approximate_randomization(metric, first.statistics, score.statistics, options.trials, options.seed);
    }
  }
}

void cut_slices(const EvaluationOptions& options, const Lines& references, const std::vector<Lines>& outputs,
                Evaluation& evaluation) {
  for (const std::string& name : split_list(options.slices)) {
    if (name == "length") {
      evaluation.slices.push_back({name, eval::slices_by_length(references, options.bleu.tokenizer)});
    } else if (name == "rare") {
      check(!options.train.empty(), "--slices rare needs --train FILE, the training text of the target side");
      eval::WordFrequencies frequencies(options.bleu.tokenizer);
      data::for_each_line(options.train, [&](std::string_view line) { frequencies.add(line); });
      evaluation.slices.push_back({name, eval::slices_by_rarest_word(references, frequencies, options.bleu.tokenizer)});
      for (std::size_t s = 0; s < outputs.size(); ++s)
        evaluation.systems[s].word_classes =
            eval::word_classes(outputs[s], references, frequencies, options.bleu.tokenizer);
    } else {
      fail_unknown("slices", name, {"length", "rare"});
    }
  }
}

}  // namespace

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = {"bleu", "chrf", "chrfpp", "ter", "nltk-bleu", "multi-bleu"};
  return names;
}

bool EvaluationOptions::measures(const std::string& metric) const {
  const std::vector<std::string> names = split_list(metrics);
  return std::find(names.begin(), names.end(), metric) != names.end();
}

Evaluation evaluate_files(const EvaluationOptions& options, const std::string& output,
                          const std::vector<std::string>& reference_files) {
  check(!reference_files.empty(), "expected at least one reference");
  std::vector<Lines> references, outputs;
  for (const std::string& path : reference_files) references.push_back(data::read_lines(path));
  std::vector<std::string> output_paths = {output};
  output_paths.insert(output_paths.end(), options.systems.begin(), options.systems.end());

  Evaluation evaluation;
  evaluation.metrics = make_metrics(options);
  evaluation.references = references.size();
  evaluation.sentences = references[0].size();
  evaluation.digits = options.digits;
  for (const std::string& path : output_paths) {
    outputs.push_back(data::read_lines(path));
    for (std::size_t r = 0; r < references.size(); ++r)
      data::check_parallel(path, outputs.back(), reference_files[r], references[r]);
    if (!options.force && options.bleu.tokenizer != eval::BleuTokenizer::none) warn_if_tokenized(path, outputs.back());
    SystemResult& system = evaluation.systems.emplace_back();
    system.path = path;
    for (const auto& metric : evaluation.metrics) {
      eval::Statistics statistics = eval::count_all(*metric, outputs.back(), references);
      const std::vector<double> sums = statistics.sum();
      system.scores.push_back({std::move(statistics), sums, metric->score(sums), {}, {}, {}});
    }
  }
  test_against_first(options, evaluation);
  cut_slices(options, references[0], outputs, evaluation);
  return evaluation;
}

AlignmentEvaluation evaluate_alignments(const AlignmentFiles& files) {
  const auto links = eval::read_links(files.links, files.links_format);
  const auto gold = eval::read_links(files.gold, files.gold_format);
  check(links.size() == gold.size(), "{} has {} but {} has {}: {}:{} is the first line without a partner", files.links,
        counted(links.size(), "line"), files.gold, gold.size(), links.size() > gold.size() ? files.links : files.gold,
        std::min(links.size(), gold.size()) + 1);
  return {links.size(), eval::compare_links(links, gold)};
}

}  // namespace dragoman::run
