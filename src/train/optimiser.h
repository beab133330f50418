#pragma once

#include <utility>
#include <vector>

#include "base/options.h"
#include "nn/parameters.h"
#include "train/share.h"

namespace dragoman::train {

enum class OptimiserKind { adam, adamw, sgd };

// The batches of an update are in memory at the same time.
constexpr int kMostAccumulated = 1 << 16;

struct OptimiserOptions {
  OptimiserKind kind = OptimiserKind::adam;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, momentum = 0.9, weight_decay = 0, clip = 1;
  int accumulate = 1;
  double ema = 0;

  template <class V>
  void visit(V& v) {
    v("kind", kind, "adam, adamw (decoupled weight decay) or sgd with momentum");
    v("beta1", beta1, "adam: decay rate of the running mean of gradients", between(0, 0.9999999));
    v("beta2", beta2, "adam: decay rate of the running mean of squared gradients", between(0, 0.9999999));
    v("epsilon", epsilon, "adam: added to the denominator to keep it away from zero", more_than(0));
    v("momentum", momentum, "sgd: momentum; 0: none", between(0, 0.9999999));
    v("weight-decay", weight_decay, "pulls weight matrices towards zero; biases and norms are exempt", at_least(0));
    v("clip", clip, "maximum gradient norm; larger gradients are scaled down to it; 0: no clipping", at_least(0));
    v("accumulate", accumulate, "batches per update (gradient accumulation)", between(1, kMostAccumulated));
    v("ema", ema,
      "decay rate of a moving average (EMA) of the weights, such as 0.999, which is validated and saved; 0: none",
      between(0, 0.9999999));
    v.only_if(
        "beta1 beta2 epsilon", [this] { return kind != OptimiserKind::sgd; }, "sgd does not use it");
    v.only_if(
        "momentum", [this] { return kind == OptimiserKind::sgd; }, "only --optimiser.kind sgd uses it");
  }
};

// Adam, AdamW or SGD over the flat parameter buffer of a model. Frozen parameters do not change.
class Optimiser {
 public:
  // Updates the parameters in `share`; null: all of them.
  Optimiser(const OptimiserOptions& options, const nn::Parameters& parameters, const Share* share = nullptr);

  // One update with the gradients in the buffer. `update` counts from 1; `squares` is the sum of squared gradients.
  void step(double rate, std::uint64_t update, const Tensor& squares);

  // The state that the next update depends on, apart from the weights: named flat tensors, of the share only.
  std::vector<std::pair<std::string, Tensor>> state() const;

 private:
  // Adjacent parameters with the same settings, updated by one kernel call.
  struct Range {
    Size first = 0, count = 0;
    bool decays = false;
    Size local = 0;  // where its moments begin
  };
  static std::vector<Range> find_ranges(const nn::Parameters& parameters, bool decay);
  // Adds the parts of a range that are in the share.
  void add_own_parts(const Range& range);
  void step_range(const Range& range, double rate, std::uint64_t update, const Clip& clip);

  OptimiserOptions options_;
  Tensor weights_, gradients_, copy_;
  Share share_;
  std::vector<Range> ranges_;
  Buffer first_, second_;  // Adam: the two moments; SGD: the velocity; second_ is empty
};

// An exponential moving average (EMA) of the weights. Its decay rate starts low, so that the initial weights lose their
// influence quickly.
class MovingAverage {
 public:
  // `copy` is the bf16 copy of the weights that nn::Parameters has in mixed precision. update() changes the average in
  // `share` only; null: everywhere.
  MovingAverage(double memory, const Tensor& weights, const Tensor& copy = {}, const Share* share = nullptr);

  void update(std::uint64_t update);
  // Swaps the average and the model's weights; a second call restores both.
  void swap();
  const Tensor& tensor() const { return average_.tensor(); }

 private:
  double memory_;
  Tensor weights_, copy_;
  Share share_;
  Buffer average_, spare_;
};

// During its lifetime, the average and the model's weights are swapped. Does nothing if the average is null.
class Averaged {
 public:
  explicit Averaged(MovingAverage* average) : average_(average) {
    if (average_) average_->swap();
  }
  ~Averaged() {
    if (average_) average_->swap();
  }
  Averaged(const Averaged&) = delete;
  Averaged& operator=(const Averaged&) = delete;

 private:
  MovingAverage* average_;
};

}  // namespace dragoman::train

template <>
struct dragoman::EnumNames<dragoman::train::OptimiserKind> {
  using OptimiserKind = dragoman::train::OptimiserKind;
  static constexpr std::pair<OptimiserKind, const char*> list[] = {
      {OptimiserKind::adam, "adam"}, {OptimiserKind::adamw, "adamw"}, {OptimiserKind::sgd, "sgd"}};
};
