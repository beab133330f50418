// Values and gradients against those of PyTorch in tests/golden/engine.json (written by make_engine.py beside it), in
// double with the reference kernels and in float with the CPU kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/tensor/gradient_check.h"

namespace dragoman {
namespace {

using namespace testing;
using nlohmann::json;
using Named = std::map<std::string, Tensor>;

const json& golden() {
  static const json cases = json::parse(std::ifstream(DRAGOMAN_GOLDEN "/engine.json"));
  return cases;
}

Shape shape_of(const json& tensor) {
  const std::vector<Size> sizes = tensor["shape"];
  return sizes.size() == 1 ? Shape{sizes[0]} : Shape{sizes[0], sizes[1]};
}

template <class T>
Tensor place(const Context& cx, const json& tensor) {
  const std::vector<T> values = tensor["data"];
  return cx.from_host<T>(values, shape_of(tensor));
}

using Function = std::function<Named(Context& cx, Named inputs, const json& numbers)>;

template <class T>
void compare(const std::string& name, const Device& device, double tolerance, const Function& function) {
  SCOPED_TRACE(name + " on " + device.name());
  const json& expected = golden().at(name);
  Workspace workspace(device);
  Context cx = Context::training(workspace, 1, 1);
  Named inputs;
  for (const auto& [key, tensor] : expected["inputs"].items()) inputs[key] = cx.track(place<T>(cx, tensor));
  const Named outputs = function(cx, inputs, expected["numbers"]);
  for (const auto& [key, tensor] : expected["outputs"].items())
    expect_near(tensor["data"], outputs.at(key).template to_host<double>(), tolerance, key);
  if (expected.contains("seeds")) {
    for (const auto& [key, tensor] : expected["seeds"].items())
      cx.seed(outputs.at(key), std::vector<double>(tensor["data"]));
    cx.backward();
  }
  for (const auto& [key, tensor] : expected["gradients"].items())
    expect_near(tensor["data"], cx.gradient(inputs.at(key)).template to_host<double>(), tolerance,
                "gradient of " + key);
}

void compare(const std::string& name, const Function& function) {
  compare<double>(name, reference_device(), 1e-10, function);
  compare<float>(name, cpu_device(), 1e-5, function);
}

TEST(Golden, LinearEqualsPyTorch) {
  const std::pair<const char*, Activation> activations[] = {{"linear_none", Activation::none},
                                                            {"linear_relu", Activation::relu},
                                                            {"linear_gelu", Activation::gelu},
                                                            {"linear_tanh", Activation::tanh}};
  for (const auto& [name, activation] : activations)
    compare(name, [a = activation](Context& cx, Named in, const json&) {
      return Named{{"y", linear(cx, in["x"], in["weight"], in["bias"], {.activation = a})}};
    });
}

TEST(Golden, NormsEqualPyTorch) {
  compare("layer_norm", [](Context& cx, Named in, const json&) {
    return Named{{"y", layer_norm(cx, in["x"], {in["gain"], in["bias"]})}};
  });
  compare("residual_norm", [](Context& cx, Named in, const json&) {
    const Residual r = residual_norm(cx, in["x"], in["branch"], 0, {in["gain"], in["bias"]});
    return Named{{"sum", r.sum}, {"y", r.normalised}};
  });
}

TEST(Golden, CrossEntropyWithSmoothingEqualsPyTorch) {
  for (const char* name : {"cross_entropy_0.0", "cross_entropy_0.1"})
    compare(name, [](Context& cx, Named in, const json& numbers) {
      const Tensor targets = ids(cx, numbers["targets"]);
      return Named{
          {"loss",
           cross_entropy(cx, in["x"], in["weight"], in["bias"], targets, {.smoothing = numbers["smoothing"]}).loss}};
    });
}

TEST(Golden, PackedAttentionEqualsPaddedAndMaskedAttention) {
  for (const char* name : {"attention_cross", "attention_causal", "attention_append"})
    compare(name, [](Context& cx, Named in, const json& numbers) {
      const Segments queries = segments(cx, numbers["query_lengths"]), keys = segments(cx, numbers["key_lengths"]);
      return Named{
          {"out",
           attention(cx, in["q"], in["k"], in["v"], queries, keys, {.heads = 2, .causal = numbers["causal"]}).out}};
    });
}

TEST(Golden, LstmLayerEqualsPyTorchOnPackedSequences) {
  for (const char* name : {"lstm_forward", "lstm_reverse"})
    compare(name, [](Context& cx, Named in, const json& numbers) {
      const Segments rows = segments(cx, numbers["lengths"]);
      const Tensor bias = add(cx, in["b_ih"], in["b_hh"]);
      const Tensor gates = linear(cx, in["x"], in["w_ih"], bias);
      const LstmOutput out = lstm_layer(cx, {gates, in["w_hh"], {in["h_first"], in["c_first"]}, numbers["reverse"]},
                                        rows, TimeOrder::of(cx, rows));
      return Named{{"h", out.h}, {"h_last", out.last.h}, {"c_last", out.last.c}};
    });
}

template <class T>
void compare_optimiser(const std::string& kind, const Device& device, double tolerance) {
  SCOPED_TRACE(kind + " on " + device.name());
  const json& expected = golden().at("optimiser_" + kind);
  const json& numbers = expected["numbers"];
  Workspace workspace(device);
  const Context cx(workspace);
  const Tensor weight = place<T>(cx, expected["start"]);
  const AdamMoments moments{cx.zeros(dtype_of<T>, weight.shape()), cx.zeros(dtype_of<T>, weight.shape())};
  const Tensor squares = cx.empty(DType::f64, {1});
  for (Size step = 1; step <= 3; ++step) {
    const Tensor gradient = place<T>(cx, expected["given"][static_cast<std::size_t>(step - 1)]);
    sum_squares(gradient, squares);
    EXPECT_NEAR(std::sqrt(squares.to_host<double>()[0]),
                numbers["norms"][static_cast<std::size_t>(step - 1)].get<double>(), 1e-4);
    const Clip clip{squares, numbers["clip"]};
    const double decay = numbers["decay"];
    if (kind == "sgd")
      sgd_step(weight, gradient, moments.first, {.momentum = 0.9, .weight_decay = decay}, numbers["rate"], clip);
    else
      adam_step(weight, gradient, moments,
                {.beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6, .weight_decay = decay, .decoupled = kind == "adamw"},
                numbers["rate"], step, clip);
    // When clipping, PyTorch divides by norm + 1e-6, so the two agree to about 1e-7.
    expect_near(expected["steps"][static_cast<std::size_t>(step - 1)]["data"], weight.to_host<double>(), tolerance,
                "weights after step " + std::to_string(step));
  }
}

TEST(Golden, ThreeClippedOptimiserStepsEqualPyTorchs) {
  for (const char* kind : {"adam", "adamw", "sgd"}) {
    compare_optimiser<double>(kind, reference_device(), 1e-6);
    compare_optimiser<float>(kind, cpu_device(), 1e-5);
  }
}

}  // namespace
}  // namespace dragoman
