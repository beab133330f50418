#pragma once

#include <cstdint>
#include <vector>

#include "eval/metric.h"

// Significance of score differences. Works on sentence statistics, so a resample costs only additions. Every random
// number is a pure function of (seed, trial, sentence): results do not depend on the number of threads, and all systems
// and metrics see the same resamples.
namespace dragoman::eval {

// Mean over resamples, and half the width of the central 95 % interval.
struct Confidence {
  double mean = 0, half_width = 0;
};

// Bootstrap resampling: the metric's scores on `resamples` test sets of the same size drawn with replacement (Koehn:
// "Statistical Significance Tests for Machine Translation Evaluation", EMNLP 2004).
std::vector<double> bootstrap_scores(const Metric& metric, const Statistics& statistics, int resamples,
                                     std::uint64_t seed);
Confidence confidence(std::vector<double> scores);

// Two-sided p-value: the probability of a difference at least this large if both systems were equal. `baseline` and
// `system` are bootstrap_scores of the same seed; `difference` is the difference of the actual scores.
double paired_bootstrap(const std::vector<double>& baseline, const std::vector<double>& system, double difference);

// Two-sided p-value of the approximate randomisation test (Riezler, Maxwell 2005): the probability of a difference at
// least this large if the outputs of the two systems are swapped at random, sentence by sentence.
double approximate_randomization(const Metric& metric, const Statistics& baseline, const Statistics& system, int trials,
                                 std::uint64_t seed);

}  // namespace dragoman::eval
