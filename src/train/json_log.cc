#include "train/json_log.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/bounded_json.h"
#include "base/file.h"
#include "base/utc_time.h"

namespace dragoman::train {
namespace {

using nlohmann::ordered_json;

ordered_json line(const char* kind, const Position& position) {
  return {{"kind", kind},
          {"time", utc_time()},
          {"update", position.updates},
          {"epoch", position.epochs},
          {"tokens", position.tokens}};
}

// Replaces invalid UTF-8, so that the JSON is always valid.
std::string dumped(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Attention weights, rounded to keep the log small.
ordered_json to_json(const std::vector<float>& weights) {
  ordered_json rounded = ordered_json::array();
  for (const float weight : weights) rounded.push_back(std::round(1000 * static_cast<double>(weight)) / 1000);
  return rounded;
}

ordered_json to_json(const Sample& sample) {
  ordered_json object = {{"source", sample.source},
                         {"reference", sample.reference},
                         {"output", sample.output},
                         {"source_pieces", sample.source_pieces},
                         {"output_pieces", sample.output_pieces},
                         {"attention", to_json(sample.attention)}};
  for (const std::vector<float>& row : sample.past_attention) object["past_attention"].push_back(to_json(row));
  return object;
}

ordered_json to_json(const RunRecord::Pairs& pairs) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

ordered_json to_json(const Usage& usage) {
  ordered_json object = {{"cores", usage.cores}, {"memory", usage.memory}};
  if (usage.gpu) object["gpu"] = *usage.gpu;
  if (usage.gpu_memory) object["gpu_memory"] = *usage.gpu_memory;
  return object;
}

// The lines up to update `last`, without a truncated last line.
std::string kept_lines(const std::string& path, std::uint64_t last) {
  std::ifstream file(path);
  std::string kept;
  for (std::string text; std::getline(file, text);) {
    const auto object = parse_json_or_null(text);
    if (object.is_object() && object.value("update", std::uint64_t{0}) <= last) kept += text + "\n";
  }
  return kept;
}

}  // namespace

void JsonLog::on_start(const RunInfo& info) {
  AtomicFile kept(path_);
  if (info.begin.updates > 0 && std::filesystem::exists(path_)) kept.write(kept_lines(path_, info.begin.updates));
  kept.commit();
  file_ = AppendFile(path_);
  ordered_json object = line("start", info.begin);
  object["parameters"] = info.parameters;
  object["trainable"] = info.trainable;
  object["sentences"] = info.sentences;
  object["steps_per_epoch"] = info.steps_per_epoch;
  for (const Amount& end : info.until) object["until"].push_back(end.show());
  object["name"] = record_.name;
  object["command"] = record_.command;
  object["preset"] = record_.preset;
  object["version"] = record_.version;
  object["device"] = record_.device;
  object["hardware"] = record_.hardware;
  object["machine"] = record_.machine;
  object["seed"] = record_.seed;
  object["facts"] = to_json(record_.facts);
  object["settings"] = to_json(record_.settings);
  append(dumped(object));
}

void JsonLog::on_log(const StepReport& step) {
  ordered_json object = line("train", step.position);
  object["loss"] = step.sums.mean_loss();
  object["nll"] = step.sums.mean_nll();
  object["perplexity"] = std::exp(step.sums.mean_nll());
  object["rate"] = step.rate;
  object["gradient_norm"] = step.gradient_norm;
  object["tokens_per_second"] = step.tokens_per_second;
  object["elapsed"] = step.elapsed;
  if (step.waiting.ranks > 1) {
    object["ranks"] = step.waiting.ranks;
    object["waiting"] = step.waiting.share;
    object["slowest_rank"] = step.waiting.slowest;
    object["compute_seconds"] = step.traffic.compute;
    object["reduce_seconds"] = step.traffic.reduce;
    object["overlapped_seconds"] = step.traffic.overlapped;
    object["gather_seconds"] = step.traffic.gather;
    object["bytes_sent"] = step.traffic.bytes;
  }
  object["usage"] = to_json(step.usage);
  append(dumped(object));
}

void JsonLog::on_validation(const Validation& validation) {
  ordered_json object = line("validation", validation.position);
  for (const auto& [name, value] : validation.scores.list()) object["scores"][name] = value;
  object["training_loss"] = validation.training.mean_nll();
  object["best"] = validation.best;
  object["seconds"] = validation.seconds;
  object["elapsed"] = validation.elapsed;
  object["samples"] = ordered_json::array();
  for (const Sample& sample : validation.samples) object["samples"].push_back(to_json(sample));
  append(dumped(object));
}

void JsonLog::on_remark(const std::string& words, const Position& position) {
  ordered_json object = line("remark", position);
  object["words"] = words;
  append(dumped(object));
}

void JsonLog::on_end(const RunEnd& end) {
  ordered_json object = line("end", end.position);
  object["reason"] = end.reason;
  object["model"] = end.model;
  object["seconds"] = end.seconds;
  append(dumped(object));
}

void JsonLog::on_failure(const std::string& words, const Position& position) {
  ordered_json object = line("failure", position);
  object["words"] = words;
  append(dumped(object));
}

// Remarks before on_start() are dropped.
void JsonLog::append(const std::string& line) const {
  if (file_.is_open()) file_.append(line + "\n");
}

}  // namespace dragoman::train
