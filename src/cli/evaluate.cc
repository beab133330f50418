#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/join.h"
#include "base/log.h"
#include "cli/command.h"
#include "data/text_file.h"
#include "eval/alignment_error.h"
#include "eval/bleu.h"
#include "eval/chrf.h"
#include "eval/ter.h"
#include "run/evaluation_report.h"

namespace dragoman::cli {

enum class SignificanceTest { both, bootstrap, randomization, none };

}  // namespace dragoman::cli

namespace dragoman {
template <>
struct EnumNames<cli::SignificanceTest> {
  static constexpr std::pair<cli::SignificanceTest, const char*> list[] = {
      {cli::SignificanceTest::both, "both"},
      {cli::SignificanceTest::bootstrap, "bootstrap"},
      {cli::SignificanceTest::randomization, "randomization"},
      {cli::SignificanceTest::none, "none"},
  };
};
}  // namespace dragoman

namespace dragoman::cli {
namespace {

using eval::Lines;

struct EvaluateOptions {
  std::vector<std::string> metrics = {"bleu", "chrf", "ter"};
  std::vector<std::string> systems;
  bool json = false;
  bool sentence = false;
  std::vector<std::string> slices;
  std::string train;
  bool confidence = false;
  SignificanceTest test = SignificanceTest::both;
  int resamples = 1000;
  int trials = 10000;
  std::uint32_t seed = 12345;
  int digits = 2;
  bool force = false;
  std::string aer;
  int links_from = 0;
  int gold_from = 1;
  bool swap_links = false;
  eval::BleuOptions bleu;
  eval::ChrfOptions chrf;
  eval::TerOptions ter;
  eval::MultiBleuOptions multi_bleu;

  template <class V>
  void visit(V& v) {
    v("metrics", metrics, "of bleu, chrf (chrF and chrF++), chrfpp, ter, nltk-bleu, multi-bleu; commas between them");
    v("systems", systems, "another system's output, compared with HYP; may be given again");
    v("json", json, "print JSON");
    v("sentence", sentence, "print the scores of every sentence, columns separated by tabs");
    v("slices", slices, "also score parts of the test set: length, rare (by the rarest word; needs --train)");
    v("train", train, "training text of the target side; tells which words are rare");
    v("confidence", confidence, "give 95 % confidence intervals for a single system too");
    v("test", test, "how differences between systems are tested");
    v("resamples", resamples, "bootstrap resamples", between(2, 1e6));
    v("trials", trials, "trials of approximate randomization", between(1, 1e7));
    v("seed", seed, "of the random numbers of both tests");
    v("digits", digits, "digits behind the point", between(0, 15));
    v("force", force, "do not warn about text that looks tokenised");
    v("aer", aer, "HYP holds word alignments: score them against this gold alignment");
    v("links-from", links_from, "number of the first word in HYP's links", between(0, 1));
    v("gold-from", gold_from, "number of the first word in the gold alignment's links", between(0, 1));
    v("swap-links", swap_links, "HYP's links have their sides the other way round than the gold alignment's");
    v.group("bleu", bleu);
    v.group("chrf", chrf);
    v.group("ter", ter);
    v.group("multi-bleu", multi_bleu);
  }
};

// "a,b" and "a" "b" alike.
std::vector<std::string> split_list(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words)
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t end = std::min(word.find(',', begin), word.size());
      if (end > begin) parts.push_back(word.substr(begin, end - begin));
      begin = end + 1;
    }
  return parts;
}

[[noreturn]] void fail_unknown(const char* what, const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  fail("--{}: '{}' is not one of {}{}", what, word, join(known, ", "),
       near.empty() ? "" : "; did you mean " + near + "?");
}

std::vector<std::unique_ptr<eval::Metric>> make_metrics(const EvaluateOptions& options) {
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
      fail_unknown("metrics", name, {"bleu", "chrf", "chrfpp", "ter", "nltk-bleu", "multi-bleu"});
    }
  }
  check(!metrics.empty(), "--metrics: expected at least one metric");
  return metrics;
}

void warn_if_tokenized(const std::string& path, const Lines& lines) {
  constexpr std::ptrdiff_t kMany = 100;
  const auto ends = std::count_if(lines.begin(), lines.end(), [](const std::string& l) { return l.ends_with(" ."); });
  if (ends < kMany) return;
  log::warning("{}: {} lines end in ' .'; scores of tokenised text do not compare with those of plain text", path,
               ends);
}

