// Every model of the zoo on a GPU, against the same model in double precision on the CPU.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cuda/cuda.h"
#include "tests/models/zoo.h"

namespace dragoman::models {
namespace {

struct Outcome {
  std::vector<double> logits, losses, gradients;
};

// One training step up to the gradients, with dropout, since random numbers are the same on every device.
Outcome train(Seq2seq& model, const Device& device) {
  Workspace workspace(device);
  Context cx = Context::training(workspace, 3, 1);
  model.parameters().gradients().clear();
  const Memory memory = model.encode(cx, sentences(kSources).packed(cx));
  State state = model.start(cx, memory, false);
  const Packed targets = sentences(kTargets).packed(cx);
  const Decoded decoded = model.decode(cx, targets, memory, state);
  const Losses losses = model.loss(cx, decoded.features, targets.tokens, {.smoothing = 0.1});
  cx.backward();
  Context plain(workspace);
  return {model.logits(plain, decoded.features.detached()).to_host<double>(), losses.loss.to_host<double>(),
          model.parameters().gradients().to_host<double>()};
}

std::vector<double> whole(const Seq2seq& model, const std::vector<Ids>& sources, const std::vector<Ids>& targets) {
  Workspace workspace(model.parameters().weights().device());
  Context cx(workspace);
  const Memory memory = model.encode(cx, sentences(sources).packed(cx));
  State state = model.start(cx, memory, false);
  const Decoded decoded = model.decode(cx, sentences(targets).packed(cx), memory, state);
  return model.logits(cx, decoded.features).to_host<double>();
}

// ||actual - expected|| / ||expected||.
double distance(const std::vector<double>& expected, const std::vector<double>& actual) {
  if (expected.size() != actual.size()) return INFINITY;
  double squares = 0, wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    squares += expected[i] * expected[i];
    wrong += (actual[i] - expected[i]) * (actual[i] - expected[i]);
  }
  return std::sqrt(wrong / squares);
}

class OnCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  }
};

TEST_F(OnCuda, LogitsLossesAndGradientsEqualThoseOfTheCpu) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq exact(config), single(config), mixed(config);
    exact.parameters().allocate(cpu_device(), DType::f64, 9, true);
    single.parameters().allocate(cuda_device(), DType::f32, 9, true);
    mixed.parameters().allocate(cuda_device(), DType::bf16, 9, true);
    const Outcome expected = train(exact, cpu_device()), f32 = train(single, cuda_device());
    EXPECT_LT(distance(expected.logits, f32.logits), 1e-5);
    EXPECT_LT(distance(expected.losses, f32.losses), 1e-5);
    EXPECT_LT(distance(expected.gradients, f32.gradients), 3e-5);
    const Outcome half = train(mixed, cuda_device());
    EXPECT_LT(distance(expected.logits, half.logits), 5e-2);
    EXPECT_LT(distance(expected.losses, half.losses), 1e-2);
    EXPECT_LT(distance(expected.gradients, half.gradients), 1e-1);
  }
}

TEST_F(OnCuda, TheSameStepGivesTheSameBits) {
  for (const DType type : {DType::f32, DType::bf16})
    for (const char* name : {"transformer-small", "lstm-luong", "linformer-k32"}) {
      SCOPED_TRACE(name);
      Seq2seq model(shrunk(name));
      model.parameters().allocate(cuda_device(), type, 9, true);
      const Outcome once = train(model, cuda_device()), again = train(model, cuda_device());
      EXPECT_EQ(once.losses, again.losses);
      EXPECT_EQ(once.gradients, again.gradients);
    }
}

TEST_F(OnCuda, TokenByTokenEqualsTheWholeSequenceAndNeighboursChangeNothing) {
  for (const auto& [name, config] : zoo()) {
    SCOPED_TRACE(name);
    Seq2seq model(config);
    model.parameters().allocate(cuda_device(), DType::f32, 5, false);
    Workspace workspace(cuda_device());
    Context cx(workspace);
    const Memory memory = model.encode(cx, sentences(kSources).packed(cx));
    State state = model.start(cx, memory, true);
    std::vector<Ids> histories = {{1}, {1}, {1}};
    const Ids order = {1, 0, 2, 2, 5, 4};
    for (int step = 0; step < 3; ++step) {
      std::vector<Ids> tokens;
      for (const Ids& history : histories) tokens.push_back({history.back()});
      const Decoded decoded = model.decode(cx, sentences(tokens).packed(cx), memory, state);
      const std::vector<double> logits = model.logits(cx, decoded.features).to_host<double>();
      const std::size_t words = logits.size() / histories.size();
      for (std::size_t h = 0; h < histories.size(); ++h) {
        const std::vector<double> all = whole(model, {kSources[h * 3 / histories.size()]}, {histories[h]});
        const std::vector<double> last(all.end() - static_cast<std::ptrdiff_t>(words), all.end());
        const auto mine = logits.begin() + static_cast<std::ptrdiff_t>(h * words);
        EXPECT_LT(distance(last, {mine, mine + static_cast<std::ptrdiff_t>(words)}), 1e-5) << "hypothesis " << h;
      }
      // The beam of each sentence doubles after its first word; then hypotheses swap places.
      const Ids chosen = step == 0 ? Ids{0, 0, 1, 1, 2, 2} : order;
      state = state.select(cx, chosen, Ids{2, 2, 2});
      std::vector<Ids> next;
      for (std::size_t h = 0; h < chosen.size(); ++h) {
        next.push_back(histories[static_cast<std::size_t>(chosen[h])]);
        next.back().push_back(static_cast<std::int32_t>(3 + (5 * h + static_cast<std::size_t>(step)) % 9));
      }
      histories = next;
    }
  }
}

TEST_F(OnCuda, IdsOutsideTheVocabularyAreRefused) {
  for (const char* name : {"transformer-small", "lstm-luong"}) {
    SCOPED_TRACE(name);
    Seq2seq model(shrunk(name));
    model.parameters().allocate(cuda_device(), DType::f32, 5, false);
    Workspace workspace(cuda_device());
    Context cx(workspace);
    EXPECT_THROW(model.encode(cx, sentences({{4}, {7, 11}}).packed(cx)), Error);
    const Memory memory = model.encode(cx, sentences({{0, 10}}).packed(cx));
    State state = model.start(cx, memory, false);
    EXPECT_THROW(model.decode(cx, sentences({{1, -3, 5}}).packed(cx), memory, state), Error);
  }
}

TEST_F(OnCuda, MixedPrecisionTrainsLikeDoublePrecision) {
  const auto last_loss = [](DType type, const Device& device) {
    Seq2seq model(shrunk("transformer-small"));
    nn::Parameters& parameters = model.parameters();
    parameters.allocate(device, type, 4, true);
    const Tensor weights = parameters.weights();
    Workspace moments_memory(device);
    const Context keep(moments_memory);
    const AdamMoments moments{keep.zeros(weights.dtype(), weights.shape()),
                              keep.zeros(weights.dtype(), weights.shape())};
    double loss = 0;
    for (Size step = 1; step <= 100; ++step) {
      loss = 0;
      for (const double one : train(model, device).losses) loss += one;
      adam_step(weights, parameters.gradients(), moments, {}, 0.003, step, {}, parameters.copy());
    }
    return loss;
  };
  const double exact = last_loss(DType::f64, cpu_device());
  EXPECT_NEAR(last_loss(DType::f32, cuda_device()), exact, 0.01 * exact);
  EXPECT_NEAR(last_loss(DType::bf16, cuda_device()), exact, 0.05 * exact);
}

}  // namespace
}  // namespace dragoman::models
