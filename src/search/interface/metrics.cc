#include "dragoman/metrics.h"

#include <memory>

#include "base/error.h"
#include "base/quote.h"
#include "eval/bleu.h"
#include "eval/chrf.h"
#include "eval/ter.h"

namespace dragoman {
namespace {

std::unique_ptr<eval::Metric> metric_named(const std::string& name) {
  constexpr int kWordOrder = 2;  // of chrF++
  if (name == "bleu") return std::make_unique<eval::Bleu>(eval::BleuOptions());
  if (name == "ter") return std::make_unique<eval::Ter>(eval::TerOptions());
  check(name == "chrf" || name == "chrf++", "expected the metric bleu, chrf, chrf++ or ter but got '{}'",
        excerpt(name));
  eval::ChrfOptions options;
  if (name == "chrf++") options.word_order = kWordOrder;
  return std::make_unique<eval::Chrf>(options);
}

}  // namespace

MetricScore evaluate(const std::string& name, const std::vector<std::string>& hypotheses,
                     const std::vector<std::vector<std::string>>& references) {
  const std::unique_ptr<eval::Metric> metric = metric_named(name);
  check(!hypotheses.empty() && !references.empty(), "expected at least one hypothesis and one list of references");
  for (const std::vector<std::string>& list : references)
    check(list.size() == hypotheses.size(), "{} hypotheses have {} references; each needs one", hypotheses.size(),
          list.size());
  const std::vector<double> sums = eval::count_all(*metric, hypotheses, references).sum();
  return {metric->score(sums), metric->name(), metric->signature(references.size()), metric->higher_is_better()};
}

}  // namespace dragoman
