// Recurrent decoders in training: a whole batch of targets at once, with input feeding through the fused op, against
// the same targets word by word and sentence by sentence through plain ops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

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

// Sets the parameter `name` to what `value` says of each row and column.
void set(const Seq2seq& model, const std::string& name, const std::function<double(Size, Size)>& value) {
  for (const nn::Parameters::Entry& entry : model.parameters().entries()) {
    if (entry.name != name) continue;
    const Size columns = entry.shape.count() / entry.shape[0];
    double* const weights = model.parameters().weights().data<double>() + entry.offset;
    for (Size i = 0; i < entry.shape.count(); ++i) weights[i] = value(i / columns, i % columns);
    return;
  }
  FAIL() << name;
}

std::vector<double> logits_of_targets(const Seq2seq& model) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Memory memory = model.encode(cx, sentences(kSources).packed(cx));
  State state = model.start(cx, memory, false);
  return model.logits(cx, model.decode(cx, sentences(kTargets).packed(cx), memory, state).features).to_host<double>();
}

// W [word; h] + U h = W' word + (W'' + U) h, where W = [W' W''].
TEST(InputFeeding, OfTheStateIsAnLstmWhoseRecurrentWeightIsTheSum) {
  ModelConfig config = shrunk("lstm-luong");
  config.recurrent.decoder_start = DecoderStart::concatenated;
  config.recurrent.attention_over = AttentionOver::nothing;
  config.recurrent.prediction = Prediction::direct;
  Seq2seq feeding(config);
  config.recurrent.input_feeding = false;
  Seq2seq plain(config);
  const Size words = config.embedding;
  const auto small = [](Size row, Size column) { return std::sin(static_cast<double>(3 * row + 5 * column)); };
  for (Seq2seq* const model : {&feeding, &plain}) {
    model->parameters().allocate(cpu_device(), DType::f64, 7, false);
    for (const nn::Parameters::Entry& entry : model->parameters().entries()) set(*model, entry.name, small);
    for (const char* encoder :
         {"embed_tokens.weight", "lstm.bias_ih_l0", "lstm.bias_ih_l0_reverse"})  // h is 0 at first
      set(*model, std::string("encoder.") + encoder, [](Size, Size) { return 0; });
  }
  set(plain, "decoder.lstm.weight_hh_l0",
      [&](Size row, Size column) { return small(row, column) + small(row, words + column); });
  expect_near(logits_of_targets(plain), logits_of_targets(feeding), "logit");
}

TEST(InputFeeding, OfThePresetsStartsFromZeros) {
  for (const char* name : {"lstm-luong", "lstm-luong-deep", "lstm-lexical"}) {
    SCOPED_TRACE(name);
    Seq2seq model(shrunk(name));
    model.parameters().allocate(cpu_device(), DType::f64, 7, false);
    Workspace workspace(cpu_device());
    Context cx(workspace);
    const State state = model.start(cx, model.encode(cx, sentences(kSources).packed(cx)), true);
    EXPECT_EQ(std::ssize(state.vectors), 2 * model.config().recurrent.decoder_layers + 1);
    for (const Tensor& vector : state.vectors)
      for (const double value : vector.to_host<double>()) EXPECT_EQ(value, 0);
  }
}

TEST(SelfAttention, WithoutAProjectionIsThatWithTheIdentity) {
  for (const char* name : {"seq2seq-additive-encoder+decoder+self", "seq2seq-key-value-encoder+decoder+self"}) {
    SCOPED_TRACE(name);
    ModelConfig config = shrunk(name);
    EXPECT_FALSE(config.recurrent.self_attention_projection);
    Seq2seq concatenated(config);
    config.recurrent.self_attention_projection = true;
    Seq2seq projected(config);
    const auto small = [](Size row, Size column) { return std::sin(static_cast<double>(3 * row + 5 * column)); };
    for (Seq2seq* const model : {&concatenated, &projected}) {
      model->parameters().allocate(cpu_device(), DType::f64, 7, false);
      for (const nn::Parameters::Entry& entry : model->parameters().entries()) set(*model, entry.name, small);
    }
    EXPECT_GT(std::ssize(projected.parameters().entries()), std::ssize(concatenated.parameters().entries()));
    for (const std::string side : {"encoder", "decoder"}) {
      set(projected, side + ".self_attn.out_proj.weight", [](Size row, Size column) { return row == column; });
      set(projected, side + ".self_attn.out_proj.bias", [](Size, Size) { return 0; });
    }
    expect_near(logits_of_targets(projected), logits_of_targets(concatenated), "logit");
  }
}

}  // namespace
}  // namespace dragoman::models
