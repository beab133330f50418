#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "base/threads.h"
#include "kernels/cpu/narrow_weights.h"
#include "kernels/fillings.h"
#include "tests/kernels/scopes.h"

// Search relies on this: the numbers of a sentence do not depend on the others in the batch.
namespace dragoman::kernels {
namespace {

constexpr Size kRows = 40, kBest = 5;

std::vector<float> random_values(Size count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random.uniform(-1, 1));
  return values;
}

struct Layer {
  Size in, out;
  WeightFormat format = WeightFormat::same;
  std::vector<float> x = random_values(kRows * in, 1), bias = random_values(out, 2);
  std::vector<float> packed = pack();

  std::vector<float> pack() const {
    const std::vector<float> weight = random_values(in * out, 3);
    Size bytes = 0;
    cpu().pack_weight({.in = in, .out = out, .format = format, .bytes = &bytes});
    std::vector<float> to(static_cast<std::size_t>(bytes) / sizeof(float));
    cpu().pack_weight({.in = in, .out = out, .format = format, .weight = weight.data(), .packed = to.data()});
    return to;
  }
  // Rows [first, first + rows) computed separately.
  std::vector<float> linear(Size first, Size rows) const {
    std::vector<float> y(static_cast<std::size_t>(rows * out));
    cpu().linear_packed({.rows = rows,
                         .in = in,
                         .out = out,
                         .format = format,
                         .activation = Activation::gelu,
                         .x = x.data() + first * in,
                         .packed = packed.data(),
                         .bias = bias.data(),
                         .y = y.data()});
    return y;
  }
  struct Best {
    std::vector<float> log_sum, scores;
    std::vector<std::int32_t> ids;
  };
  Best best(Size first, Size rows) const {
    Best result;
    result.log_sum.resize(static_cast<std::size_t>(rows));
    result.scores.resize(static_cast<std::size_t>(rows * kBest));
    result.ids.resize(result.scores.size());
    cpu().top_scores({.rows = rows,
                      .in = in,
                      .out = out,
                      .best = kBest,
                      .format = format,
                      .x = x.data() + first * in,
                      .packed = packed.data(),
                      .bias = bias.data(),
                      .log_sum = result.log_sum.data(),
                      .scores = result.scores.data(),
                      .ids = result.ids.data()});
    return result;
  }
};

constexpr WeightFormat kFormats[] = {WeightFormat::same, WeightFormat::bf16, WeightFormat::int8};
const std::vector<std::pair<Size, Size>> kSizes = {{0, 40},   {1, 1},     {7, 5},     {33, 131},
                                                   {513, 97}, {1100, 40}, {600, 300}, {65, 3001}};

template <class T>
bool same_part(const std::vector<T>& part, const std::vector<T>& whole, Size first) {
  return std::equal(part.begin(), part.end(), whole.begin() + first);
}

// Calls run(layer, name of the case) for layers of all formats and sizes, with every instruction set of this CPU.
template <class Run>
void each_layer(Run&& run) {
  for (const std::int64_t set : cpu_filling::instruction_sets()) {
    const test::InstructionSet scope(set);
    for (const WeightFormat format : kFormats)
      for (const auto& [in, out] : kSizes)
        run(Layer{in, out, format}, fmt::format("{}, {} x {}", cpu_instruction_set(), in, out));
  }
}

TEST(PackedLinear, ARowIsTheSameToTheBitAmongAnyNumberOfRowsOnAnyNumberOfThreads) {
  each_layer([](const Layer& layer, const std::string& name) {
    threads::set_count(1);
    const std::vector<float> whole = layer.linear(0, kRows);
    for (const int count : {1, 2, 3}) {
      const test::ThreadCount scope(count);
      for (Size rows = 1; rows <= kRows; ++rows) {
        const Size first = (kRows - rows) / 2;
        EXPECT_TRUE(same_part(layer.linear(first, rows), whole, first * layer.out))
            << name << ", rows " << rows << ", threads " << count;
      }
    }
  });
}

TEST(TopScores, ARowIsTheSameToTheBitAmongAnyNumberOfRowsOnAnyNumberOfThreads) {
  each_layer([](const Layer& layer, const std::string& name) {
    threads::set_count(1);
    const Layer::Best whole = layer.best(0, kRows);
    for (const int count : {1, 2, 3}) {
      const test::ThreadCount scope(count);
      for (Size rows = 1; rows <= kRows; ++rows) {
        const Size first = (kRows - rows) / 2;
        const Layer::Best part = layer.best(first, rows);
        EXPECT_TRUE(same_part(part.log_sum, whole.log_sum, first) &&
                    same_part(part.scores, whole.scores, first * kBest) &&
                    same_part(part.ids, whole.ids, first * kBest))
            << name << ", rows " << rows << ", threads " << count;
      }
    }
  });
}

TEST(TopScores, AreThePackedLayersLogits) {
  const Layer layer{33, 131};
  std::vector<float> logits(131);
  cpu().linear_packed({.rows = 1,
                       .in = 33,
                       .out = 131,
                       .x = layer.x.data(),
                       .packed = layer.packed.data(),
                       .bias = layer.bias.data(),
                       .y = logits.data()});
  const Layer::Best best = layer.best(0, 1);
  for (Size i = 0; i < kBest; ++i) EXPECT_EQ(best.scores[i], logits[best.ids[i]]);
  EXPECT_EQ(best.scores[0], *std::max_element(logits.begin(), logits.end()));
}

TEST(TopScores, TakeTheLowestIdsAmongEqualLogits) {
  constexpr Size in = 3, out = 1000;
  const std::vector<float> x(2 * in, 0.0f), packed = Layer{in, out}.packed;
  std::vector<float> bias(out, 1.0f), scores(2 * kBest), log_sum(2);
  bias[700] = bias[300] = bias[990] = 2;
  std::vector<std::int32_t> ids(scores.size());
  for (const int count : {1, 3}) {
    threads::set_count(count);
    cpu().top_scores({.rows = 2,
                      .in = in,
                      .out = out,
                      .best = kBest,
                      .x = x.data(),
                      .packed = packed.data(),
                      .bias = bias.data(),
                      .log_sum = log_sum.data(),
                      .scores = scores.data(),
                      .ids = ids.data()});
    EXPECT_EQ(ids, (std::vector<std::int32_t>{300, 700, 990, 0, 1, 300, 700, 990, 0, 1}));
    const double expected = std::log(3 * std::exp(2.0) + 997 * std::exp(1.0));
    EXPECT_NEAR(log_sum[0], expected, 1e-5);
    EXPECT_EQ(log_sum[1], log_sum[0]);
  }
  threads::set_count(0);
}

// A short list is kept in another way than a long one.
TEST(TopScores, AreTheFirstOfAllLogitsSortedByScoreAndIdForAnyLength) {
  constexpr Size in = 3, out = 3000;
  const std::vector<float> x(in, 0.0f), packed = Layer{in, out}.packed;
  std::vector<float> logits(out);
  Random random(3);
  for (float& logit : logits) logit = static_cast<float>(random.below(500));  // many are equal
  std::vector<std::int32_t> expected(out);
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return logits[a] > logits[b]; });
  for (const Size best : {1, 2, 31, 32, 33, 100, 1001, 3000})
    for (const int count : {1, 2, 3}) {
      threads::set_count(count);
      std::vector<float> scores(static_cast<std::size_t>(best)), log_sum(1);
      std::vector<std::int32_t> ids(scores.size());
      cpu().top_scores({.rows = 1,
                        .in = in,
                        .out = out,
                        .best = best,
                        .x = x.data(),
                        .packed = packed.data(),
                        .bias = logits.data(),
                        .log_sum = log_sum.data(),
                        .scores = scores.data(),
                        .ids = ids.data()});
      EXPECT_TRUE(std::equal(ids.begin(), ids.end(), expected.begin())) << best << ", threads " << count;
      for (Size i = 0; i < best; ++i) ASSERT_EQ(scores[i], logits[ids[i]]);
    }
  threads::set_count(0);
}

