#include "train/state.h"

#include "base/bounded_json.h"
#include "base/quote.h"

namespace dragoman::train {
namespace {

using nlohmann::json;

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

}  // namespace

std::string to_json(const TrainState& state) {
  json out;
  each_field(state, [&](const char* name, const auto& value) { out[name] = value; });
  out["best"] = json::object();
  for (const auto& [metric, best] : state.best) out["best"][metric] = {{"value", best.value}, {"update", best.update}};
  return out.dump();
}

TrainState state_from_json(const std::string& text, const std::string& where) {
  TrainState state;
  try {
    const json in = parse_json(text);
    each_field(state, [&](const char* name, auto& value) { in.at(name).get_to(value); });
    for (const auto& [metric, best] : in.at("best").items())
      state.best[metric] = {best.at("value").get<double>(), best.at("update").get<std::uint64_t>()};
  } catch (const json::exception& error) {
    fail("{}: its training state is damaged: {}", where, excerpt(error.what()));
  } catch (const Error& error) {
    fail("{}: its training state is damaged: {}", where, error.what());
  }
  return state;
}

}  // namespace dragoman::train
