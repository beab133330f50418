// Properties that every model of the zoo must have. Models are shrunk in size but not in structure.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/classifier.h"
#include "tests/models/zoo.h"

namespace dragoman::models {
namespace {

class Zoo : public ::testing::Test {
 protected:
  // Logits of whole targets, in one call.
  static std::vector<double> whole(const Seq2seq& model, const std::vector<Ids>& sources,
                                   const std::vector<Ids>& targets) {
    Workspace workspace(model.parameters().weights().device());
    Context cx(workspace);
    const Memory memory = model.encode(cx, sentences(sources).packed(cx));
    State state = model.start(cx, memory, false);
    const Decoded decoded = model.decode(cx, sentences(targets).packed(cx), memory, state);
    return model.logits(cx, decoded.features).to_host<double>();
  }
};

void expect_same(const std::vector<double>& expected, const std::vector<double>& actual, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(expected[i], actual[i], tolerance) << what << " at " << i;
}

TEST_F(Zoo, TokenByTokenEqualsTheWholeSequenceAlsoAcrossAReorderedBeam) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 5, false);
    const std::size_t vocabulary = 13;
    Workspace workspace(cpu_device());
    Context cx(workspace);
    const Memory memory = model.encode(cx, sentences(kSources).packed(cx));
    State state = model.start(cx, memory, true);
    // The beam of each sentence doubles after its first two tokens; then hypotheses swap places at every step.
    std::vector<Ids> histories(3);
    const auto append = [&](const std::vector<Ids>& tokens) {
      const Decoded decoded = model.decode(cx, sentences(tokens).packed(cx), memory, state);
      for (std::size_t h = 0; h < tokens.size(); ++h)
        histories[h].insert(histories[h].end(), tokens[h].begin(), tokens[h].end());
      const std::vector<double> logits = model.logits(cx, decoded.features).to_host<double>();
      std::size_t at = 0;
      for (std::size_t h = 0; h < tokens.size(); ++h) {
        const std::size_t sentence = h * 3 / tokens.size();
        const std::vector<double> all = whole(model, {kSources[sentence]}, {histories[h]});
        const std::size_t rows = tokens[h].size();
        expect_same({all.end() - static_cast<std::ptrdiff_t>(rows * vocabulary), all.end()},
                    {logits.begin() + static_cast<std::ptrdiff_t>(at),
                     logits.begin() + static_cast<std::ptrdiff_t>(at + rows * vocabulary)},
                    1e-10, "hypothesis " + std::to_string(h));
        at += rows * vocabulary;
      }
    };
    const auto select = [&](const Ids& chosen, const Ids& beams) {
      state = state.select(cx, chosen, beams);
      std::vector<Ids> next;
      for (const std::int32_t h : chosen) next.push_back(histories[static_cast<std::size_t>(h)]);
      histories = next;
    };
    append({{1, 4}, {1, 7}, {1, 2}});
    select({0, 0, 1, 1, 2, 2}, {2, 2, 2});
    append({{5}, {6}, {7}, {8}, {9}, {10}});
    select({1, 0, 2, 2, 5, 4}, {2, 2, 2});
    append({{3}, {11}, {12}, {4}, {1}, {0}});
    append({{2}, {2}, {5}, {6}, {7}, {8}});
  }
}

