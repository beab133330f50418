#include "run/describe_statistical.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "models/presets.h"
#include "search/statistical_model.h"

namespace dragoman::run {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(smt::PhraseSystemConfig config) {
  Json json;
  const Settings settings(config);
  for (const Setting& setting : settings.all()) json[setting.key] = setting.get();
  return json;
}

Json describe(const smt::PhraseSystem& system, const store::Metadata& card) {
  Json json, weights;
  for (std::size_t i = 0; i < smt::kFeatures; ++i)
    weights[std::string(smt::feature_name(static_cast<smt::Feature>(i)))] = system.weights()[i];
  json["phrase_pairs"] = system.phrase_table().pairs();
  json["source_phrases"] = system.phrase_table().source_phrases();
  for (int n = 1; system.language_model() != nullptr && n <= system.language_model()->order(); ++n)
    json["ngrams"].push_back(system.language_model()->count(n));
  json["weights"] = weights;
  json["config"] = as_json(system.config());
  json["card"] = card;
  return json;
}

// Maps become indented lists, everything else a line.
void print(const Json& json, const std::string& indent) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      fmt::print("{}{}\n", indent, key);
      print(value, indent + "  ");
    } else {
      fmt::print("{}{}: {}\n", indent, key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
}

}  // namespace

bool is_statistical(const std::string& name) {
  if (std::filesystem::exists(name)) return search::is_statistical(store::SafetensorsFile(name));
  const std::vector<std::string>& presets = models::statistical_preset_names();
  return std::find(presets.begin(), presets.end(), name) != presets.end();
}

int inspect_statistical(const std::string& name, bool json) {
  Json subject;
  if (std::filesystem::exists(name)) {
    subject = describe(search::load_statistical(name), store::SafetensorsFile(name).metadata());
  } else {
    struct PresetFile {
      smt::PhraseSystemConfig config;
      void visit(Settings& v) { v.group("statistical", config); }
    } preset;
    Settings(preset).read_yaml_part(models::preset_text(name), name, "statistical");
    subject["config"] = as_json(preset.config);
  }
  if (json)
    fmt::print("{}\n", subject.dump(2));
  else
    print(subject, "");
  return 0;
}

}  // namespace dragoman::run
