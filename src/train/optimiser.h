#pragma once

#include <utility>
#include <vector>

#include "base/options.h"
#include "nn/parameters.h"
#include "train/buffer.h"

namespace dragoman::train {

enum class OptimiserKind { adam, adamw, sgd };

struct OptimiserOptions {
  OptimiserKind kind = OptimiserKind::adam;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, momentum = 0.9, weight_decay = 0, clip = 1;
  int accumulate = 1;
  double ema = 0;

  template <class V>
  void visit(V& v) {
    v("kind", kind, "adam, adamw (decay apart from the gradient) or sgd with momentum");
    v("beta1", beta1, "adam: memory of gradients", between(0, 0.9999999));
    v("beta2", beta2, "adam: memory of their squares", between(0, 0.9999999));
    v("epsilon", epsilon, "adam: what keeps small denominators away from zero", more_than(0));
    v("momentum", momentum, "sgd: memory of gradients; 0 for none", between(0, 0.9999999));
    v("weight-decay", weight_decay, "pulls weight matrices towards zero; biases and norms are spared", at_least(0));
    v("clip", clip, "longest gradient; longer ones are shortened to this; 0 never", at_least(0));
    v("accumulate", accumulate, "batches whose gradients make one update", at_least(1));
    v("ema", ema, "memory of a moving average of the weights that is validated and kept, such as 0.999; 0 for none",
      between(0, 0.9999999));
  }
};

// Adam, AdamW or SGD over the flat buffer of a model. Frozen parameters stay as they are.
class Optimiser {
 public:
  Optimiser(const OptimiserOptions& options, const nn::Parameters& parameters);

  // One update with the gradients in the buffer; `update` counts from 1, `squares` is the gradients' sum of squares.
  void step(double rate, std::uint64_t update, const Tensor& squares);

  // What the next update depends on beside the weights: a name and a flat tensor each.
  std::vector<std::pair<std::string, Tensor>> state() const;

 private:
  // Neighbouring parameters that are treated alike.
  struct Range {
    Size first = 0, count = 0;
    bool decays = false;
  };
  static std::vector<Range> find_ranges(const nn::Parameters& parameters, bool decay);
  void step_range(const Range& range, double rate, std::uint64_t update, const Clip& clip);

  OptimiserOptions options_;
  Tensor weights_, gradients_, copy_;
  std::vector<Range> ranges_;
  Buffer first_, second_;  // SGD: its velocity, nothing
};

// An exponential moving average of the weights. Early on it forgets faster, so that the start leaves no trace.
class MovingAverage {
 public:
  // `copy` as nn::Parameters has it: in mixed precision it follows the weights.
  MovingAverage(double memory, const Tensor& weights, const Tensor& copy = {});

  void update(std::uint64_t update);
  // Exchanges the average and the model's weights; done twice, nothing has changed.
  void swap();
  const Tensor& tensor() const { return average_.tensor(); }

 private:
  double memory_;
  Tensor weights_, copy_;
  Buffer average_, spare_;
};

// While one lives, the model has the averaged weights and the average holds the others. Null: nothing happens.
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