TEST_F(Zoo, SentencesMayLeaveAndJoinABatchInTheMiddleOfDecoding) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 5, false);
    Workspace first(cpu_device()), second(cpu_device()), joined(cpu_device()), step(cpu_device());
    Context cx(first), late(second), keep(joined), now(step);
    // Two sentences start, one with two hypotheses; the third joins later with more tokens.
    const Memory early = model.encode(cx, sentences({kSources[0], kSources[1]}).packed(cx));
    State state = model.start(cx, early, true);
    model.decode(cx, sentences({{1, 4}, {1, 7}}).packed(cx), early, state);
    state = state.select(cx, Ids{1, 0, 1}, Ids{0, 3});
    state = state.select(cx, Ids{0, 2}, Ids{0, 2});
    model.decode(cx, sentences({{5}, {6}}).packed(cx), early, state);
    const Memory other = model.encode(late, sentences({kSources[2]}).packed(late));
    State newcomer = model.start(late, other, true);
    model.decode(late, sentences({{1, 3, 8}}).packed(late), other, newcomer);
    const ActiveSentence both[] = {{&other, &newcomer, 0}, {&early, &state, 1}};
    Rotation keys(cpu_device()), pools(cpu_device());
    const Memory memory = join_memories(keep, keys, both);
    State together = State::join(keep, pools, both, 3);
    first.reset();
    second.reset();
    const Decoded decoded = model.decode(now, sentences({{2}, {9}, {10}}).packed(now), memory, together);
    const std::vector<double> logits = model.logits(now, decoded.features).to_host<double>();
    const std::vector<Ids> histories = {{1, 3, 8, 2}, {1, 7, 5, 9}, {1, 7, 6, 10}};
    const std::vector<Ids> sources = {kSources[2], kSources[1], kSources[1]};
    EXPECT_EQ(together.lengths()[1], 4);
    for (std::size_t h = 0; h < 3; ++h) {
      const std::vector<double> all = whole(model, {sources[h]}, {histories[h]});
      expect_same({all.end() - 13, all.end()},
                  {logits.begin() + static_cast<std::ptrdiff_t>(13 * h),
                   logits.begin() + static_cast<std::ptrdiff_t>(13 * h + 13)},
                  1e-10, "hypothesis " + std::to_string(h));
    }
  }
}

TEST_F(Zoo, NewSentencesMayBeAppendedToABatchThatHasRoomForThem) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 5, false);
    Workspace first(cpu_device()), second(cpu_device()), joined(cpu_device()), step(cpu_device());
    Context cx(first), late(second), keep(joined), now(step);
    const Memory early = model.encode(cx, sentences({kSources[0], kSources[1]}).packed(cx));
    State state = model.start(cx, early, true);
    model.decode(cx, sentences({{1, 4}, {1, 7}}).packed(cx), early, state);
    const Memory other = model.encode(late, sentences({kSources[2], kSources[0]}).packed(late));
    const ActiveSentence one[] = {{&early, &state, 1}};
    Rotation keys(cpu_device()), pools(cpu_device());
    Memory memory = join_memories(keep, keys, one, other.source.rows.total());
    State together = State::join(keep, pools, one, 3);
    append_memory(keep, memory, other);
    together.append(keep, model.start(late, other, true));
    first.reset();
    second.reset();
    const Decoded decoded = model.decode(now, sentences({{5}, {1}, {2}}).packed(now), memory, together);
    const std::vector<double> logits = model.logits(now, decoded.features).to_host<double>();
    const std::vector<Ids> histories = {{1, 7, 5}, {1}, {2}};
    const std::vector<Ids> sources = {kSources[1], kSources[2], kSources[0]};
    for (std::size_t h = 0; h < 3; ++h) {
      const std::vector<double> all = whole(model, {sources[h]}, {histories[h]});
      expect_same({all.end() - 13, all.end()},
                  {logits.begin() + static_cast<std::ptrdiff_t>(13 * h),
                   logits.begin() + static_cast<std::ptrdiff_t>(13 * h + 13)},
                  1e-10, "sentence " + std::to_string(h));
    }
  }
}

