#pragma once

#include <string>
#include <vector>

#include "dragoman/error.h"
#include "dragoman/export.h"

// Scores of translations by comparison with references, as `dragoman evaluate` computes them.
namespace dragoman {

struct MetricScore {
  double score = 0;       // from 0 to 100; a TER may be higher
  std::string name;       // for display: "BLEU", "chrF2++", "TER"
  std::string signature;  // the settings that make the score reproducible
  bool higher_is_better = true;
};

// `metric` is bleu, chrf, chrf++ or ter. `references` has one list of sentences per set of references, each as long as
// `hypotheses`. Throws Error if the metric is unknown or if there are not as many references as hypotheses.
DRAGOMAN_API MetricScore evaluate(const std::string& metric, const std::vector<std::string>& hypotheses,
                                  const std::vector<std::vector<std::string>>& references);

}  // namespace dragoman
