#include "train/model_selection.h"

#include "base/counted.h"
#include "base/error.h"
#include "base/join.h"

namespace dragoman::train {
namespace {

bool is_better(const std::string& metric, double value, double best) {
  return lower_is_better(metric) ? value < best : value > best;
}

}  // namespace

std::string ModelSelection::judge(Validation& validation, TrainState& state) const {
  std::vector<std::string> measured;
  for (const auto& [name, value] : validation.scores.list()) {
    measured.push_back(name);
    const auto found = state.best.find(name);
    const bool better = found == state.best.end() || is_better(name, value, found->second.value);
    if (better) state.best[name] = {value, validation.position.updates};
    if (name == metric_) validation.best = better;
  }
  check(validation.scores.find(metric_) != nullptr, "metric: '{}' is not among the scores of this run: {}", metric_,
        join(measured, ", "));
  if (validation.best) {
    state.without_improvement = state.without_improvement_rate = 0;
  } else {
    ++state.without_improvement;
    ++state.without_improvement_rate;
  }
  validation.without_improvement = state.without_improvement;
  if (plateau_ == 0 || state.without_improvement_rate < plateau_) return "";
  state.rate_factor *= plateau_factor_;
  state.without_improvement_rate = 0;
  return fmt::format("no better {} in {}: the learning rate is reduced to {:.3g} of its schedule", metric_,
                     counted(plateau_, "validation"), state.rate_factor);
}

std::string ModelSelection::reason() const {
  return fmt::format("no better {} in {}", metric_, counted(patience_, "validation"));
}

}  // namespace dragoman::train