TEST_F(Zoo, SentencesThatMoveTakeTheMemoryOfTheirKeysAndNoMore) {
  ModelConfig config = preset("transformer-small");
  config.source_vocabulary = config.target_vocabulary = 50;
  Seq2seq model(config);
  model.parameters().allocate(cpu_device(), DType::f32, 5, false);
  Workspace first(cpu_device()), joined(cpu_device());
  Rotation moved(cpu_device());
  Context cx(first), keep(joined);
  const Memory all = model.encode(cx, sentences({Ids(300, 3), Ids(9, 4), Ids(400, 5)}).packed(cx));
  const State state = model.start(cx, all, true);
  const ActiveSentence two[] = {{&all, &state, 0}, {&all, &state, 2}};
  const Memory memory = join_memories(keep, moved, two);
  std::size_t bytes = 0;
  for (const nn::Keys& keys : memory.keys)
    bytes += keys.keys.of.bytes() + (keys.one_tensor ? 0 : keys.values.of.bytes());
  EXPECT_LT(static_cast<double>(joined.arena.peak() + moved.peak()), 1.2 * static_cast<double>(bytes) + 16'000);
}

TEST_F(Zoo, NeighboursInTheBatchChangeNothing) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 6, false);
    const std::vector<double> together = whole(model, kSources, kTargets);
    std::vector<double> alone;
    for (std::size_t s = 0; s < kSources.size(); ++s) {
      const std::vector<double> one = whole(model, {kSources[s]}, {kTargets[s]});
      alone.insert(alone.end(), one.begin(), one.end());
    }
    expect_same(alone, together, 1e-10, "logits");
  }
}

TEST_F(Zoo, TrainingComputesTheLogitsAndTheStatesOfInference) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 6, true);
    Workspace workspace(cpu_device());
    const auto decode = [&](Context cx) {
      const Memory memory = model.encode(cx, sentences(kSources).packed(cx));
      State state = model.start(cx, memory, false);
      const Decoded decoded = model.decode(cx, sentences(kTargets).packed(cx), memory, state);
      std::vector<std::vector<double>> all = {model.logits(cx, decoded.features).to_host<double>()};
      for (const Tensor& vector : state.vectors) all.push_back(vector.to_host<double>());
      return all;
    };
    Context training = Context::training(workspace, 1, 1);
    training.set_dropping(false);
    const std::vector<std::vector<double>> learned = decode(training), inferred = decode(Context(workspace));
    ASSERT_EQ(learned.size(), inferred.size());
    for (std::size_t i = 0; i < learned.size(); ++i)
      expect_same(inferred[i], learned[i], 1e-10, i == 0 ? "logits" : "state " + std::to_string(i - 1));
  }
}

TEST_F(Zoo, PackedWeightsGiveTheSameLogitsAndTheSameBitsInAnyBatch) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f32, 6, false);
    const std::vector<double> plain = whole(model, kSources, kTargets);
    model.parameters().pack();
    const std::vector<double> together = whole(model, kSources, kTargets);
    expect_same(plain, together, 1e-4, "packed");
    std::vector<double> alone;
    for (std::size_t s = 0; s < kSources.size(); ++s) {
      const std::vector<double> one = whole(model, {kSources[s]}, {kTargets[s]});
      alone.insert(alone.end(), one.begin(), one.end());
    }
    expect_same(alone, together, 0, "logits");
  }
}

TEST_F(Zoo, TheBestWordsAreThoseOfTheLogits) {
  for (const bool packed : {false, true}) {
    Seq2seq model(shrunk("transformer-small"));
    model.parameters().allocate(cpu_device(), DType::f32, 6, false);
    if (packed) model.parameters().pack();
    Workspace workspace(cpu_device());
    Context cx(workspace);
    const Memory memory = model.encode(cx, sentences(kSources).packed(cx));
    State state = model.start(cx, memory, false);
    const Tensor features = model.decode(cx, sentences(kTargets).packed(cx), memory, state).features;
    const std::vector<double> logits = model.logits(cx, features).to_host<double>();
    const Best best = model.best_words(cx, features, 3);
    const auto scores = best.values.to_host<double>(), log_sums = best.log_sum.to_host<double>();
    const auto ids = best.columns.to_host<std::int32_t>();
    for (std::size_t r = 0; r < log_sums.size(); ++r) {
      std::vector<double> row(logits.begin() + static_cast<std::ptrdiff_t>(13 * r),
                              logits.begin() + static_cast<std::ptrdiff_t>(13 * (r + 1)));
      double sum = 0;
      for (const double logit : row) sum += std::exp(logit);
      EXPECT_NEAR(log_sums[r], std::log(sum), 1e-5);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto top = std::max_element(row.begin(), row.end());
        EXPECT_EQ(ids[3 * r + i], top - row.begin());
        EXPECT_NEAR(scores[3 * r + i], *top, 1e-5);
        *top = -1e30;
      }
    }
  }
}