void test_against_first(const EvaluateOptions& options, run::Evaluation& evaluation) {
  const bool several = evaluation.systems.size() > 1;
  if (!several && !options.confidence) return;
  const bool bootstrap = options.test == SignificanceTest::both || options.test == SignificanceTest::bootstrap;
  const bool randomization = options.test == SignificanceTest::both || options.test == SignificanceTest::randomization;
  for (std::size_t m = 0; m < evaluation.metrics.size(); ++m) {
    const eval::Metric& metric = *evaluation.metrics[m];
    const run::SystemScore& first = evaluation.systems[0].scores[m];
    std::vector<double> first_scores;
    for (run::SystemResult& system : evaluation.systems) {
      run::SystemScore& score = system.scores[m];
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

void cut_slices(const EvaluateOptions& options, const Lines& references, const std::vector<Lines>& outputs,
                run::Evaluation& evaluation) {
  for (const std::string& name : split_list(options.slices)) {
    if (name == "length") {
      evaluation.slices.push_back({name, eval::slices_by_length(references, options.bleu.tokenizer)});
    } else if (name == "rare") {
      check(!options.train.empty(), "--slices rare needs --train FILE, the training text of the target side");
      const eval::WordFrequencies frequencies(data::read_lines(options.train), options.bleu.tokenizer);
      evaluation.slices.push_back({name, eval::slices_by_rarest_word(references, frequencies, options.bleu.tokenizer)});
      for (std::size_t s = 0; s < outputs.size(); ++s)
        evaluation.systems[s].word_classes =
            eval::word_classes(outputs[s], references, frequencies, options.bleu.tokenizer);
    } else {
      fail_unknown("slices", name, {"length", "rare"});
    }
  }
}

int evaluate_translations(const EvaluateOptions& options, const std::vector<std::string>& paths) {
  check(paths.size() >= 2, "expected HYP and at least one REF but got {} file{}", paths.size(),
        paths.size() == 1 ? "" : "s");
  std::vector<Lines> references, outputs;
  for (auto path = paths.begin() + 1; path != paths.end(); ++path) references.push_back(data::read_lines(*path));
  std::vector<std::string> output_paths = {paths[0]};
  output_paths.insert(output_paths.end(), options.systems.begin(), options.systems.end());

  run::Evaluation evaluation;
  evaluation.metrics = make_metrics(options);
  evaluation.references = references.size();
  evaluation.sentences = references[0].size();
  evaluation.digits = options.digits;
  for (const std::string& path : output_paths) {
    outputs.push_back(data::read_lines(path));
    for (std::size_t r = 0; r < references.size(); ++r)
      data::check_parallel(path, outputs.back(), paths[r + 1], references[r]);
    if (!options.force && options.bleu.tokenizer != eval::BleuTokenizer::none) warn_if_tokenized(path, outputs.back());
    run::SystemResult& system = evaluation.systems.emplace_back();
    system.path = path;
    for (const auto& metric : evaluation.metrics) {
      eval::Statistics statistics = eval::count_all(*metric, outputs.back(), references);
      const std::vector<double> sums = statistics.sum();
      system.scores.push_back({std::move(statistics), sums, metric->score(sums), {}, {}, {}});
    }
  }
  test_against_first(options, evaluation);
  cut_slices(options, references[0], outputs, evaluation);
  const std::string report = options.json       ? run::report_json(evaluation, options.sentence)
                             : options.sentence ? run::report_sentences(evaluation)
                                                : run::report_text(evaluation);
  std::fputs(report.c_str(), stdout);
  return 0;
}

int evaluate_alignment(const EvaluateOptions& options, const std::vector<std::string>& paths) {
  check(paths.size() == 1, "--aer: expected one file of links but got {} files", paths.size());
  const auto links = eval::read_links(paths[0], {options.links_from, options.swap_links});
  const auto gold = eval::read_links(options.aer, {options.gold_from, false});
  check(links.size() == gold.size(), "{} has {} lines but {} has {}: {}:{} is the first line without a partner",
        paths[0], links.size(), options.aer, gold.size(), links.size() > gold.size() ? paths[0] : options.aer,
        std::min(links.size(), gold.size()) + 1);
  const eval::AlignmentError error = eval::compare_links(links, gold);
  if (options.json) {
    const nlohmann::ordered_json json = {{"aer",
                                          {{"score", error.alignment_error()},
                                           {"precision", error.precision()},
                                           {"recall", error.recall()},
                                           {"links", error.links},
                                           {"sure", error.sure},
                                           {"possible", error.possible}}}};
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{} sentences, {} links; gold alignment: {} sure, {} possible\n\n", links.size(), error.links,
               error.sure, error.possible);
    fmt::print(
        "  precision             {:6.2f} %\n  recall                {:6.2f} %\n  alignment error rate  {:6.2f} %\n",
        100 * error.precision(), 100 * error.recall(), 100 * error.alignment_error());
  }
  return 0;
}

int run(const Command& self, const std::vector<std::string>& arguments) {
  return run_with<EvaluateOptions>(
      self, arguments, [](const EvaluateOptions& options, const std::vector<std::string>& paths) {
        return options.aer.empty() ? evaluate_translations(options, paths) : evaluate_alignment(options, paths);
      });
}

}  // namespace

extern const Command evaluate{"evaluate", "HYP REF...", "scores translations or word alignments against references",
                              run};

}  // namespace dragoman::cli
