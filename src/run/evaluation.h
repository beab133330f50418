#pragma once

#include <string>
#include <vector>

#include "eval/alignment_error.h"
#include "eval/bleu.h"
#include "eval/chrf.h"
#include "eval/ter.h"
#include "run/evaluation_report.h"

namespace dragoman::run {

enum class SignificanceTest { both, bootstrap, randomization, none };

struct EvaluationOptions {
  std::vector<std::string> metrics = {"bleu", "chrf", "ter"};
  std::vector<std::string> systems;
  std::vector<std::string> slices;
  std::string train;
  bool confidence = false;
  SignificanceTest test = SignificanceTest::both;
  int resamples = 1000;
  int trials = 10000;
  std::uint32_t seed = 12345;
  int digits = 2;
  bool force = false;
  eval::BleuOptions bleu;
  eval::ChrfOptions chrf;
  eval::TerOptions ter;
  eval::MultiBleuOptions multi_bleu;

  template <class V>
  void visit(V& v) {
    v.section("Scores");
    v("metrics", metrics,
      "any of bleu, chrf (chrF and chrF++), chrfpp, ter, nltk-bleu, multi-bleu, separated by commas");
    v("systems", systems, "another system's output, compared with HYP; may be given again");
    v("slices", slices, "also score parts of the test set: length, rare (by the rarest word; needs --train)");
    v("train", train, "target side of the training text, which gives the frequency of each word");
    v.section("Significance");
    v("confidence", confidence, "print 95 % confidence intervals for a single system too");
    v("test", test, "significance test for differences between systems");
    v("resamples", resamples, "bootstrap resamples", between(2, 1e6));
    v("trials", trials, "trials of approximate randomization", between(1, 1e7));
    v("seed", seed, "seed of both tests");
    v.section("Scores");
    v("digits", digits, "digits after the decimal point", between(0, 15));
    v("force", force, "suppress the warning about text that looks tokenised");
    v.section("BLEU");
    v.group("bleu", bleu);
    v.section("chrF");
    v.group("chrf", chrf);
    v.section("TER");
    v.group("ter", ter);
    v.section("multi-bleu");
    v.group("multi-bleu", multi_bleu);
    v.only_if(
        "chrf.", [this] { return measures("chrf") || measures("chrfpp"); }, "chrF is not measured (--metrics)");
    v.only_if(
        "ter.", [this] { return measures("ter"); }, "TER is not measured (--metrics)");
    v.only_if(
        "multi-bleu.", [this] { return measures("multi-bleu"); }, "multi-bleu is not measured (--metrics)");
    v.only_if(
        "test trials", [this] { return !systems.empty(); }, "there is no other system to compare with (--systems)");
    v.only_if(
        "resamples seed", [this] { return confidence || !systems.empty(); },
        "nothing is sampled without --systems or --confidence");
    v.only_if(
        "train", [this] { return !slices.empty(); }, "it is for --slices rare");
  }
  bool measures(const std::string& metric) const;
};

// What --metrics understands.
const std::vector<std::string>& metric_names();

// Scores the file `output` and those of options.systems against references: metrics, significance of the differences
// from the first system, and slices of the test set.
Evaluation evaluate_files(const EvaluationOptions& options, const std::string& output,
                          const std::vector<std::string>& references);

// Word alignments, their gold alignment, and how each file writes links.
struct AlignmentFiles {
  std::string links, gold;
  eval::LinkFormat links_format{0, false}, gold_format{1, false};
};

struct AlignmentEvaluation {
  std::size_t sentences = 0;
  eval::AlignmentError error;
};

// Scores word alignments against a gold alignment.
AlignmentEvaluation evaluate_alignments(const AlignmentFiles& files);

}  // namespace dragoman::run

template <>
struct dragoman::EnumNames<dragoman::run::SignificanceTest> {
  using Test = dragoman::run::SignificanceTest;
  static constexpr std::pair<Test, const char*> list[] = {{Test::both, "both"},
                                                          {Test::bootstrap, "bootstrap"},
                                                          {Test::randomization, "randomization"},
                                                          {Test::none, "none"}};
};