TEST(Parameters, OfAModelInTrainingAreNotPacked) {
  Seq2seq model(shrunk("transformer-small"));
  EXPECT_THROW(model.parameters().pack(), Error);
  model.parameters().allocate(cpu_device(), DType::f32, 6, true);
  EXPECT_THROW(model.parameters().pack(), Error);
}

TEST_F(Zoo, AFutureTokenNeverChangesAPastLogit) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 7, false);
    const std::vector<double> before = whole(model, {kSources[1]}, {{1, 5, 8, 11}});
    const std::vector<double> after = whole(model, {kSources[1]}, {{1, 5, 2, 4}});
    for (std::size_t i = 0; i < 2 * 13; ++i) ASSERT_EQ(before[i], after[i]);
    double moved = 0;
    for (std::size_t i = 2 * 13; i < before.size(); ++i) moved += std::abs(before[i] - after[i]);
    EXPECT_GT(moved, 1e-6) << "a token must change what follows it";
  }
}

TEST_F(Zoo, TheSourceMatters) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 8, false);
    const std::vector<double> one = whole(model, {{4, 7, 2}}, {{1, 5}}), other = whole(model, {{4, 3, 2}}, {{1, 5}});
    double moved = 0;
    for (std::size_t i = 0; i < one.size(); ++i) moved += std::abs(one[i] - other[i]);
    EXPECT_GT(moved, 1e-6);
  }
}

// The loss of the batch in training mode, with dropout; computes all gradients when `backward`.
double training_loss(Seq2seq& model, bool backward) {
  Workspace workspace(cpu_device());
  Context cx = Context::training(workspace, 3, 1);
  const Memory memory = model.encode(cx, sentences(kSources).packed(cx));
  State state = model.start(cx, memory, false);
  const Packed targets = sentences(kTargets).packed(cx);
  const Decoded decoded = model.decode(cx, targets, memory, state);
  const Losses losses = model.loss(cx, decoded.features, targets.tokens, {.smoothing = 0.1});
  if (backward) cx.backward();
  double sum = 0;
  for (const double loss : losses.loss.to_host<double>()) sum += loss;
  return sum;
}

TEST_F(Zoo, GradientsEqualDifferencesEndToEnd) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 9, true);
    training_loss(model, true);
    const std::vector<double> gradients = model.parameters().gradients().to_host<double>();
    double* const weights = model.parameters().weights().data<double>();
    Random random(1);
    for (const nn::Parameters::Entry& entry : model.parameters().entries())
      for (int draw = 0; draw < 3; ++draw) {
        const Size at = entry.offset + static_cast<Size>(random.below(static_cast<std::uint64_t>(entry.shape.count())));
        const double before = weights[at];
        weights[at] = before + 1e-5;
        const double above = training_loss(model, false);
        weights[at] = before - 1e-5;
        const double below = training_loss(model, false);
        weights[at] = before;
        ASSERT_NEAR(gradients[static_cast<std::size_t>(at)], (above - below) / 2e-5, 2e-6) << entry.name;
      }
  }
}

TEST(Config, NonsenseIsRefusedWithAReason) {
  const auto reason = [](const char* name, auto change) -> std::string {
    ModelConfig config = shrunk(name);
    change(config);
    try {
      Seq2seq model(config);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(reason("lstm-luong", [](ModelConfig&) {}), "accepted");
  EXPECT_EQ(reason("seq2seq-key-value-encoder", [](ModelConfig& c) { c.attention.score = nn::Score::scaled_dot; }),
            "decoder.attention: scaled_dot compares vectors of one size, but queries have 6 and keys 5; use "
            "multiplicative");
  EXPECT_EQ(
      reason("lstm-luong", [](ModelConfig& c) { c.attention.heads = 2; }),
      "decoder.attention: 2 heads need projections of their own, which attention over bare states does not have; use "
      "heads 1");
  EXPECT_NE(reason("lstm-luong", [](ModelConfig& c) { c.recurrent.attention_over = AttentionOver::source_and_past; })
                .find("input-feeding"),
            std::string::npos);
  EXPECT_EQ(reason("lstm-luong", [](ModelConfig& c) { c.recurrent.prediction = Prediction::direct; }),
            "recurrent.input-feeding feeds back the attentional output tanh(W [state; context]), which prediction "
            "direct does not compute; use prediction tanh");
  EXPECT_EQ(reason("lstm-luong", [](ModelConfig& c) { c.recurrent.attention_over = AttentionOver::nothing; }),
            "recurrent.input-feeding without attention feeds back the decoder's state; use prediction direct");
  EXPECT_EQ(reason("seq2seq", [](ModelConfig& c) { c.recurrent.decoder_start = DecoderStart::zeros; }),
            "recurrent.decoder-start zeros with attention-over nothing hides the source from the decoder; use "
            "concatenated or projected");
  EXPECT_EQ(reason("seq2seq-multiplicative-encoder", [](ModelConfig& c) { c.tied = Tie::target; }),
            "tied target shares the target embeddings with the output layer, but they have sizes 6 and 12");
  EXPECT_NE(reason("lstm-lexical", [](ModelConfig& c) { c.tied = Tie::target; }).find("lexical widens"),
            std::string::npos);
  EXPECT_NE(reason("transformer-base", [](ModelConfig& c) { c.embedding = 4; }).find("must equal"), std::string::npos);
}

TEST(Linformer, RefusesInputsLongerThanItWasMadeFor) {
  Seq2seq model(shrunk("linformer-k32"));
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  Workspace workspace(cpu_device());
  Context cx(workspace);
  try {
    model.encode(cx, sentences({Ids(12, 3), Ids(13, 4)}).packed(cx));
    FAIL() << "13 tokens were accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("13 tokens is longer than the"), std::string::npos) << error.what();
  }
}

TEST(Classifier, LearnsToTellSentencesApartAndHasRightGradients) {
  for (const char* name : {"transformer-small", "linformer-k32", "lstm-luong"}) {
    SCOPED_TRACE(name);
    ModelConfig config = shrunk(name);
    config.classes = 3;
    Classifier model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 2, true);
    const std::vector<Ids> texts = {{1, 2, 3}, {4, 5}, {6, 7, 8, 9}, {3, 2}, {5, 5, 4}, {9, 8}};
    const Ids classes = {0, 1, 2, 0, 1, 2};
    const auto loss = [&](bool backward) {
      Workspace workspace(cpu_device());
      Context cx = Context::training(workspace, 3, 1);
      cx.set_dropping(false);
      const Tensor features = model.features(cx, sentences(texts).packed(cx));
      const Losses losses = model.loss(cx, features, cx.from_host<std::int32_t>(classes, {std::ssize(classes)}), {});
      if (backward) cx.backward();
      double sum = 0;
      for (const double value : losses.loss.to_host<double>()) sum += value;
      return sum;
    };
    const double first = loss(true);
    const nn::Parameters::Entry& entry = model.parameters().entries().front();
    double* const weights = model.parameters().weights().data<double>() + entry.offset;
    const double gradient =
        model.parameters().gradients().to_host<double>()[static_cast<std::size_t>(entry.offset) + 9];
    weights[9] += 1e-5;
    const double above = loss(false);
    weights[9] -= 2e-5;
    const double below = loss(false);
    weights[9] += 1e-5;
    EXPECT_NEAR(gradient, (above - below) / 2e-5, 1e-6);
    for (int step = 0; step < 60; ++step) {
      model.parameters().gradients().clear();
      loss(true);
      sgd_step(model.parameters().weights(), model.parameters().gradients(), {}, {}, 0.05);
    }
    EXPECT_LT(loss(false), 0.5 * first);
  }
}

}  // namespace
}  // namespace dragoman::models
