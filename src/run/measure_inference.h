#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/config.h"
#include "tensor/placement.h"

// The time of inference or of training updates against the length of the sentences, at a constant number of tokens per
// batch.
namespace dragoman::run {

// What one pass computes:
enum class TimedPass {
  encoder_decoder,  // encoder, decoder over a whole target as long as the source, logits of every target position
  encoder,          // encoder alone
  training          // forward and backward pass over source and target, clipping, and the update of Adam
};

struct InferenceOptions {
  std::string preset = "transformer-base";
  TimedPass what = TimedPass::encoder_decoder;
  std::vector<std::string> lengths = {"64", "128", "256", "512", "1024", "2048", "4096"};
  std::vector<std::string> linformer;
  int tokens = 32768, vocabulary = 32000;
  int warmup = 3, repeats = 10;
  std::uint64_t seed = 1;
  models::ModelConfig model;

  template <class V>
  void visit(V& v) {
    v.section("Measurement");
    v("preset", preset, "model to measure, by name (`dragoman inspect --presets` lists them)");
    v("what", what,
      "pass to time: encoder and decoder with both sides of the same length, encoder alone, or a training update");
    v("lengths", lengths, "tokens per sentence, separated by commas; each must divide `tokens`");
    v("linformer", linformer,
      "measure one series per k, separated by commas: Linformer attention with k rows; 0 is exact attention");
    v("tokens", tokens, "tokens per batch on each side, the same at all lengths", at_least(1));
    v("vocabulary", vocabulary, "token ids on each side, instead of those of the model settings", at_least(1));
    v("warmup", warmup, "passes before the timed ones, at each length", at_least(0));
    v("repeats", repeats, "timed passes at each length", at_least(1));
    v("seed", seed, "seed of weights and token ids");
    v.section("Model");
    v.group("model", model);
  }
};

// Statistics of the timed passes, in seconds.
struct PassTime {
  double mean = 0, median = 0;
  double deviation = 0;  // standard deviation of the sample; 0 for a single pass
};
PassTime summarise(std::vector<double> seconds);

struct InferencePoint {
  int length = 0, sentences = 0;
  std::optional<PassTime> seconds;  // empty if memory ran out
  std::string problem;              // why there is no time
};

struct InferenceSeries {
  std::string name;
  models::ModelConfig model;
  std::vector<InferencePoint> points;
};

// The series that the options ask for, without points. Their models accept the longest of the lengths: max-positions
// and linformer-length are raised to it where they are smaller.
std::vector<InferenceSeries> plan_inference(const InferenceOptions& options);

// Reads the time in seconds; called right before and right after each timed pass.
using SecondsClock = std::function<double()>;
double steady_seconds();

// Measures every series with random weights and random token ids, and shows its progress. Where memory runs out at one
// length, the others are still measured.
std::vector<InferenceSeries> measure_inference(const InferenceOptions& options, const Placement& where,
                                               const SecondsClock& now = steady_seconds);

// "f32", "tf32" or "bf16".
const char* precision_name(const Placement& where);

// {"cpu", "cores", "system", "gpus"}
nlohmann::ordered_json machine_json();

// {"version", "machine", "device", "precision", "threads", "preset", "what", "tokens", "vocabulary", "warmup",
// "repeats", "series"}; a point without a time has nulls and a "problem".
nlohmann::ordered_json to_json(const InferenceOptions& options, const Placement& where,
                               const std::vector<InferenceSeries>& series);

}  // namespace dragoman::run

template <>
struct dragoman::EnumNames<dragoman::run::TimedPass> {
  using Pass = dragoman::run::TimedPass;
  static constexpr std::pair<Pass, const char*> list[] = {
      {Pass::encoder_decoder, "encoder-decoder"}, {Pass::encoder, "encoder"}, {Pass::training, "training"}};
};