TEST(TopScores, LeaveOutLogitsOfMinusInfinity) {
  constexpr Size in = 2, out = 300;
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  const std::vector<float> x(in, 0.5f), packed = Layer{in, out}.packed;
  std::vector<float> bias(out, kLowest), scores(kBest), log_sum(1);
  bias[299] = 0.25f;
  std::vector<std::int32_t> ids(kBest);
  cpu().top_scores({.rows = 1,
                    .in = in,
                    .out = out,
                    .best = kBest,
                    .x = x.data(),
                    .packed = packed.data(),
                    .bias = bias.data(),
                    .log_sum = log_sum.data(),
                    .scores = scores.data(),
                    .ids = ids.data()});
  EXPECT_EQ(ids, (std::vector<std::int32_t>{299, -1, -1, -1, -1}));
  EXPECT_FLOAT_EQ(log_sum[0], scores[0]);
  EXPECT_EQ(scores[1], kLowest);
}

// Runs f with each kernel of a narrow format that this CPU supports.
template <class F>
void with_each_kernel(WeightFormat format, F&& f) {
  for (const cpu_filling::NarrowKernel* kernel : cpu_filling::narrow_kernels(format)) {
    SCOPED_TRACE(kernel->name);
    cpu_filling::use_narrow_kernel(format, *kernel);
    f();
  }
  cpu_filling::use_narrow_kernel(format, *cpu_filling::narrow_kernels(format).front());
}

TEST(NarrowProducts, OfInt8HaveTheSameBitsWithEveryKernel) {
  for (const auto& [in, out] : kSizes) {
    std::vector<float> expected;
    with_each_kernel(WeightFormat::int8, [&, in = in, out = out] {
      const std::vector<float> y = Layer{in, out, WeightFormat::int8}.linear(0, kRows);
      if (expected.empty()) expected = y;
      EXPECT_EQ(y, expected) << in << " x " << out;
    });
  }
}

// The bits of a lexical shortlist are those of the whole output layer.
void expect_picked_columns_have_the_same_bits(WeightFormat format) {
  for (const auto& [in, out] : kSizes) {
    const Layer layer{in, out, format};
    std::vector<std::int32_t> columns;
    Random random(7);
    for (Size c = 0; c < out; ++c)
      if (out < 10 || random.below(5) == 0) columns.push_back(static_cast<std::int32_t>(c));
    Layer part = layer;
    part.out = std::ssize(columns);
    Size bytes = 0;
    cpu().pack_weight({.in = in, .out = part.out, .format = format, .bytes = &bytes});
    part.packed.assign(static_cast<std::size_t>(bytes) / sizeof(float), 77.0f);
    const std::vector<float> weight = random_values(in * out, 3);
    cpu().pick_columns({.in = in,
                        .out = out,
                        .count = part.out,
                        .format = format,
                        .weight = weight.data(),
                        .packed = layer.packed.data(),
                        .columns = columns.data(),
                        .picked = part.packed.data()});
    part.bias.clear();
    for (const std::int32_t c : columns) part.bias.push_back(layer.bias[static_cast<std::size_t>(c)]);
    const std::vector<float> whole = layer.linear(0, kRows), some = part.linear(0, kRows);
    for (Size r = 0; r < kRows; ++r)
      for (Size c = 0; c < part.out; ++c)
        ASSERT_EQ(some[r * part.out + c], whole[r * out + columns[c]]) << in << " x " << out << ", row " << r;
  }
}

TEST(PickedColumns, HaveTheBitsOfTheWholeProductWithEveryKernel) {
  expect_picked_columns_have_the_same_bits(WeightFormat::same);
  for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8})
    with_each_kernel(format, [format] { expect_picked_columns_have_the_same_bits(format); });
}

TEST(NarrowProducts, AreCloseToExactOnesWithEveryKernel) {
  const std::vector<float> exact = Layer{1100, 40}.linear(0, kRows);
  for (const auto& [format, most] : {std::pair{WeightFormat::bf16, 0.2f}, {WeightFormat::int8, 0.4f}})
    with_each_kernel(format, [&, format = format, most = most] {
      const std::vector<float> y = Layer{1100, 40, format}.linear(0, kRows);
      float error = 0;
      for (std::size_t i = 0; i < y.size(); ++i) error = std::max(error, std::abs(y[i] - exact[i]));
      EXPECT_GT(error, 0);
      EXPECT_LT(error, most);  // the results are sums of 1,100 products of numbers within 1: 11 on average
    });
}

TEST(NarrowProducts, ShowWhatIsNotANumberInItsRowOnly) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Layer layer{33, 131, WeightFormat::int8};
    const std::vector<float> clean = layer.linear(0, 3);
    layer.x[33 + 32] = bad;
    const std::vector<float> y = layer.linear(0, 3);
    for (Size i = 0; i < 131; ++i) {
      EXPECT_EQ(y[i], clean[i]);
      EXPECT_TRUE(std::isnan(y[131 + i]));
      EXPECT_EQ(y[2 * 131 + i], clean[2 * 131 + i]);
    }
  }
}

}  // namespace
}  // namespace dragoman::kernels
