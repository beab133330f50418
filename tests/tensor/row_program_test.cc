// Row programs against the ops that they stand for.
#include "tensor/row_program.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.h"

namespace dragoman {
namespace {

constexpr Size kSize = 8, kHeads = 2, kSentences = 3;

class RowPrograms : public ::testing::Test {
 protected:
  Tensor values(Shape shape) {
    std::vector<float> numbers(static_cast<std::size_t>(shape.count()));
    for (float& number : numbers) number = static_cast<float>(random_.uniform(-1, 1));
    return cx_.from_host<float>(numbers, shape);
  }
  Tensor weight(Size out, Size in) { return packed_for_steps(cx_, values({out, in})); }
  static void expect_same_bits(const Tensor& a, const Tensor& b) {
    ASSERT_EQ(a.shape(), b.shape());
    EXPECT_EQ(std::memcmp(a.raw(), b.raw(), a.bytes()), 0);
  }

  Random random_{3};
  Workspace workspace_{cpu_device()};
  Context cx_{workspace_};
  const Tensor x_ = values({kSentences, kSize}), keys_ = values({5, 2 * kSize});
  const Tensor query_ = weight(kSize, kSize), out_ = weight(kSize, kSize), bias_ = values({kSize});
  const NormParameters norm_{values({kSize}), values({kSize})};
  const Segments ones_ = Segments::from_lengths(cx_, std::vector<std::int32_t>{1, 1, 1});
  const Segments sources_ = Segments::from_lengths(cx_, std::vector<std::int32_t>{2, 1, 2});
};

TEST_F(RowPrograms, GiveTheBitsOfTheirOps) {
  const AttentionOptions options{.heads = kHeads};
  const Columns k{keys_, 0, kSize}, v{keys_, kSize, kSize};
  RowProgram program(cx_);
  const Tensor q = program.linear(x_, query_, bias_);
  const Attended attended = program.attention(q, k, v, ones_, sources_, options);
  const Tensor branch = program.linear(attended.out, out_, {}, {.activation = Activation::gelu});
  const Residual residual = program.residual_norm(x_, branch, 0.5, norm_);
  program.run();

  const Tensor plain_q = linear(cx_, x_, query_, bias_);
  const Attended plain_attended = attention(cx_, plain_q, k, v, ones_, sources_, options);
  const Tensor plain_branch = linear(cx_, plain_attended.out, out_, {}, {.activation = Activation::gelu});
  const Residual plain = residual_norm(cx_, x_, plain_branch, 0.5, norm_);
  expect_same_bits(q, plain_q);
  expect_same_bits(attended.out, plain_attended.out);
  expect_same_bits(residual.sum, plain.sum);
  expect_same_bits(residual.normalised, plain.normalised);
}

TEST_F(RowPrograms, AnOpThatReadsSomethingElseComesAfterWhatWasGathered) {
  RowProgram program(cx_);
  const Tensor first = program.linear(x_, query_), second = program.linear(x_, out_);
  expect_same_bits(first, linear(cx_, x_, query_));  // the second layer began a new chain
  program.run();
  expect_same_bits(second, linear(cx_, x_, out_));
}

TEST_F(RowPrograms, ALayerWhoseWeightIsNotPackedIsComputedAtOnce) {
  RowProgram program(cx_);
  const Tensor plain = values({kSize, kSize});
  const Tensor first = program.linear(x_, query_), second = program.linear(first, plain);
  expect_same_bits(second, linear(cx_, linear(cx_, x_, query_), plain));
}

TEST_F(RowPrograms, WhereGradientsAreRecordedOpsAreComputedAtOnceAndRecorded) {
  Context training = Context::training(workspace_, 1, 1);
  const Tensor x = training.track(x_);
  RowProgram program(training);
  const Tensor y = program.linear(x, query_);
  EXPECT_TRUE(y.tracked());
  expect_same_bits(y.detached(), linear(cx_, x_, query_));
}

TEST_F(RowPrograms, ShapesAreCheckedWhenAnOpIsCalled) {
  RowProgram program(cx_);
  EXPECT_THROW(program.linear(keys_, query_), Error);
}

}  // namespace
}  // namespace dragoman
