// The gradient of every op against finite differences in double, and its CPU kernel in float against the double values.
#include <gtest/gtest.h>

#include "tests/tensor/gradient_check.h"

namespace dragoman {
namespace {

using namespace testing;
using Tensors = std::vector<Tensor>;

TEST(Gradients, LinearWithEveryActivationAndBothLayouts) {
  for (const bool transposed : {true, false})
    for (const Activation activation :
         {Activation::none, Activation::relu, Activation::gelu, Activation::silu, Activation::tanh}) {
      const Shape weight = transposed ? Shape{4, 3} : Shape{3, 4};
      check_gradients({Leaf::random({5, 3}, 1), Leaf::random(weight, 2), Leaf::random({4}, 3)},
                      [&](Context& cx, const Tensors& t) {
                        return Tensors{linear(cx, t[0], t[1], t[2], {transposed, activation})};
                      });
    }
}

TEST(Gradients, LinearWithoutBiasAndWithATiedWeightUsedTwice) {
  check_gradients({Leaf::random({5, 4}, 1), Leaf::random({4, 4}, 2)}, [](Context& cx, const Tensors& t) {
    const Tensor once = linear(cx, t[0], t[1], {}, {.activation = Activation::tanh});
    return Tensors{linear(cx, once, t[1], {}, {.transposed = false})};
  });
}

TEST(Gradients, BatchedMatmulInAllLayouts) {
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      check_gradients({Leaf::random(ta ? Shape{2, 4, 3} : Shape{2, 3, 4}, 1),
                       Leaf::random(tb ? Shape{2, 5, 4} : Shape{2, 4, 5}, 2)},
                      [&](Context& cx, const Tensors& t) {
                        return Tensors{batched_matmul(cx, t[0], t[1], {ta, tb, 0.7})};
                      });
}

TEST(Gradients, SegmentedScoresSoftmaxAndMix) {
  check_gradients({Leaf::random({6, 3}, 1), Leaf::random({7, 3}, 2), Leaf::random({7, 4}, 3)},
                  [](Context& cx, const Tensors& t) {
                    const PairLayout pairs = PairLayout::of(cx, segments(cx, {2, 1, 0, 3}), segments(cx, {3, 1, 2, 1}));
                    const Tensor scores = segment_scores(cx, t[0], t[1], pairs, 0.5);
                    const Tensor weights = segment_softmax(cx, scores, pairs);
                    return Tensors{segment_mix(cx, weights, t[2], pairs), scores};
                  });
}

TEST(Gradients, ProjectionAlongTheLength) {
  check_gradients({Leaf::random({2, 5}, 1), Leaf::random({8, 3}, 2)}, [](Context& cx, const Tensors& t) {
    return Tensors{project_length(cx, {t[0]}, t[1], segments(cx, {3, 5, 0})).first};
  });
}

TEST(Gradients, TwoProjectionsAlongTheLengthAddUpWhereTheyReadTheSameColumns) {
  const auto both = [](Context& cx, const Tensors& t) {
    return project_length(cx, {t[0], t[1]}, Columns{t[2], 1, 4}, segments(cx, {3, 5, 0}));
  };
  const std::vector<Leaf> leaves = {Leaf::random({2, 5}, 1), Leaf::random({2, 5}, 2), Leaf::random({8, 7}, 3)};
  check_gradients(leaves, [&](Context& cx, const Tensors& t) {
    const Mixtures mixtures = both(cx, t);
    return Tensors{mixtures.first, mixtures.second};
  });
  check_gradients(leaves, [&](Context& cx, const Tensors& t) { return Tensors{both(cx, t).first}; });
  check_gradients(leaves, [&](Context& cx, const Tensors& t) { return Tensors{both(cx, t).second}; });
}

TEST(Gradients, EmbeddingWithScaleAndLearnedPositionsAddsUpRepeatedIds) {
  check_gradients({Leaf::random({5, 3}, 1), Leaf::random({4, 3}, 2)}, [](Context& cx, const Tensors& t) {
    const Tensor tokens = ids(cx, {4, 0, 4, 2, 4, 0, 1}), positions = ids(cx, {0, 1, 2, 3, 0, 1, 0});
    return Tensors{embedding(cx, tokens, t[0], {.scale = 1.7, .positions = t[1], .position_ids = positions})};
  });
}

TEST(Gradients, RowsGatheredConcatenatedAndSliced) {
  check_gradients({Leaf::random({4, 3}, 1), Leaf::random({2, 3}, 2)}, [](Context& cx, const Tensors& t) {
    const Tensor gathered = gather_rows(cx, t[0], ids(cx, {3, 3, 0, 1}));
    const Tensor stacked = concat_rows(cx, Tensors{gathered, t[1], gathered});
    const Tensor middle = slice_rows(cx, stacked, 2, 5), overlap = slice_rows(cx, stacked, 4, 5);
    const Tensor wide = concat_columns(cx, Tensors{middle, overlap, middle});
    return Tensors{slice_columns(cx, wide, 2, 6), slice_columns(cx, wide, 0, 4)};
  });
}

TEST(Gradients, LayerNorm) {
  check_gradients({Leaf::random({4, 7}, 1), Leaf::random({7}, 2), Leaf::random({7}, 3)},
                  [](Context& cx, const Tensors& t) {
                    return Tensors{layer_norm(cx, t[0], {t[1], t[2]})};
                  });
}

TEST(Gradients, ResidualNormInBothOrdersWithDropout) {
  const std::vector<Leaf> leaves = {Leaf::random({4, 6}, 1), Leaf::random({4, 6}, 2), Leaf::random({6}, 3),
                                    Leaf::random({6}, 4)};
  for (const double rate : {0.0, 0.4}) {
    check_gradients(leaves, [&](Context& cx, const Tensors& t) {  // post-norm: the sum is not used
      return Tensors{residual_norm(cx, t[0], t[1], rate, {t[2], t[3]}).normalised};
    });
    check_gradients(leaves, [&](Context& cx, const Tensors& t) {  // pre-norm: both the sum and the norm are used
      const Residual residual = residual_norm(cx, t[0], t[1], rate, {t[2], t[3]});
      return Tensors{residual.normalised, add(cx, residual.sum, t[0])};
    });
  }
}

TEST(Gradients, Softmax) {
  check_gradients({Leaf::random({3, 5}, 1)}, [](Context& cx, const Tensors& t) { return Tensors{softmax(cx, t[0])}; });
}

TEST(Gradients, ElementwiseOps) {
  check_gradients({Leaf::random({3, 4}, 1), Leaf::random({3, 4}, 2)}, [](Context& cx, const Tensors& t) {
    const Tensor a = sigmoid(cx, t[0]), b = tanh(cx, t[1]);
    const Tensor product = multiply(cx, a, b), sum = add(cx, a, t[1], 0.3, -2);
    return Tensors{multiply(cx, product, product), scale(cx, sum, 1.5), activate(cx, t[0], Activation::gelu),
                   activate(cx, t[1], Activation::silu)};
  });
}

TEST(Gradients, DropoutDrawsTheSameMaskInBackward) {
  check_gradients({Leaf::random({7, 40}, 1)},
                  [](Context& cx, const Tensors& t) { return Tensors{dropout(cx, dropout(cx, t[0], 0.3), 0.5)}; });
}

TEST(Gradients, AttentionOverPackedSentences) {
  const std::vector<std::int32_t> queries = {2, 0, 3, 1}, keys = {3, 2, 3, 4};
  for (const bool causal : {false, true})
    for (const double rate : {0.0, 0.3})
      check_gradients({Leaf::random({6, 4}, 1), Leaf::random({12, 4}, 2), Leaf::random({12, 6}, 3)},
                      [&](Context& cx, const Tensors& t) {
                        return Tensors{attention(cx, t[0], t[1], t[2], segments(cx, queries), segments(cx, keys),
                                                 {.heads = 2, .causal = causal, .dropout = rate})
                                           .out};
                      });
}

TEST(Gradients, SelfAttentionReadsItsThreePartsFromOneTensor) {
  check_gradients({Leaf::random({6, 10}, 1)}, [](Context& cx, const Tensors& t) {
    const Segments rows = segments(cx, {4, 2});
    return Tensors{
        attention(cx, {t[0], 0, 4}, {t[0], 4, 4}, {t[0], 8, 2}, rows, rows, {.heads = 2, .causal = true}).out};
  });
}

TEST(Gradients, AdditiveScores) {
  check_gradients({Leaf::random({4, 5}, 1), Leaf::random({6, 5}, 2), Leaf::random({5}, 3)},
                  [](Context& cx, const Tensors& t) {
                    const PairLayout pairs = PairLayout::of(cx, segments(cx, {1, 3, 0}), segments(cx, {2, 3, 1}));
                    return Tensors{additive_scores(cx, t[0], t[1], t[2], pairs)};
                  });
}

TEST(Gradients, CausalAdditiveScores) {
  check_gradients({Leaf::random({4, 5}, 1), Leaf::random({6, 5}, 2), Leaf::random({5}, 3)},
                  [](Context& cx, const Tensors& t) {
                    const PairLayout pairs = PairLayout::of(cx, segments(cx, {1, 3}), segments(cx, {2, 4}));
                    return Tensors{segment_softmax(cx, additive_scores(cx, t[0], t[1], t[2], pairs, true), pairs)};
                  });
}

TEST(Gradients, LstmCellChained) {
  check_gradients({Leaf::random({3, 8}, 1), Leaf::random({3, 2}, 2), Leaf::random({8, 2}, 3)},
                  [](Context& cx, const Tensors& t) {
                    const Tensor own = scale(cx, t[0], 1);
                    const LstmState one = lstm_cell(cx, own, t[1]);
                    const Tensor gates = linear(cx, one.h, t[2]);
                    const LstmState two = lstm_cell(cx, gates, one.c);
                    return Tensors{two.h, two.c, one.h};
                  });
}

TEST(Gradients, GruCellChained) {
  check_gradients({Leaf::random({3, 6}, 1), Leaf::random({3, 2}, 2), Leaf::random({6, 2}, 3)},
                  [](Context& cx, const Tensors& t) {
                    const Tensor one = gru_cell(cx, scale(cx, t[0], 1), linear(cx, t[1], t[2]), t[1]);
                    return Tensors{gru_cell(cx, scale(cx, t[0], -1), linear(cx, one, t[2]), one), one};
                  });
}

TEST(Gradients, RotaryPositionsOnSomeColumns) {
  check_gradients({Leaf::random({4, 11}, 1)}, [](Context& cx, const Tensors& t) {
    return Tensors{rotate(cx, {t[0], 2, 8}, 2, ids(cx, {0, 1, 5, 2}))};
  });
}

TEST(Gradients, LstmLayerInBothDirectionsWithAndWithoutFirstState) {
  const std::vector<Leaf> leaves = {Leaf::random({7, 8}, 1), Leaf::random({8, 2}, 2), Leaf::random({4, 2}, 3),
                                    Leaf::random({4, 2}, 4)};
  for (const bool reverse : {false, true})
    for (const bool with_first : {false, true})
      check_gradients(leaves, [&](Context& cx, const Tensors& t) {
        const Segments rows = segments(cx, {2, 0, 4, 1});
        const LstmState first = with_first ? LstmState{t[2], t[3]} : LstmState{};
        const Tensor own = scale(cx, t[0], 1);
        const LstmOutput out = lstm_layer(cx, {own, t[1], first, reverse}, rows, TimeOrder::of(cx, rows));
        return Tensors{out.h, out.last.h, out.last.c};
      });
}

TEST(Gradients, SimpleRecurrentUnitsWithAndWithoutFirstState) {
  for (const bool with_first : {false, true})
    check_gradients({Leaf::random({7, 6}, 1, 2), Leaf::random({4, 3}, 2)}, [&](Context& cx, const Tensors& t) {
      const SsruOutput out = ssru(cx, t[0], with_first ? t[1] : Tensor(), segments(cx, {2, 0, 4, 1}));
      return Tensors{out.h, out.last};
    });
}

TEST(Gradients, SimpleRecurrentUnitsWhoseGatesAreAlsoUsedElsewhere) {
  check_gradients({Leaf::random({5, 4}, 1), Leaf::random({2, 2}, 2)}, [&](Context& cx, const Tensors& t) {
    const Segments rows = segments(cx, {3, 2});
    const SsruOutput one = ssru(cx, t[0], t[1], rows);
    return Tensors{ssru(cx, t[0], one.last, rows).h, scale(cx, t[0], 0.5), scale(cx, one.last, 2)};
  });
}

TEST(Gradients, PermutedRows) {
  check_gradients({Leaf::random({4, 3}, 1)}, [](Context& cx, const Tensors& t) {
    const Tensor index = ids(cx, {2, 0, 3, 1}), inverse = ids(cx, {1, 3, 0, 2});
    return Tensors{permute_rows(cx, t[0], index, inverse), permute_rows(cx, t[0], inverse, index)};
  });
}

TEST(Gradients, TwoLstmLayersAtTheSameTime) {
  check_gradients({Leaf::random({7, 8}, 1), Leaf::random({8, 2}, 2), Leaf::random({7, 8}, 3), Leaf::random({8, 2}, 4),
                   Leaf::random({4, 2}, 5), Leaf::random({4, 2}, 6)},
                  [](Context& cx, const Tensors& t) {
                    const Segments rows = segments(cx, {2, 0, 4, 1});
                    const LstmInput there{scale(cx, t[0], 1), t[1], {t[4], t[5]}, false};
                    const LstmInput back{scale(cx, t[2], 1), t[3], {}, true};
                    const auto [a, b] = lstm_layers(cx, there, back, rows, TimeOrder::of(cx, rows));
                    return Tensors{a.h, a.last.h, a.last.c, b.h, b.last.h, b.last.c};
                  });
}

// cross_entropy writes its gradients itself; here they are compared with differences of the loss it returns.
TEST(Gradients, CrossEntropyWithSmoothing) {
  for (const double smoothing : {0.0, 0.1}) {
    std::vector<Leaf> leaves = {Leaf::random({5, 3}, 1), Leaf::random({7, 3}, 2), Leaf::random({7}, 3)};
    const auto total = [&](bool record, std::vector<std::vector<double>>* gradients) {
      Workspace workspace(reference_device());
      Context cx = Context::training(workspace, 1, 1);
      Tensors t;
      for (const Leaf& leaf : leaves) {
        const Tensor tensor = cx.from_host<double>(leaf.values, leaf.shape);
        t.push_back(record ? cx.track(tensor) : tensor);
      }
      const Losses losses =
          cross_entropy(cx, t[0], t[1], t[2], ids(cx, {6, 0, 3, 3, 1}), {.smoothing = smoothing, .gradient_scale = 1});
      if (gradients)
        for (const Tensor& tensor : t) gradients->push_back(cx.gradient(tensor).to_host<double>());
      double sum = 0;
      for (const double value : losses.loss.to_host<double>()) sum += value;
      return sum;
    };
    std::vector<std::vector<double>> gradients;
    total(true, &gradients);
    for (std::size_t l = 0; l < leaves.size(); ++l)
      for (std::size_t i = 0; i < leaves[l].values.size(); ++i) {
        double& value = leaves[l].values[i];
        const double before = value;
        value = before + 1e-5;
        const double above = total(false, nullptr);
        value = before - 1e-5;
        const double below = total(false, nullptr);
        value = before;
        ASSERT_NEAR(gradients[l][i], (above - below) / 2e-5, 1e-8) << "leaf " << l << " element " << i;
      }
  }
}

}  // namespace
}  // namespace dragoman
