#pragma once

#include <string>
#include <vector>

#include "comm/communicator.h"
#include "train/optimiser_options.h"
#include "train/schedule.h"
#include "train/task.h"

namespace dragoman::train {

enum class OnDivergence { stop, rollback };

// Parts of an update (`--virtual`).
constexpr int kMostParts = 1024;

// Settings of the trainer. Amounts of training are written as 100ku, 5e or 1Gt (train/units.h).
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
  int parts = 0;
  comm::Wire wire = comm::Wire::f32;
  LossSettings loss;
  OptimiserOptions optimiser;
  ScheduleOptions schedule;

  template <class V>
  void visit(V& v) {
    v("output", output, "folder of the run: model, checkpoints, log, report");
    v("until", until,
      "when to stop: 100ku updates, 5e epochs or 1Gt target tokens (4k, without a unit, counts updates); with several, "
      "whichever comes first");
    v("validate", validate, "how often to validate");
    v("checkpoint", checkpoint, "how often to save a checkpoint to resume from");
    v("log", log,
      "how often to log loss, speed and learning rate; short runs are logged at every twentieth of their length");
    v("metric", metric, "the score that selects the best model: perplexity, loss, bleu, chrf, accuracy, f1");
    v("patience", patience, "early stopping: end after this many validations without a better score; 0: never",
      at_least(0));
    v("keep", keep, "how many of the newest checkpoints to keep", between(2, 1'000'000));
    v("seed", seed, "random seed of initial weights, data order and dropout");
    v("freeze", freeze, "parameters to freeze, as glob patterns such as encoder.*");
    v("on-divergence", on_divergence,
      "if the loss is not finite or explodes: stop, or rollback to the newest checkpoint with half the rate");
    v("explosion", explosion, "a loss this many times its running mean counts as an explosion; 0: never", at_least(0));
    v("memory-fraction", memory_fraction, "fraction of the memory free at the start that batches and search may use",
      between(0, 1));
    v("at-once", at_once,
      "maximum number of tokens (both sides) per forward pass; larger batches are split; 0: measure at the start",
      at_least(0));
    v("virtual", parts,
      "divide every update into this many parts, a power of two, whose sum has the same bits on any number of "
      "processes "
      "that divides it; 0: one part per process",
      between(0, kMostParts));
    v("wire", wire, "number format of gradients between processes: f32, or bf16, which halves the traffic");
    v.section("Loss");
    loss.visit(v);
    v.section("Optimiser");
    v.group("optimiser", optimiser);
    v.section("Learning rate");
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
