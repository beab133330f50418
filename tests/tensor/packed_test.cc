#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/tensor/gradient_check.h"

// Weights with a packed form, and the best columns of an output layer.
namespace dragoman {
namespace {

using namespace testing;
using Tensors = std::vector<Tensor>;

Tensor random_tensor(const Context& cx, Shape shape, std::uint64_t seed) {
  return cx.from_numbers(DType::f32, Leaf::random(shape, seed).values, shape);
}

TEST(PackedWeight, LeavesValuesAndGradientsOfALinearLayerAsTheyAre) {
  for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu, Activation::tanh})
    check_gradients({Leaf::random({5, 3}, 1), Leaf::random({4, 3}, 2), Leaf::random({4}, 3)},
                    [&](Context& cx, const Tensors& t) {
                      const Tensor weight = packed_for_steps(cx, t[1]);
                      const Tensor once = linear(cx, t[0], weight, t[2], {.activation = activation});
                      return Tensors{once, linear(cx, once, weight, {}, {.transposed = false})};
                    });
}

TEST(PackedWeight, BelongsToItsShapeAndItsRows) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Tensor weight = packed_for_steps(cx, cx.zeros(DType::f32, {4, 6}));
  EXPECT_NE(weight.packed(), nullptr);
  EXPECT_EQ(weight.detached().packed(), weight.packed());
  EXPECT_EQ(weight.reshaped({6, 4}).packed(), nullptr);
  EXPECT_EQ(weight.row_view(1, 2).packed(), nullptr);
}

// Enough rows for a library to take another kernel than for one.
TEST(PackedWeight, GivesALossThatDoesNotDependOnTheOtherRows) {
  constexpr Size rows = 70, in = 64, classes = 600;
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Tensor x = random_tensor(cx, {rows, in}, 1), plain = random_tensor(cx, {classes, in}, 2),
               bias = random_tensor(cx, {classes}, 3);
  std::vector<std::int32_t> ids(rows);
  for (Size r = 0; r < rows; ++r) ids[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(r * 7);
  const Tensor targets = cx.from_host<std::int32_t>(ids, {rows, 1});
  for (const WeightFormat format : {WeightFormat::same, WeightFormat::bf16, WeightFormat::int8}) {
    const Tensor weight = packed_for_steps(cx, plain, format);
    const std::vector<float> together = cross_entropy(cx, x, weight, bias, targets).nll.to_host<float>();
    for (Size r = 0; r < rows; ++r) {
      const Losses alone = cross_entropy(cx, x.row_view(r, 1), weight, bias, targets.row_view(r, 1));
      EXPECT_EQ(alone.nll.to_host<float>()[0], together[static_cast<std::size_t>(r)]) << "row " << r;
    }
  }
}

TEST(TopScores, AreTheLargestLogitsOfEachRow) {
  constexpr Size rows = 7, columns = 300, count = 5;
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Tensor x = random_tensor(cx, {rows, 9}, 1), bias = random_tensor(cx, {columns}, 3);
  const Tensor weight = packed_for_steps(cx, random_tensor(cx, {columns, 9}, 2));
  std::vector<float> logits = linear(cx, x, weight, bias).to_host<float>();
  const Best best = top_scores(cx, x, weight, bias, count);
  const auto chosen = best.columns.to_host<std::int32_t>();
  const auto largest = best.values.to_host<float>(), log_sums = best.log_sum.to_host<float>();
  for (Size r = 0; r < rows; ++r) {
    const auto first = logits.begin() + r * columns;
    double sum = 0;
    for (Size c = 0; c < columns; ++c) sum += std::exp(double{first[c]});
    EXPECT_NEAR(log_sums[static_cast<std::size_t>(r)], std::log(sum), 1e-5);
    for (Size i = r * count; i < (r + 1) * count; ++i) {
      const auto top = std::max_element(first, first + columns);
      EXPECT_EQ(chosen[static_cast<std::size_t>(i)], top - first);
      EXPECT_EQ(largest[static_cast<std::size_t>(i)], *top);
      *top = -1e30f;
    }
  }
}

TEST(TopScores, OfFewColumnsArePaddedWithMinusOne) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Tensor x = cx.from_numbers(DType::f32, std::vector<double>{1}, {1, 1});
  const Tensor weight = cx.from_numbers(DType::f32, std::vector<double>{1, 4}, {2, 1});
  const Best best = top_scores(cx, x, weight, {}, 3);
  EXPECT_EQ(best.columns.to_host<std::int32_t>(), (std::vector<std::int32_t>{1, 0, -1}));
  EXPECT_NEAR(best.log_sum.to_host<double>()[0], std::log(std::exp(1) + std::exp(4)), 1e-5);
}

TEST(TopScores, RefuseWhatDoesNotFit) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Tensor x = cx.zeros(DType::f32, {2, 3}), weight = cx.zeros(DType::f32, {4, 3});
  EXPECT_EQ(error_of([&] {
              top_scores(cx, x, cx.zeros(DType::f32, {4, 5}), {}, 1);
            }),
            "[top_scores] x [2, 3] does not fit weight [4, 5]");
  EXPECT_EQ(error_of([&] { top_scores(cx, x, weight, cx.zeros(DType::f32, {3}), 1); }),
            "[top_scores] bias [3] does not fit weight [4, 3]: expected 4 values");
  EXPECT_NE(error_of([&] { top_scores(cx, x, weight, {}, -1); }), "");
}

}  // namespace
}  // namespace dragoman
