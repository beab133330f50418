#include "train/optimiser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"
#include "tests/train/small_run.h"

namespace dragoman::train {
namespace {

// A matrix and a bias whose gradients are all 1.
struct Bowl {
  Bowl() {
    const Tensor gradients = task.parameters().gradients();
    for (Size i = 0; i < gradients.count(); ++i) gradients.data<float>()[i] = 1;
  }
  float value(const char* name) const { return task_.find(name)->tensor.to_host<float>()[0]; }

  ToyTask task;
  const MasterWeights weights{task.parameters()};

 private:
  const nn::Parameters& task_ = task.parameters();
};

TEST(Optimiser, WeightDecayExemptsBiases) {
  for (const OptimiserKind kind : {OptimiserKind::adamw, OptimiserKind::sgd}) {
    Bowl decayed, plain;
    Optimiser({.kind = kind, .weight_decay = 0.1}, decayed.weights).step(0.01, 1, {});
    Optimiser({.kind = kind}, plain.weights).step(0.01, 1, {});
    EXPECT_EQ(decayed.value("bowl.bias"), plain.value("bowl.bias"));
    EXPECT_NE(decayed.value("bowl.weight"), plain.value("bowl.weight"));
  }
}

TEST(Optimiser, ClipsLongGradients) {
  for (const auto& [limit, step] : {std::pair{2.0, 0.125f}, {10.0, 0.5f}, {0.0, 0.5f}}) {
    Bowl bowl;
    const float before = bowl.value("bowl.bias");
    double squares = 64;
    Optimiser({.kind = OptimiserKind::sgd, .momentum = 0, .clip = limit}, bowl.weights)
        .step(0.5, 1, Tensor(&squares, DType::f64, {1}, cpu_device()));
    EXPECT_FLOAT_EQ(bowl.value("bowl.bias"), before - step) << limit;
  }
}

TEST(Optimiser, RefusesWhenEverythingIsFrozen) {
  ToyTask task;
  task.parameters().freeze("*");
  EXPECT_NE(
      support::message([&] { Optimiser({}, MasterWeights(task.parameters())); }).find("every parameter is frozen"),
      std::string::npos);
}

TEST(MovingAverage, SwappingTwiceChangesNothing) {
  Bowl bowl;
  MovingAverage average(0.99, bowl.weights);
  Optimiser({.kind = OptimiserKind::sgd, .momentum = 0}, bowl.weights).step(0.5, 1, {});
  average.update(1);
  const std::vector<float> weights = weights_of(bowl.task), mean = average.tensor().to_host<float>();
  average.swap();
  EXPECT_EQ(weights_of(bowl.task), mean);
  EXPECT_EQ(average.tensor().to_host<float>(), weights);
  average.swap();
  EXPECT_EQ(weights_of(bowl.task), weights);
}

TEST(MovingAverage, ApproachesWeightsThatStandStill) {
  Bowl bowl;
  MovingAverage average(0.9, bowl.weights);
  Optimiser({.kind = OptimiserKind::sgd, .momentum = 0}, bowl.weights).step(0.5, 1, {});
  for (std::uint64_t update = 1; update < 300; ++update) average.update(update);
  EXPECT_NEAR(average.tensor().to_host<float>()[0], bowl.value("bowl.weight"), 1e-5);
}

}  // namespace
}  // namespace dragoman::train
