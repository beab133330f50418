#pragma once

#include <string>
#include <vector>

#include "train/optimiser.h"
#include "train/schedule.h"
#include "train/task.h"

namespace dragoman::train {

enum class OnDivergence { stop, rollback };

// Everything the trainer itself goes by. Amounts of training are written as 100ku, 5e or 1Gt (train/units.h).
struct TrainOptions {
  std::string output;
  std::vector<std::string> until = {"50e"};
  std::string validate = "1e", checkpoint = "1ku", log = "100u";
  std::string metric = "perplexity";
  int patience = 0, keep = 3;
  std::uint64_t seed = 1;
  std::vector<std::string> freeze;
  OnDivergence on_divergence = OnDivergence::stop;
  double explosion = 0;
  double memory_fraction = 0.9;
  std::int64_t at_once = 0;
  LossSettings loss;
  OptimiserOptions optimiser;
  ScheduleOptions schedule;

  template <class V>
  void visit(V& v) {
    v("output", output, "folder of the run: model, checkpoints, log, report");
    v("until", until, "where training ends, such as 100ku, 5e or 1Gt; of several the first that is reached");
    v("validate", validate, "how often to validate");
    v("checkpoint", checkpoint, "how often to save everything needed to go on");
    v("log", log, "how often to note loss, speed and learning rate");
    v("metric", metric, "the score that decides which model is best: perplexity, loss, bleu, chrf, accuracy, f1");
    v("patience", patience, "end after this many validations without a better score; 0 never", at_least(0));
    v("keep", keep, "checkpoints to keep, the newest ones", at_least(2));
    v("seed", seed, "of starting values, order of the data and dropout");
    v("freeze", freeze, "parameters that stay as they are, by pattern, such as encoder.*");
    v("on-divergence", on_divergence, "when the loss is no number or explodes: stop, or go back and halve the rate");
    v("explosion", explosion, "a loss this many times its running mean counts as an explosion; 0 never", at_least(0));
    v("memory-fraction", memory_fraction, "share of the memory that is free at the start that batches and search take",
      between(0, 1));
    v("at-once", at_once,
      "tokens of both sides that go through the model together; a larger batch goes in parts. 0 finds out what fits",
      at_least(0));
    loss.visit(v);
    v.group("optimiser", optimiser);
    v.group("schedule", schedule);
  }
};

}  // namespace dragoman::train

template <>
struct dragoman::EnumNames<dragoman::train::OnDivergence> {
  using OnDivergence = dragoman::train::OnDivergence;
  static constexpr std::pair<OnDivergence, const char*> list[] = {{OnDivergence::stop, "stop"},
                                                                  {OnDivergence::rollback, "rollback"}};
};
