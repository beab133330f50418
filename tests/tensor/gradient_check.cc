#include "tests/tensor/gradient_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dragoman::testing {
namespace {

// The seed and step are fixed, so that dropout is the same in every run of a check.
constexpr std::uint64_t kSeed = 11, kStep = 3;

std::vector<double> weights_of(std::size_t output, Size count) { return Leaf::random({count}, 1000 + output).values; }

template <class T>
std::vector<Tensor> place(const Context& cx, const std::vector<Leaf>& leaves, bool tracked) {
  std::vector<Tensor> tensors;
  for (const Leaf& leaf : leaves) {
    const std::vector<T> values(leaf.values.begin(), leaf.values.end());
    const Tensor tensor = cx.from_host<T>(values, leaf.shape);
    tensors.push_back(tracked ? cx.track(tensor) : tensor);
  }
  return tensors;
}

double loss(const std::vector<Leaf>& leaves, const Build& build) {
  Workspace workspace(reference_device());
  Context cx = Context::training(workspace, kSeed, kStep);
  const std::vector<Tensor> outputs = build(cx, place<double>(cx, leaves, false));
  double sum = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::vector<double> values = outputs[o].to_host<double>(), weights = weights_of(o, outputs[o].count());
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * weights[i];
  }
  return sum;
}

}  // namespace

Leaf Leaf::random(Shape shape, std::uint64_t seed, double spread) {
  Leaf leaf{shape, std::vector<double>(static_cast<std::size_t>(shape.count()))};
  Random random(seed);
  for (double& value : leaf.values) value = spread * random.normal();
  return leaf;
}

template <class T>
Outcome run_tape(const Device& device, const std::vector<Leaf>& leaves, const Build& build) {
  Workspace workspace(device);
  Context cx = Context::training(workspace, kSeed, kStep);
  const std::vector<Tensor> tensors = place<T>(cx, leaves, true);
  const std::vector<Tensor> outputs = build(cx, tensors);
  Outcome outcome;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    outcome.outputs.push_back(outputs[o].to_host<double>());
    if (outputs[o].tracked()) cx.seed(outputs[o], weights_of(o, outputs[o].count()));
  }
  cx.backward();
  for (const Tensor& tensor : tensors) outcome.gradients.push_back(cx.gradient(tensor).to_host<double>());
  return outcome;
}

template Outcome run_tape<float>(const Device&, const std::vector<Leaf>&, const Build&);
template Outcome run_tape<double>(const Device&, const std::vector<Leaf>&, const Build&);

void expect_near(const std::vector<double>& expected, const std::vector<double>& actual, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(expected[i], actual[i], tolerance * std::max(1.0, largest)) << what << " element " << i;
}

void check_gradients(const std::vector<Leaf>& leaves, const Build& build) {
  const Outcome exact = run_tape<double>(reference_device(), leaves, build);
  constexpr double kStepSize = 1e-5;
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    std::vector<double> differences;
    std::vector<Leaf> moved = leaves;
    for (std::size_t i = 0; i < leaves[l].values.size(); ++i) {
      const double value = leaves[l].values[i];
      moved[l].values[i] = value + kStepSize;
      const double above = loss(moved, build);
      moved[l].values[i] = value - kStepSize;
      const double below = loss(moved, build);
      moved[l].values[i] = value;
      differences.push_back((above - below) / (2 * kStepSize));
    }
    expect_near(differences, exact.gradients[l], 1e-7, "gradient of leaf " + std::to_string(l));
  }
  const Outcome fast = run_tape<float>(cpu_device(), leaves, build);
  for (std::size_t o = 0; o < exact.outputs.size(); ++o)
    expect_near(exact.outputs[o], fast.outputs[o], 2e-5, "f32 output " + std::to_string(o));
  for (std::size_t l = 0; l < leaves.size(); ++l)
    expect_near(exact.gradients[l], fast.gradients[l], 5e-5, "f32 gradient of leaf " + std::to_string(l));
}

Tensor ids(const Context& cx, std::vector<std::int32_t> values) {
  return cx.from_host<std::int32_t>(values, {std::ssize(values)});
}

Segments segments(const Context& cx, std::vector<std::int32_t> lengths) { return Segments::from_lengths(cx, lengths); }

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace dragoman::testing
