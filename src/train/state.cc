#include "train/state.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/bounded_json.h"

namespace dragoman::train {
namespace {

using nlohmann::json;

constexpr const char* kData = "data";
constexpr const char* kValidationData = "validation_data";
constexpr const char* kParts = "parts";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Lists the fields once, for reading and writing.
template <class State, class F>
void each_field(State& state, F&& f) {
  f("updates", state.position.updates);
  f("epochs", state.position.epochs);
  f("tokens", state.position.tokens);
  f("epoch", state.epoch);
  f("step", state.step);
  f("batches", state.batches);
  f("seed", state.seed);
  f("sentences", state.sentences);
  f("log_loss", state.since_log.loss);
  f("log_nll", state.since_log.nll);
  f("log_tokens", state.since_log.tokens);
  f("validation_loss", state.since_validation.loss);
  f("validation_nll", state.since_validation.nll);
  f("validation_tokens", state.since_validation.tokens);
  f("log_norm", state.norm_since_log);
  f("log_updates", state.updates_since_log);
  f("running_loss", state.running_loss);
  f("validated", state.validated);
  f("without_improvement", state.without_improvement);
  f("without_improvement_rate", state.without_improvement_rate);
  f("rate_factor", state.rate_factor);
  f("rollbacks", state.rollbacks);
  f("seconds", state.seconds);
}

// No number of a state is negative, and all are finite.
void read(const json& in, const std::string& name, std::uint64_t& value) {
  check(in.is_number_unsigned(), "expected a whole number for '{}'", name);
  value = in.get<std::uint64_t>();
}
void read(const json& in, const std::string& name, int& value) {
  std::uint64_t whole = 0;
  read(in, name, whole);
  check(std::in_range<int>(whole), "'{}' is {}, which is out of range", name, whole);
  value = static_cast<int>(whole);
}
void read(const json& in, const std::string& name, double& value) {
  check(in.is_number(), "expected a number for '{}'", name);
  value = in.get<double>();
  check(std::isfinite(value), "'{}' is not finite", name);
}

// JSON writes an infinite score, such as an early perplexity, as null.
Best read_best(const json& in, const std::string& name) {
  Best best{.value = kInfinity};
  if (!in.at("value").is_null()) read(in.at("value"), name, best.value);
  read(in.at("update"), name, best.update);
  return best;
}

TrainState read_state(const json& in) {
  TrainState state;
  each_field(state, [&](const char* name, auto& value) { read(in.at(name), name, value); });
  if (in.contains(kData)) read(in.at(kData), kData, state.data);
  if (in.contains(kValidationData)) read(in.at(kValidationData), kValidationData, state.validation_data);
  if (in.contains(kParts)) read(in.at(kParts), kParts, state.parts);
  for (const auto& [metric, best] : in.at("best").items()) state.best[metric] = read_best(best, metric);
  check(state.rate_factor >= 0 && state.rate_factor <= 1, "the factor of the learning rate is {}", state.rate_factor);
  check(state.position.epochs >= 0, "{} epochs", state.position.epochs);
  check(state.parts >= 1, "{} parts", state.parts);
  return state;
}

}  // namespace

std::string to_json(const TrainState& state) {
  json out;
  each_field(state, [&](const char* name, const auto& value) { out[name] = value; });
  out[kData] = state.data;
  out[kValidationData] = state.validation_data;
  out[kParts] = state.parts;
  out["best"] = json::object();
  for (const auto& [metric, best] : state.best) out["best"][metric] = {{"value", best.value}, {"update", best.update}};
  return out.dump();
}

TrainState state_from_json(const std::string& text, const std::string& where) {
  try {
    return read_state(parse_json(text, "it"));
  } catch (const json::exception&) {
    fail("{}: its training state is damaged: a value is missing or of another type than expected", where);
  } catch (const Error& error) {
    fail("{}: its training state is damaged: {}", where, error.what());
  }
}

}  // namespace dragoman::train
