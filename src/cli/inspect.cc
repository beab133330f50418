#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/progress.h"
#include "base/quote.h"
#include "cli/command.h"
#include "models/presets.h"
#include "run/json_text.h"
#include "run/model_description.h"

namespace dragoman::cli {
namespace {

struct InspectOptions {
  bool json = false;
  bool presets = false;
  bool verify = false;

  template <class V>
  void visit(V& v) {
    v("json", json, "print JSON");
    v("presets", presets, "list the presets, one per line");
    v("verify", verify, "read the whole file and check its checksum and that all weights are finite");
    v.only_if(
        "verify", [this] { return !presets; }, "--presets lists presets, which are no files");
  }
};

// "decoder.layers.3.norm1.weight" belongs to "decoder.layers.3", "output.bias" to "output".
std::string group_of(const std::string& name) {
  const std::size_t layers = name.find(".layers.");
  const std::size_t end = layers == std::string::npos ? name.rfind('.') : name.find('.', layers + 8);
  return name.substr(0, end);
}

void print(const run::ModelDescription& model) {
  fmt::print("{}, {:.1f} MiB in f32\n\n", counted(model.count, "parameter"),
             static_cast<double>(model.count) * 4 / (1 << 20));
  std::string group;
  for (const auto& [name, shape] : model.parameters) {
    if (group_of(name) != group) {
      group = group_of(name);
      fmt::print("{}\n", group);
    }
    fmt::print("  {:<32} {:>16} {:>12}\n", name.substr(group.size() + 1), fmt::format("{}", shape),
               with_commas(shape.count()));
  }
  fmt::print("\nconfiguration\n");
  for (const auto& [key, value] : model.settings()) fmt::print("  {}: {}\n", key, escaped(value));
  if (!model.card.empty()) fmt::print("\ncard\n");
  for (const auto& [key, value] : model.card) fmt::print("  {}: {}\n", escaped(key), escaped(value));
}

// Prints objects as indented lists and everything else as one line.
void print(const nlohmann::ordered_json& json, const std::string& indent) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      fmt::print("{}{}\n", indent, escaped(key));
      print(value, indent + "  ");
    } else {
      fmt::print("{}{}: {}\n", indent, escaped(key),
                 escaped(value.is_string() ? value.get<std::string>() : run::to_text(value)));
    }
  }
}

void list_presets(bool as_json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto* names : {&models::preset_names(), &models::statistical_preset_names()})
    for (const std::string& name : *names) {
      const std::string summary = models::preset_summary(name);
      list.push_back({{"name", name}, {"summary", summary}});
      if (!as_json) fmt::print("{:<44} {}\n", name, summary);
    }
  if (as_json) fmt::print("{}\n", run::to_text(list, 2));
}

// Throws unless the name is that of a file or a preset.
void check_name(const std::string& name, bool must_be_file) {
  if (std::filesystem::exists(name)) return;
  for (const auto* names : {&models::preset_names(), &models::statistical_preset_names()})
    if (std::find(names->begin(), names->end(), name) != names->end()) {
      check(!must_be_file, "--verify: {} is a preset; expected a model file", name);
      return;
    }
  const bool names_file = name.find('/') != std::string::npos || name.ends_with(".safetensors");
  check(!names_file, "{}: there is no such file", name);
  models::preset_text(name);  // names the nearest preset
}

// Throws if the file is damaged; otherwise the result of the check.
const char* verified(const std::string& file) {
  return store::SafetensorsFile(file).verify() ? "matches" : "none (written by another program)";
}

int inspect_model(const InspectOptions& options, const Words& words) {
  if (options.presets) {
    expect_words(words, 0, "--presets lists all presets: expected no model file or preset beside it");
    list_presets(options.json);
    return 0;
  }
  expect_words(words, 1, "expected one model file or preset: dragoman inspect FILE (inspect --presets lists presets)");
  check_name(words[0], options.verify);
  const char* const checksum = options.verify ? verified(words[0]) : nullptr;
  if (run::is_statistical(words[0])) {
    nlohmann::ordered_json model = run::describe_statistical(words[0]);
    if (checksum) model["checksum"] = checksum;
    if (options.json)
      fmt::print("{}\n", run::to_text(model, 2));
    else
      print(model, "");
    return 0;
  }
  const run::ModelDescription model = run::describe_model(words[0]);
  if (options.json) {
    nlohmann::ordered_json json = run::to_json(model);
    if (checksum) json["checksum"] = checksum;
    fmt::print("{}\n", run::to_text(json, 2));
    return 0;
  }
  print(model);
  if (checksum) fmt::print("\nchecksum: {}\n", checksum);
  return 0;
}

int run_inspect(const Command& self, const Words& arguments) {
  return run_with<InspectOptions>(self, arguments, inspect_model);
}

}  // namespace

extern const Command inspect{"inspect",
                             "MODEL|PRESET",
                             "shows the layers, shapes and settings of a model",
                             run_inspect,
                             describe_options<InspectOptions>,
                             "dragoman inspect --presets\n"
                             "dragoman inspect transformer-base\n"
                             "dragoman inspect run/model.safetensors --json\n"
                             "dragoman inspect downloaded.safetensors --verify"};

}  // namespace dragoman::cli
