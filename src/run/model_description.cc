#include "run/model_description.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/classifier.h"
#include "models/presets.h"
#include "models/seq2seq.h"
#include "search/engine/statistical_engine.h"

namespace dragoman::run {
namespace {

using Json = nlohmann::ordered_json;

void list_parameters(const nn::Parameters& all, ModelDescription& model) {
  for (const nn::Parameters::Entry& entry : all.entries()) model.parameters.emplace_back(entry.name, entry.shape);
  model.count = all.count();
}

std::vector<Size> sizes(const Shape& shape) {
  std::vector<Size> list;
  for (int axis = 0; axis < shape.rank(); ++axis) list.push_back(shape[axis]);
  return list;
}

Json settings_json(smt::PhraseSystemConfig config) {
  Json json;
  const Settings settings(config);
  for (const Setting& setting : settings.all()) json[setting.key] = setting.get();
  return json;
}

Json to_json(const smt::PhraseSystem& system, const store::Metadata& card) {
  Json json, weights;
  for (std::size_t i = 0; i < smt::kFeatures; ++i)
    weights[std::string(smt::feature_name(static_cast<smt::Feature>(i)))] = system.weights()[i];
  json["phrase_pairs"] = system.phrase_table().pairs();
  json["source_phrases"] = system.phrase_table().source_phrases();
  for (int n = 1; system.language_model() != nullptr && n <= system.language_model()->order(); ++n)
    json["ngrams"].push_back(system.language_model()->count(n));
  json["weights"] = weights;
  json["config"] = settings_json(system.config());
  json["card"] = card;
  return json;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ModelDescription::settings() const {
  models::ModelConfig copy = config;
  std::vector<std::pair<std::string, std::string>> list;
  const Settings settings(copy);
  for (const Setting& setting : settings.all()) list.emplace_back(setting.key, setting.get());
  return list;
}

ModelDescription describe_model(const std::string& name) {
  ModelDescription model;
  if (std::filesystem::exists(name)) {
    const store::ModelFile file(name);
    model.config = file.info().config;
    model.card = file.info().card;
  } else {
    model.config = models::preset(name);
  }
  if (model.config.classes > 0)
    list_parameters(models::Classifier(model.config).parameters(), model);
  else
    list_parameters(models::Seq2seq(model.config).parameters(), model);
  return model;
}

Json to_json(const ModelDescription& model) {
  Json result, config, parameters = Json::array();
  for (const auto& [key, value] : model.settings()) config[key] = value;
  for (const auto& [name, shape] : model.parameters) parameters.push_back({{"name", name}, {"shape", sizes(shape)}});
  result["parameter_count"] = model.count;
  result["config"] = config;
  result["card"] = model.card;
  result["parameters"] = parameters;
  return result;
}

bool is_statistical(const std::string& name) {
  if (std::filesystem::exists(name)) return store::is_statistical(store::SafetensorsFile(name));
  const std::vector<std::string>& presets = models::statistical_preset_names();
  return std::find(presets.begin(), presets.end(), name) != presets.end();
}

Json describe_statistical(const std::string& name) {
  if (std::filesystem::exists(name))
    return to_json(search::load_statistical(name), store::SafetensorsFile(name).metadata());
  struct PresetFile {
    smt::PhraseSystemConfig config;
    void visit(Settings& v) { v.group("statistical", config); }
  } preset;
  Settings(preset).read_yaml_part(models::preset_text(name), name, "statistical");
  Json json;
  json["config"] = settings_json(preset.config);
  return json;
}

}  // namespace dragoman::run
