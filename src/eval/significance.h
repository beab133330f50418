#pragma once

#include <cstdint>
#include <vector>

#include "eval/metric.h"

// Whether a difference between systems could be chance. Everything works on sentence statistics, so a resample costs
// additions only, and every random number is a pure function of (seed, trial, sentence): results do not depend on the
// number of threads, and all systems and metrics see the same resamples.
namespace dragoman::eval {

// The mean over resamples and half the width of the interval that holds the middle 95 % of them.
struct Confidence {
  double mean = 0, half_width = 0;
};

// The metric's score on each of `resamples` test sets of the same size drawn with replacement (Koehn: "Statistical
// Significance Tests for Machine Translation Evaluation", EMNLP 2004).
std::vector<double> bootstrap_scores(const Metric& metric, const Statistics& statistics, int resamples,
                                     std::uint64_t seed);
Confidence confidence(std::vector<double> scores);

// The probability of a difference at least this large between the same system's resamples; two-sided. `baseline` and
// `system` are bootstrap_scores of the same seed; `difference` is that of the real scores.
double paired_bootstrap(const std::vector<double>& baseline, const std::vector<double>& system, double difference);

// The probability of a difference at least this large when each sentence's two outputs change sides by the toss of a
// coin (Riezler, Maxwell, 2005); two-sided.
double approximate_randomization(const Metric& metric, const Statistics& baseline, const Statistics& system, int trials,
                                 std::uint64_t seed);

}  // namespace dragoman::eval
