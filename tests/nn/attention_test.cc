#include "nn/attention/attention.h"

#include <gtest/gtest.h>

namespace dragoman::nn {
namespace {

constexpr Size kSize = 8, kMixtures = 3;

// A Linformer over sentences of random states, in double.
class Linformer : public ::testing::Test {
 protected:
  Linformer() : workspace_(cpu_device()), cx_(workspace_) {}

  static AttentionConfig config(Score score = Score::scaled_dot) {
    return {.score = score, .heads = 2, .linformer = kMixtures, .linformer_length = 6};
  }
  static AttentionPlace place(bool self) {
    return {.name = "a", .query = kSize, .memory = kSize, .projected = true, .self = self};
  }

  Tensor random(Shape shape, std::uint64_t seed) {
    Random numbers(seed);
    std::vector<double> values(static_cast<std::size_t>(shape.count()));
    for (double& value : values) value = numbers.uniform(-1, 1);
    return cx_.from_host<double>(values, shape);
  }
  Segments segments(const std::vector<std::int32_t>& lengths) { return Segments::from_lengths(cx_, lengths); }
  void allocate() { list_.allocate(cpu_device(), DType::f64, 5, false); }
  Tensor parameter(const std::string& name) const { return list_.find("a." + name)->tensor; }
  // kSize numbers of the projections' bias, starting at `first`: [1, kSize].
  Tensor bias(Size first) const {
    const Tensor column = parameter("in_proj_bias").reshaped({3 * kSize, 1});
    return column.row_view(first, kSize).reshaped({1, kSize});
  }

  static void expect_near(const Tensor& expected, const Tensor& actual, const char* what) {
    ASSERT_EQ(expected.shape(), actual.shape()) << what;
    const auto left = expected.to_host<double>(), right = actual.to_host<double>();
    for (std::size_t i = 0; i < left.size(); ++i) EXPECT_NEAR(left[i], right[i], 1e-12) << what << " at " << i;
  }

  Workspace workspace_;
  Context cx_;
  Parameters list_;
};

TEST_F(Linformer, KeysOfMixturesAreMixturesOfTheKeysOfAllPositions) {
  for (const bool self : {true, false}) {
    Parameters list;
    const Attention attention(list, place(self), config());
    list.allocate(cpu_device(), DType::f64, 5, false);
    const Tensor memory = random({10, kSize}, 1);
    const Segments rows = segments({4, 0, 6});
    const Keys keys = attention.prepare(cx_, memory, rows);
    const Tensor weight = list.find("a.in_proj_weight")->tensor;
    const auto projected_last = [&](Size first, const char* projection) {
      const Tensor all = linear(cx_, memory, weight.row_view(first, kSize));
      return project_length(cx_, {list.find(projection)->tensor}, all, rows).first;
    };
    expect_near(projected_last(kSize, "a.linformer_keys"), keys.keys.of, "keys");
    expect_near(projected_last(2 * kSize, "a.linformer_values"), keys.values.of, "values");
    EXPECT_EQ(keys.rows.total(), 3 * kMixtures);
  }
}

TEST_F(Linformer, SeparateKeysAndValuesAreMixedTheSameWay) {
  AttentionConfig split = config(Score::multiplicative);
  split.heads = 1, split.key_size = 5, split.value_size = 2;
  const Attention attention(list_, {.name = "a", .query = 4, .memory = kSize}, split);
  allocate();
  const Tensor memory = random({7, kSize}, 1);
  const Segments rows = segments({6, 1});
  const Keys keys = attention.prepare(cx_, memory, rows);
  const Tensor both = linear(cx_, memory, parameter("key_value.weight"));
  const Mixtures mixed = project_length(cx_, {parameter("linformer_keys"), parameter("linformer_values")}, both, rows);
  expect_near(slice_columns(cx_, mixed.first, 0, 5), keys.keys.of, "keys");
  expect_near(slice_columns(cx_, mixed.second, 5, 2), keys.values.of, "values");
}

TEST_F(Linformer, SeparateValuesAreMixedByTheirOwnProjection) {
  AttentionConfig bare = config(Score::multiplicative);
  bare.heads = 1;
  const Attention attention(list_, {.name = "a", .query = 4, .memory = kSize, .values = 3}, bare);
  allocate();
  const Tensor memory = random({7, kSize}, 1), values = random({7, 3}, 2);
  const Segments rows = segments({6, 1});
  const Keys keys = attention.prepare(cx_, memory, values, rows);
  expect_near(project_length(cx_, {parameter("linformer_keys")}, memory, rows).first, keys.keys.of, "keys");
  expect_near(project_length(cx_, {parameter("linformer_values")}, values, rows).first, keys.values.of, "values");
}

TEST_F(Linformer, BiasesDoWhatTheyDoInExactAttention) {
  const Attention attention(list_, place(true), config());
  allocate();
  const Tensor x = random({10, kSize}, 1);
  const Segments rows = segments({4, 6});
  const auto attended = [&] { return attention.attend(cx_, x, rows, attention.prepare(cx_, x, rows)).out; };
  const Tensor without = attended();
  cx_.copy(random({kSize}, 2), bias(kSize));
  expect_near(without, attended(), "one that all keys share changes nothing");
  cx_.copy(random({kSize}, 3), bias(2 * kSize));
  const Tensor through = linear(cx_, bias(2 * kSize), parameter("out_proj.weight"));
  const Tensor everywhere = gather_rows(cx_, through, cx_.zeros(DType::i32, {10}));
  expect_near(add(cx_, without, everywhere), attended(), "the values' is added once");
}

}  // namespace
}  // namespace dragoman::nn
