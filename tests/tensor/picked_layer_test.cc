#include "tensor/picked_layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "tests/support/errors.h"

namespace dragoman {
namespace {

using Words = std::vector<std::int32_t>;

constexpr WeightFormat kPickedFormats[] = {WeightFormat::same, WeightFormat::bf16, WeightFormat::int8};

// An output layer of 70 words and some rows that it scores.
class PickedLayers : public ::testing::Test {
 protected:
  static constexpr Size kWords = 70, kSize = 33, kRows = 7;

  Tensor random(Shape shape, std::uint64_t seed) {
    std::vector<double> values(static_cast<std::size_t>(shape.count()));
    Random numbers(seed);
    for (double& value : values) value = numbers.uniform(-1, 1);
    return cx_.from_numbers(DType::f32, values, shape);
  }
  Tensor packed(WeightFormat format) { return packed_for_steps(cx_, random({kWords, kSize}, 1), format); }

  static void expect_same(const Best& a, const Best& b) {
    EXPECT_EQ(a.log_sum.to_host<float>(), b.log_sum.to_host<float>());
    EXPECT_EQ(a.values.to_host<float>(), b.values.to_host<float>());
    EXPECT_EQ(a.columns.to_host<std::int32_t>(), b.columns.to_host<std::int32_t>());
  }

  Workspace workspace_{cpu_device()};
  Context cx_{workspace_};
  Tensor x_ = random({kRows, kSize}, 2), bias_ = random({kWords}, 3);
};

TEST_F(PickedLayers, OfAllWordsHaveTheBitsOfTheWholeLayer) {
  Words all(kWords);
  std::iota(all.begin(), all.end(), 0);
  for (const WeightFormat format : kPickedFormats) {
    const Tensor weight = packed(format);
    const PickedLayer layer(weight, bias_, all);
    const PickedRows rows[] = {{3, &layer}, {2, nullptr}, {2, &layer}};
    expect_same(top_scores(cx_, x_, weight, bias_, 5), top_scores(cx_, x_, weight, bias_, 5, rows));
    EXPECT_EQ(linear(cx_, x_, weight, bias_).to_host<float>(),
              picked_logits(cx_, x_, weight, bias_, rows).to_host<float>());
  }
}

TEST_F(PickedLayers, WithCommonWordsEqualOneLayerOfBoth) {
  const Words common = {0, 7, 8, 41, 50, 51, 68}, first = {1, 9, 40, 69}, second = {2, 3};
  const auto both = [&](const Words& own) {
    Words words = own;
    words.insert(words.end(), common.begin(), common.end());
    std::sort(words.begin(), words.end());
    return words;
  };
  for (const WeightFormat format : kPickedFormats) {
    const Tensor weight = packed(format);
    const PickedLayer shared(weight, bias_, common), one(weight, bias_, first), two(weight, bias_, second);
    const PickedLayer whole_one(weight, bias_, both(first)), whole_two(weight, bias_, both(second));
    const PickedRows split[] = {{2, &one, &shared}, {1, nullptr, &shared}, {1, nullptr}, {3, &two, &shared}};
    const PickedRows joined[] = {{2, &whole_one}, {1, &shared}, {1, nullptr}, {3, &whole_two}};
    for (const Size count : {1, 5, 12}) {
      const Best a = top_scores(cx_, x_, weight, bias_, count, split),
                 b = top_scores(cx_, x_, weight, bias_, count, joined);
      EXPECT_EQ(a.values.to_host<float>(), b.values.to_host<float>());
      EXPECT_EQ(a.columns.to_host<std::int32_t>(), b.columns.to_host<std::int32_t>());
      const auto sums = a.log_sum.to_host<float>(), expected = b.log_sum.to_host<float>();
      for (std::size_t r = 0; r < sums.size(); ++r) EXPECT_NEAR(sums[r], expected[r], 1e-6);
    }
    EXPECT_EQ(picked_logits(cx_, x_, weight, bias_, split).to_host<float>(),
              picked_logits(cx_, x_, weight, bias_, joined).to_host<float>());
    const PickedLayer none(weight, bias_, {});
    const PickedRows with_none[] = {{kRows, &one, &none}}, alone[] = {{kRows, &one}};
    expect_same(top_scores(cx_, x_, weight, bias_, 5, with_none), top_scores(cx_, x_, weight, bias_, 5, alone));
  }
}

TEST_F(PickedLayers, ScoreTheirWordsAndNoOthers) {
  const Words few = {1, 8, 9, 40, 69};
  for (const WeightFormat format : kPickedFormats)
    for (const bool has_bias : {false, true}) {
      const Tensor weight = packed(format), bias = has_bias ? bias_ : Tensor();
      const PickedLayer layer(weight, bias, few);
      const PickedRows rows[] = {{1, nullptr}, {kRows - 1, &layer}};
      const std::vector<float> whole = linear(cx_, x_, weight, bias).to_host<float>();
      const std::vector<float> logits = picked_logits(cx_, x_, weight, bias, rows).to_host<float>();
      const Best best = top_scores(cx_, x_, weight, bias, 7, rows);
      const auto ids = best.columns.to_host<std::int32_t>();
      const auto values = best.values.to_host<float>(), log_sums = best.log_sum.to_host<float>();
      for (Size r = 0; r < kRows; ++r) {
        double sum = 0;
        for (std::int32_t word = 0; word < kWords; ++word) {
          const auto at = static_cast<std::size_t>(r * kWords + word);
          const bool listed = r == 0 || std::count(few.begin(), few.end(), word) > 0;
          EXPECT_EQ(logits[at], listed ? whole[at] : -INFINITY);
          sum += std::exp(static_cast<double>(logits[at]));
        }
        EXPECT_NEAR(log_sums[static_cast<std::size_t>(r)], std::log(sum), 1e-5);
        Words expected = few;
        if (r == 0) continue;
        std::sort(expected.begin(), expected.end(), [&](std::int32_t a, std::int32_t b) {
          return whole[static_cast<std::size_t>(r * kWords + a)] > whole[static_cast<std::size_t>(r * kWords + b)];
        });
        expected.insert(expected.end(), {-1, -1});
        EXPECT_EQ(Words(ids.begin() + 7 * r, ids.begin() + 7 * (r + 1)), expected);
        EXPECT_EQ(values[static_cast<std::size_t>(7 * r)], whole[static_cast<std::size_t>(r * kWords + expected[0])]);
      }
    }
}

TEST_F(PickedLayers, RefuseWhatDoesNotFit) {
  const Tensor weight = packed(WeightFormat::same), plain = random({kWords, kSize}, 1);
  const auto refused = [](auto action) { return support::message(action); };
  EXPECT_NE(refused([&] {
              PickedLayer(weight, bias_, {3, kWords});
            }).find("word 70 is not one of 70"),
            std::string::npos);
  EXPECT_NE(refused([&] { PickedLayer(weight, bias_, {-1}); }).find("word -1"), std::string::npos);
  EXPECT_NE(refused([&] { PickedLayer(plain, bias_, {1}); }).find("expected a packed f32 weight"), std::string::npos);
  const PickedRows few[] = {{kRows - 1, nullptr}};
  EXPECT_NE(refused([&] { top_scores(cx_, x_, weight, bias_, 1, few); }).find("words for 7 rows but got them for 6"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman
