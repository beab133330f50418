// Recurrent decoders in training: a whole batch of targets at once, with input feeding through the fused op, against
// the same targets word by word and sentence by sentence through plain ops.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/zoo.h"

namespace dragoman::models {
namespace {

struct Learned {
  std::vector<double> logits, gradients;
};

// Decodes the tokens of one call and starts backward from the loss of the same tokens; returns the logits.
std::vector<double> learn(Context& cx, const Seq2seq& model, const std::vector<Ids>& tokens, const Memory& memory,
                          State& state) {
  const Packed packed = sentences(tokens).packed(cx);
  const Tensor features = model.decode(cx, packed, memory, state).features;
  model.loss(cx, features, packed.tokens, {.smoothing = 0.1});
  return model.logits(cx, features.detached()).to_host<double>();
}

Learned learn_at_once(Seq2seq& model) {
  model.parameters().gradients().clear();
  Workspace workspace(cpu_device());
  Context cx = Context::training(workspace, 1, 1);
  cx.set_dropping(false);
  const Memory memory = model.encode(cx, sentences(kSources).packed(cx));
  State state = model.start(cx, memory, false);
  Learned learned{learn(cx, model, kTargets, memory, state), {}};
  cx.backward();
  learned.gradients = model.parameters().gradients().to_host<double>();
  return learned;
}

Learned learn_word_by_word(Seq2seq& model) {
  model.parameters().gradients().clear();
  Learned learned;
  for (std::size_t s = 0; s < kSources.size(); ++s) {
    Workspace workspace(cpu_device());
    Context cx = Context::training(workspace, 1, 1);
    cx.set_dropping(false);
    const Memory memory = model.encode(cx, sentences({kSources[s]}).packed(cx));
    State state = model.start(cx, memory, true);
    for (const std::int32_t word : kTargets[s]) {
      const std::vector<double> logits = learn(cx, model, {{word}}, memory, state);
      learned.logits.insert(learned.logits.end(), logits.begin(), logits.end());
    }
    cx.backward();
  }
  learned.gradients = model.parameters().gradients().to_host<double>();
  return learned;
}

void expect_near(const std::vector<double>& expected, const std::vector<double>& actual, const char* what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(expected[i], actual[i], 1e-10) << what << " " << i;
}

TEST(RecurrentTraining, ValuesAndGradientsAreThoseOfDecodingWordByWord) {
  int compared = 0;
  for (const auto& [name, config] : zoo()) {
    // The KV cache of attention over the past passes no gradient from one call to the next.
    if (config.family != family_named("recurrent") || config.recurrent.attention_over == AttentionOver::source_and_past)
      continue;
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cpu_device(), DType::f64, 7, true);
    const Learned expected = learn_word_by_word(model), actual = learn_at_once(model);
    expect_near(expected.logits, actual.logits, "logit");
    expect_near(expected.gradients, actual.gradients, "gradient");
    EXPECT_GT(std::ranges::max(expected.gradients), 1e-3) << "gradients arrive";
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

// Nodes on the tape after training on one target of this length.
std::size_t nodes(const Seq2seq& model, std::size_t words) {
  Workspace workspace(cpu_device());
  Context cx = Context::training(workspace, 1, 1);
  const Memory memory = model.encode(cx, sentences({kSources[0]}).packed(cx));
  State state = model.start(cx, memory, false);
  model.decode(cx, sentences({Ids(words, 3)}).packed(cx), memory, state);
  return workspace.tape.size();
}

TEST(InputFeeding, IsOneOpInTrainingForAnyNumberOfWords) {
  for (const char* name : {"lstm-luong", "lstm-luong-deep", "lstm-lexical"}) {
    SCOPED_TRACE(name);
    Seq2seq model(shrunk(name));
    model.parameters().allocate(cpu_device(), DType::f64, 7, true);
    EXPECT_EQ(nodes(model, 2), nodes(model, 9));
  }
}

TEST(InputFeeding, OfAdditiveAttentionTrainsStepByStep) {
  ModelConfig config = shrunk("lstm-luong");
  config.attention.score = nn::Score::additive;
  Seq2seq model(config);
  model.parameters().allocate(cpu_device(), DType::f64, 7, true);
  EXPECT_LT(nodes(model, 2), nodes(model, 9));
}

}  // namespace
}  // namespace dragoman::models
