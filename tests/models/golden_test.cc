// Loss and every gradient of whole models against those of PyTorch in tests/golden/models.json (written by
// make_models.py beside it).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/seq2seq.h"

namespace dragoman::models {
namespace {

using nlohmann::json;
using Ids = std::vector<std::int32_t>;

Packed packed(const Context& cx, const json& sentences) {
  Ids tokens, offsets{0};
  for (const Ids sentence : sentences) {
    tokens.insert(tokens.end(), sentence.begin(), sentence.end());
    offsets.push_back(static_cast<std::int32_t>(tokens.size()));
  }
  return Packed::from_host(cx, tokens, offsets);
}

template <class T>
void compare(const json& golden, const json& expected, double tolerance) {
  ModelConfig config;
  config.source_vocabulary = golden["source_vocabulary"];
  config.target_vocabulary = golden["target_vocabulary"];
  Settings(config).read_yaml(expected["settings"], "settings");
  Seq2seq model(config);
  model.parameters().allocate(cpu_device(), dtype_of<T>, 1, true);
  ASSERT_EQ(model.parameters().entries().size(), expected["weights"].size()) << "both sides have the same parameters";
  for (const auto& [name, weight] : expected["weights"].items()) {
    const nn::Parameters::Entry* entry = model.parameters().find(name);
    ASSERT_NE(entry, nullptr) << name;
    const std::vector<T> values = weight["data"];
    ASSERT_EQ(entry->tensor.count(), std::ssize(values)) << name;
    entry->tensor.copy_from(values.data());
  }
  Workspace workspace(cpu_device());
  Context cx = Context::training(workspace, 1, 1);
  const Memory memory = model.encode(cx, packed(cx, golden["sources"]));
  State state = model.start(cx, memory, false);
  const Decoded decoded = model.decode(cx, packed(cx, golden["inputs"]), memory, state);
  const Losses losses = model.loss(cx, decoded.features, packed(cx, golden["targets"]).tokens, {.smoothing = 0.1});
  cx.backward();
  double loss = 0;
  for (const double value : losses.loss.to_host<double>()) loss += value;
  const double expected_loss = expected["loss"];
  EXPECT_NEAR(loss, expected_loss, tolerance * expected_loss);
  for (const auto& [name, gradient] : expected["gradients"].items()) {
    const std::vector<double> values = gradient["data"];
    const std::vector<double> ours = cx.gradient(model.parameters().find(name)->tensor).template to_host<double>();
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(ours[i], values[i], tolerance * std::max(largest, 1e-2)) << name << " element " << i;
  }
}

TEST(Golden, LossAndEveryGradientEqualPyTorchs) {
  const json golden = json::parse(std::ifstream(DRAGOMAN_GOLDEN "/models.json"));
  EXPECT_EQ(golden["cases"].size(), 10u);
  for (const auto& [name, expected] : golden["cases"].items()) {
    SCOPED_TRACE(name);
    compare<double>(golden, expected, 1e-8);
    compare<float>(golden, expected, 1e-4);
  }
}

}  // namespace
}  // namespace dragoman::models
