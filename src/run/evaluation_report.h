#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/metric.h"
#include "eval/significance.h"
#include "eval/slices.h"

// The results of an evaluation, and reports of them as text and as JSON.
namespace dragoman::run {

// One metric on one system's output.
struct SystemScore {
  eval::Statistics statistics;
  std::vector<double> sums;
  double score = 0;
  std::optional<eval::Confidence> confidence;
  // Against the first system.
  std::optional<double> p_bootstrap, p_randomization;
};

struct SystemResult {
  std::string path;
  std::vector<SystemScore> scores;            // one per metric
  std::vector<eval::WordClass> word_classes;  // if a training text was given
};

struct SliceTable {
  std::string name;  // "length"
  std::vector<eval::Slice> slices;
};

struct Evaluation {
  std::vector<std::unique_ptr<eval::Metric>> metrics;
  std::vector<SystemResult> systems;
  std::vector<SliceTable> slices;
  std::size_t references = 0, sentences = 0;
  int digits = 2;
};

std::string report_text(const Evaluation& evaluation);
// One line per sentence and system, columns separated by tabs, with a heading.
std::string report_sentences(const Evaluation& evaluation);
// The first system's metrics are at the top level: bleu.score, bleu.signature, ...
std::string report_json(const Evaluation& evaluation, bool with_sentences);

}  // namespace dragoman::run
