#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "cli/command.h"
#include "models/presets.h"
#include "run/json_text.h"
#include "run/model_description.h"

namespace dragoman::cli {
namespace {

struct InspectOptions {
  bool json = false;
  bool presets = false;

  template <class V>
  void visit(V& v) {
    v("json", json, "print JSON");
    v("presets", presets, "list the presets, one per line");
  }
};

// "decoder.layers.3.norm1.weight" belongs to "decoder.layers.3", "output.bias" to "output".
std::string group_of(const std::string& name) {
  const std::size_t layers = name.find(".layers.");
  const std::size_t end = layers == std::string::npos ? name.rfind('.') : name.find('.', layers + 8);
  return name.substr(0, end);
}

void print(const run::ModelDescription& model) {
  fmt::print("{} parameters, {:.1f} MiB in f32\n\n", with_commas(model.count),
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
  for (const auto& [key, value] : model.settings()) fmt::print("  {}: {}\n", key, value);
  if (!model.card.empty()) fmt::print("\ncard\n");
  for (const auto& [key, value] : model.card) fmt::print("  {}: {}\n", key, value);
}

// Prints objects as indented lists and everything else as one line.
void print(const nlohmann::ordered_json& json, const std::string& indent) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      fmt::print("{}{}\n", indent, key);
      print(value, indent + "  ");
    } else {
      fmt::print("{}{}: {}\n", indent, key, value.is_string() ? value.get<std::string>() : run::to_text(value));
    }
  }
}

void list_presets() {
  for (const auto* names : {&models::preset_names(), &models::statistical_preset_names()})
    for (const std::string& name : *names) fmt::print("{:<44} {}\n", name, models::preset_summary(name));
}

int inspect_model(const InspectOptions& options, const Words& words) {
  if (options.presets) {
    list_presets();
    return 0;
  }
  expect_words(words, 1, "expected one model file or preset (inspect --presets lists those)");
  if (run::is_statistical(words[0])) {
    const nlohmann::ordered_json model = run::describe_statistical(words[0]);
    if (options.json)
      fmt::print("{}\n", run::to_text(model, 2));
    else
      print(model, "");
    return 0;
  }
  const run::ModelDescription model = run::describe_model(words[0]);
  if (options.json)
    fmt::print("{}\n", run::to_text(run::to_json(model), 2));
  else
    print(model);
  return 0;
}

int run(const Command& self, const Words& arguments) {
  return run_with<InspectOptions>(self, arguments, inspect_model);
}

}  // namespace

extern const Command inspect{"inspect",
                             "MODEL|PRESET",
                             "shows the layers, shapes and settings of a model",
                             run,
                             describe_options<InspectOptions>,
                             "dragoman inspect --presets\n"
                             "dragoman inspect transformer-base\n"
                             "dragoman inspect run/model.safetensors --json"};

}  // namespace dragoman::cli
