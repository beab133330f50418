#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "tensor/rotation.h"
#include "tests/tensor/gradient_check.h"

namespace dragoman {
namespace {

using namespace testing;

TEST(Arena, GivesTheSameAddressesAfterEveryReset) {
  Arena arena(cpu_device());
  const auto step = [&] {
    std::vector<void*> addresses;
    for (const std::size_t bytes : {1u, 100u, 5000u, 3'000'000u, 70'000u}) addresses.push_back(arena.allocate(bytes));
    arena.release(addresses[2], 5000);
    addresses.push_back(arena.allocate(4990));
    return addresses;
  };
  step();
  arena.reset();  // merges several blocks into one
  const std::vector<void*> second = step();
  arena.reset();
  EXPECT_EQ(step(), second);
  EXPECT_EQ(second[5], second[2]) << "what was released is handed out again to a request of its size class";
}

TEST(Arena, ReleasesWhatWasAllocatedSinceTheListBeganExceptWhatIsKept) {
  Arena arena(cpu_device());
  void* const before = arena.allocate(5000);
  arena.begin_list();
  void* const kept = arena.allocate(5000);
  void* const other = arena.allocate(5000);
  void* const released = arena.allocate(5000);
  arena.release(released, 5000);
  const void* const keep[] = {kept};
  arena.release_listed(keep);
  arena.end_list();
  std::set<void*> again;
  for (int i = 0; i < 2; ++i) again.insert(arena.allocate(5000));
  EXPECT_EQ(again, (std::set<void*>{other, released}));
  void* const more = arena.allocate(5000);
  EXPECT_TRUE(more != kept && more != before);
}

TEST(Arena, HoldsNoMoreThanItsLargestStepTakes) {
  Arena arena(cpu_device());
  for (int i = 0; i < 30; ++i) arena.allocate(800'000);
  arena.reset();
  EXPECT_LT(arena.reserved(), 30u * 800'000u * 9 / 8);
  EXPECT_GE(arena.reserved(), 30u * 800'000u);
}

TEST(Arena, NeverOverlapsWhatIsInUse) {
  Arena arena(cpu_device());
  Random random(1);
  std::set<std::pair<char*, std::size_t>> live;
  for (int i = 0; i < 3000; ++i) {
    if (!live.empty() && random.below(3) == 0) {
      const auto victim = *live.begin();
      live.erase(live.begin());
      arena.release(victim.first, victim.second);
      continue;
    }
    const std::size_t bytes = 1 + random.below(20'000);
    char* const memory = static_cast<char*>(arena.allocate(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
    const auto after = live.lower_bound({memory, 0});
    if (after != live.end()) {
      ASSERT_LE(memory + bytes, after->first);
    }
    if (after != live.begin()) {
      ASSERT_LE(std::prev(after)->first + std::prev(after)->second, memory);
    }
    live.insert({memory, bytes});
  }
}

TEST(Bf16, RoundsToNearestEvenAndKeepsNan) {
  using kernels::bf16;
  EXPECT_EQ(bf16::from(1.0f).value(), 1.0f);
  EXPECT_EQ(bf16::from(1.00390625f).value(), 1.0f) << "a tie goes to the even neighbour";
  EXPECT_EQ(bf16::from(1.01171875f).value(), 1.015625f) << "a tie goes to the even neighbour";
  EXPECT_EQ(bf16::from(-3.0e38f).bits, bf16::from(-3.0e38f).bits);
  EXPECT_TRUE(std::isinf(bf16::from(std::numeric_limits<float>::max()).value()));
  EXPECT_TRUE(std::isnan(bf16::from(std::numeric_limits<float>::quiet_NaN()).value()));
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const std::vector<float> values = {0.1f, -2.5f, 1e-30f, 65504.0f};
  const Tensor there = to_bf16(cx, cx.from_host<float>(values, {4}));
  EXPECT_EQ(there.dtype(), DType::bf16);
  const std::vector<float> back = from_bf16(cx, there).to_host<float>();
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(back[i], values[i], std::abs(values[i]) / 256);
}

TEST(Bf16, RoundsSomeColumnsOnly) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Tensor x = cx.from_host<float>(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {2, 4});
  const Tensor some = to_bf16(cx, {x, 1, 2});
  EXPECT_EQ(some.shape(), (Shape{2, 2}));
  EXPECT_EQ(some.to_host<float>(), (std::vector<float>{2, 3, 6, 7}));
}

TEST(Bf16, RowsAreMovedOnTheHost) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Tensor x = to_bf16(cx, cx.from_host<float>(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}));
  const Tensor y = cx.zeros(DType::bf16, {3, 2});
  gather_rows(cx, x, cx.from_host<std::int32_t>(std::vector<std::int32_t>{2, 0}, {2}), y.row_view(1, 2));
  cx.copy(x.row_view(1, 1), y.row_view(0, 1));
  EXPECT_EQ(y.to_host<float>(), (std::vector<float>{3, 4, 5, 6, 1, 2}));
}

TEST(Rotation, HoldsOneTensorTwiceWhileAllAreReplaced) {
  Rotation rotation(cpu_device());
  std::vector<Tensor> tensors;
  for (int round = 0; round < 7; ++round) {
    rotation.restart();
    for (std::size_t i = 0; i < 3; ++i) {
      const Context cx = rotation.next();
      const Tensor made = cx.zeros(DType::f32, {1000});
      if (round == 0) {
        tensors.push_back(made);
        made.data<float>()[0] = static_cast<float>(i);
        continue;
      }
      ASSERT_TRUE(tensors[i].alive());
      cx.copy(tensors[i], made);
      EXPECT_EQ(made.data<float>()[0], static_cast<float>(i)) << "round " << round;
      tensors[i] = made;
    }
  }
  EXPECT_LT(rotation.peak(), 5u * 4000);
}

TEST(TimeOrder, PutsTheLongestFirstAndCountsTheActiveSentences) {
  Workspace workspace(cpu_device());
  const Context cx(workspace);
  const TimeOrder time = TimeOrder::of(cx, segments(cx, {2, 0, 3, 2, 1}));
  EXPECT_EQ(time.order.to_host<std::int32_t>(), (std::vector<std::int32_t>{2, 0, 3, 4, 1}));
  EXPECT_EQ(std::vector<std::int32_t>(time.active.begin(), time.active.end()), (std::vector<std::int32_t>{4, 3, 1}));
}

TEST(Tape, RecordsNothingWhenNothingIsTracked) {
  Workspace workspace(cpu_device());
  Context cx = Context::training(workspace, 1, 1);
  const Tensor x = cx.zeros(DType::f32, {2, 3});
  EXPECT_FALSE(tanh(cx, x).tracked());
  EXPECT_EQ(workspace.tape.size(), 0u);
  Context reading(workspace);
  EXPECT_FALSE(tanh(reading, reading.track(x)).tracked());
}

TEST(Tape, SkipsBranchesThatNoGradientReaches) {
  Workspace workspace(cpu_device());
  Context cx = Context::training(workspace, 1, 1);
  const Tensor x = cx.track(cx.zeros(DType::f32, {2}));
  const Tensor unused = scale(cx, x, 5), used = scale(cx, x, 2);
  EXPECT_TRUE(unused.tracked());
  cx.seed(used, std::vector<double>{1, 1});
  cx.backward();
  EXPECT_EQ(cx.gradient(x).to_host<float>(), (std::vector<float>{2, 2}));
}

TEST(Attention, OfKeysInBf16IsThatOfTheRoundedKeys) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const auto random = [&](Size rows, std::uint64_t seed) {
    const Leaf leaf = Leaf::random({rows, 8}, seed);
    return cx.from_host<float>(std::vector<float>(leaf.values.begin(), leaf.values.end()), {rows, 8});
  };
  const Tensor q = random(7, 1), k = to_bf16(cx, random(9, 2)), v = to_bf16(cx, random(9, 3));
  const Segments queries = segments(cx, {1, 6}), keys = segments(cx, {5, 4});
  const Attended narrow = attention(cx, q, k, v, queries, keys, {.heads = 2});
  const Attended wide = attention(cx, q, from_bf16(cx, k), from_bf16(cx, v), queries, keys, {.heads = 2});
  EXPECT_EQ(narrow.out.dtype(), DType::f32);
  EXPECT_EQ(narrow.out.to_host<float>(), wide.out.to_host<float>());
  EXPECT_THROW(attention(cx, q, k, from_bf16(cx, v), queries, keys, {.heads = 2}), Error);
  EXPECT_THROW(attention(cx, k, from_bf16(cx, k), from_bf16(cx, k), keys, keys, {.heads = 2}), Error);
  Context training = Context::training(workspace, 1, 1);
  EXPECT_THROW(attention(training, training.track(q), k, v, queries, keys, {.heads = 2}), Error);
}

TEST(Attention, ReturnsWeightsThatSumToOneAndSeeNoFuture) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Leaf leaf = Leaf::random({5, 8}, 3);
  const std::vector<float> values(leaf.values.begin(), leaf.values.end());
  const Tensor x = cx.from_host<float>(values, {5, 8});
  const Segments rows = segments(cx, {3, 2});
  const Attended attended = attention(cx, x, x, x, rows, rows, {.heads = 2, .causal = true, .weights = true});
  const std::vector<float> weights = attended.weights.to_host<float>();
  ASSERT_EQ(weights.size(), 2u * (9 + 4));
  std::size_t at = 0;
  for (const std::size_t n : {3u, 3u, 2u, 2u})
    for (std::size_t i = 0; i < n; ++i) {
      float sum = 0;
      for (std::size_t j = 0; j < n; ++j, ++at) {
        sum += weights[at];
        if (j > i) {
          EXPECT_EQ(weights[at], 0) << "query " << i << " sees key " << j;
        }
      }
      EXPECT_NEAR(sum, 1, 1e-6);
    }
}

TEST(GatherRows, WritesToRowsOfATensorAndToNoOthers) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Tensor x = cx.from_host<float>(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}), y = cx.zeros(DType::f32, {4, 2});
  gather_rows(cx, x, ids(cx, {2, 0}), y.row_view(1, 2));
  EXPECT_EQ(y.to_host<float>(), (std::vector<float>{0, 0, 5, 6, 1, 2, 0, 0}));
}

class Errors : public ::testing::Test {
 protected:
  Tensor zeros(Shape shape) { return cx.zeros(DType::f32, shape); }

  Workspace workspace{cpu_device()};
  Context cx{workspace};
};

TEST_F(Errors, WrongShapesNameTheOpAndBothShapes) {
  EXPECT_EQ(error_of([&] {
              linear(cx, zeros({3, 5}), zeros({4, 6}));
            }),
            "[linear] x [3, 5] does not fit weight [4, 6]: expected 6 columns");
  EXPECT_EQ(error_of([&] { add(cx, zeros({3, 5}), zeros({5, 3})); }), "[add] [3, 5] and [5, 3] are not the same");
  EXPECT_EQ(error_of([&] {
              batched_matmul(cx, zeros({2, 3, 4}), zeros({2, 5, 6}));
            }),
            "[batched_matmul] the inner sizes of [2, 3, 4] and [2, 5, 6] differ: 4 and 5");
  EXPECT_EQ(error_of([&] {
              layer_norm(cx, zeros({3, 5}), {zeros({4}), zeros({5})});
            }),
            "[layer_norm] gain [4] and bias [5] do not fit x [3, 5]: expected 5 values");
  EXPECT_EQ(error_of([&] {
              project_length(cx, {zeros({2, 3})}, zeros({4, 5}), segments(cx, {4}));
            }),
            "[project_length] a sentence of 4 tokens is longer than the 3 that this projection [2, 3] supports");
  EXPECT_EQ(
      error_of([&] {
        lstm_cell(cx, zeros({2, 12}), zeros({2, 4}));
      }),
      "[lstm_cell] gates [2, 12] do not fit cell state [2, 4]: expected the same rows and four times the columns");
  EXPECT_EQ(error_of([&] {
              gather_rows(cx, zeros({3, 5}), ids(cx, {0, 2}), zeros({3, 5}));
            }),
            "[gather_rows] 2 rows of [3, 5] do not fit into [3, 5]");
  EXPECT_EQ(error_of([&] { slice_rows(cx, zeros({3, 5}), 2, 2); }), "[slice_rows] rows 2 to 4 are not within [3, 5]");
  EXPECT_EQ(
      error_of([&] {
        attention(cx, zeros({3, 8}), zeros({3, 6}), zeros({3, 8}), segments(cx, {3}), segments(cx, {3}), {.heads = 2});
      }),
      "[attention] queries [3, 8] and keys [3, 6] differ in size: 8 and 6 columns");
}

TEST_F(Errors, MixedDevicesAreRefused) {
  Workspace other(reference_device());
  const Tensor elsewhere = Context(other).zeros(DType::f32, {2, 3});
  EXPECT_EQ(error_of([&] {
              multiply(cx, zeros({2, 3}), elsewhere);
            }),
            "[multiply] [2, 3] is on reference but the computation runs on cpu");
}

TEST_F(Errors, MixedTypesAreRefused) {
  EXPECT_EQ(error_of([&] {
              multiply(cx, zeros({2, 3}), cx.zeros(DType::f64, {2, 3}));
            }),
            "[multiply] [2, 3] of f32 does not match [2, 3] of f64");
}

TEST_F(Errors, TokenIdsOutsideTheTableAreRefused) {
  EXPECT_EQ(error_of([&] {
              embedding(cx, ids(cx, {0, 7}), zeros({7, 2}));
            }),
            "[embedding] id 7 at place 1 of [2] is outside 0 .. 6");
  EXPECT_EQ(error_of([&] {
              embedding(cx, ids(cx, {-1}), zeros({7, 2}));
            }),
            "[embedding] id -1 at place 0 of [1] is outside 0 .. 6");
  EXPECT_EQ(error_of([&] {
              cross_entropy(cx, zeros({1, 2}), zeros({4, 2}), {}, ids(cx, {4}));
            }),
            "[cross_entropy] id 4 at place 0 of [1] is outside 0 .. 3");
}

TEST_F(Errors, APackedBatchKnowsTheRangeOfItsIds) {
  const std::int32_t tokens[] = {5, 2, 9, 2}, offsets[] = {0, 1, 4}, nothing[] = {0};
  const Packed packed = Packed::from_host(cx, tokens, offsets);
  EXPECT_EQ(packed.lowest, 2);
  EXPECT_EQ(packed.highest, 9);
  EXPECT_NO_THROW(packed.check_ids(10));
  EXPECT_EQ(error_of([&] { packed.check_ids(9); }), "[packed] token id 9 is outside a vocabulary of 9 ids (0 to 8)");
  const std::int32_t negative[] = {5, -1, 0, 2};
  EXPECT_EQ(error_of([&] { Packed::from_host(cx, negative, offsets).check_ids(9); }),
            "[packed] token id -1 is outside a vocabulary of 9 ids (0 to 8)");
  EXPECT_NO_THROW(Packed::from_host(cx, {}, nothing).check_ids(1));
}

TEST_F(Errors, NanIsReportedByTheOpThatProducesItInACheckedContext) {
  const std::vector<float> huge = {1e30f, -1e30f};
  const Tensor x = cx.from_host<float>(huge, {1, 2});
  EXPECT_NO_THROW(multiply(cx, x, x));
  cx.set_checked(true);
  EXPECT_EQ(error_of([&] { multiply(cx, x, x); }), "[multiply] gave NaN or infinity in its result [1, 2]");
}

TEST_F(Errors, TensorsFromBeforeAResetAreRefused) {
  const Tensor old = zeros({2, 3});
  workspace.reset();
  EXPECT_EQ(error_of([&] { tanh(cx, old); }), "[activate] [2, 3] is from before its arena was reset");
}

TEST_F(Errors, AKernelThatAFillingLacksSaysSo) {
  kernels::Kernels<float> empty("cuda");
  EXPECT_EQ(error_of([&] { empty.softmax({}); }), "[softmax] not available on cuda");
}

TEST(Arena, AsksForNoMoreThanItsLimitAndGivesItBackWhenDropped) {
  Arena arena(cpu_device());
  arena.set_limit(std::size_t{3} << 20);
  arena.allocate(std::size_t{2} << 20);
  EXPECT_THROW(arena.allocate(std::size_t{2} << 20), OutOfMemory);
  arena.allocate(std::size_t{1} << 20);
  EXPECT_EQ(arena.reserved(), std::size_t{3} << 20);
  arena.reset();
  EXPECT_EQ(arena.reserved(), std::size_t{3} << 20);
  arena.drop();
  EXPECT_EQ(arena.reserved(), 0u);
  arena.allocate(std::size_t{3} << 20);
  EXPECT_EQ(arena.reserved(), std::size_t{3} << 20);
}

}  // namespace
}  // namespace dragoman
