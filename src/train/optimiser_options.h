#pragma once

#include "base/options.h"

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

}  // namespace dragoman::train

template <>
struct dragoman::EnumNames<dragoman::train::OptimiserKind> {
  using OptimiserKind = dragoman::train::OptimiserKind;
  static constexpr std::pair<OptimiserKind, const char*> list[] = {
      {OptimiserKind::adam, "adam"}, {OptimiserKind::adamw, "adamw"}, {OptimiserKind::sgd, "sgd"}};
};
