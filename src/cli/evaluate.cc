#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "cli/command.h"
#include "run/evaluation.h"
#include "run/json_text.h"

namespace dragoman::cli {
namespace {

struct EvaluateOptions {
  bool json = false;
  bool sentence = false;
  run::EvaluationOptions evaluation;
  std::string aer;
  int links_from = 0;
  int gold_from = 1;
  bool swap_links = false;

  template <class V>
  void visit(V& v) {
    v.section("Scores");
    v("json", json, "print JSON");
    v("sentence", sentence, "print the scores of every sentence, columns separated by tabs");
    evaluation.visit(v);
    v.section("Word alignments");
    v("aer", aer, "HYP holds word alignments: score them against this gold alignment");
    v("links-from", links_from, "number of the first word in HYP's links", between(0, 1));
    v("gold-from", gold_from, "number of the first word in the gold alignment's links", between(0, 1));
    v("swap-links", swap_links, "HYP's links have the target word first");
    v.only_if(
        "links-from gold-from swap-links", [this] { return !aer.empty(); }, "it is for word alignments (--aer)");
    v.only_if(
        "sentence metrics systems slices train confidence test resamples trials seed digits force bleu. chrf. ter. "
        "multi-bleu.",
        [this] { return aer.empty(); }, "it is for translations, and --aer scores word alignments");
  }
};

int evaluate_translations(const EvaluateOptions& options, const Words& paths) {
  check(paths.size() >= 2, "expected HYP and at least one REF but got {}", counted(paths.size(), "file"));
  const run::Evaluation evaluation =
      run::evaluate_files(options.evaluation, paths[0], {paths.begin() + 1, paths.end()});
  const std::string report = options.json       ? run::report_json(evaluation, options.sentence)
                             : options.sentence ? run::report_sentences(evaluation)
                                                : run::report_text(evaluation);
  std::fputs(report.c_str(), stdout);
  return 0;
}

int evaluate_alignment(const EvaluateOptions& options, const Words& paths) {
  check(paths.size() == 1, "--aer: expected one file of links but got {}", counted(paths.size(), "file"));
  const auto [sentences, error] = run::evaluate_alignments(
      {paths[0], options.aer, {options.links_from, options.swap_links}, {options.gold_from, false}});
  if (options.json) {
    const nlohmann::ordered_json json = {{"aer",
                                          {{"score", error.alignment_error()},
                                           {"precision", error.precision()},
                                           {"recall", error.recall()},
                                           {"links", error.links},
                                           {"sure", error.sure},
                                           {"possible", error.possible}}}};
    fmt::print("{}\n", run::to_text(json, 2));
  } else {
    fmt::print("{}, {}; gold alignment: {} sure, {} possible\n\n", counted(sentences, "sentence"),
               counted(error.links, "link"), error.sure, error.possible);
    fmt::print(
        "  precision             {:6.2f} %\n  recall                {:6.2f} %\n  alignment error rate  {:6.2f} %\n",
        100 * error.precision(), 100 * error.recall(), 100 * error.alignment_error());
  }
  return 0;
}

int run_evaluate(const Command& self, const Words& arguments) {
  return run_with<EvaluateOptions>(self, arguments, [](const EvaluateOptions& options, const Words& paths) {
    return options.aer.empty() ? evaluate_translations(options, paths) : evaluate_alignment(options, paths);
  });
}

}  // namespace

extern const Command evaluate{"evaluate",
                              "HYP REF...",
                              "scores translations or word alignments against references",
                              run_evaluate,
                              describe_options<EvaluateOptions>,
                              "# BLEU, chrF and TER with their signatures\n"
                              "dragoman evaluate output.en reference.en\n"
                              "# is the second system better than the first?\n"
                              "dragoman evaluate baseline.en reference.en --systems better.en --metrics bleu,chrf\n"
                              "# score word alignments\n"
                              "dragoman evaluate out.align --aer gold.talp"};

}  // namespace dragoman::cli
