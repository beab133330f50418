#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "cli/command.h"
#include "models/classifier.h"
#include "models/presets.h"
#include "models/seq2seq.h"
#include "run/describe_statistical.h"
#include "store/model_file.h"

namespace dragoman::cli {
namespace {

struct InspectOptions {
  bool json = false;
  bool presets = false;

  template <class V>
  void visit(V& v) {
    v("json", json, "print JSON");
    v("presets", presets, "list the presets, a line each");
  }
};

// What there is to know of a model without running it.
struct Subject {
  models::ModelConfig config;
  store::Metadata card;
  std::vector<std::pair<std::string, Shape>> parameters;
  Size count = 0;

  explicit Subject(const models::ModelConfig& of) : config(of) {
    if (config.classes > 0)
      list(models::Classifier(config).parameters());
    else
      list(models::Seq2seq(config).parameters());
  }
  void list(const nn::Parameters& all) {
    for (const nn::Parameters::Entry& entry : all.entries()) parameters.emplace_back(entry.name, entry.shape);
    count = all.count();
  }
};

Subject subject(const std::string& name) {
  if (!std::filesystem::exists(name)) return Subject(models::preset(name));
  const store::ModelFile file(name);
  Subject found(file.info().config);
  found.card = file.info().card;
  return found;
}

std::vector<Size> sizes(const Shape& shape) {
  std::vector<Size> list;
  for (int axis = 0; axis < shape.rank(); ++axis) list.push_back(shape[axis]);
  return list;
}

nlohmann::ordered_json as_json(Subject& model) {
  nlohmann::ordered_json result, config, parameters = nlohmann::ordered_json::array();
  const Settings settings(model.config);
  for (const Setting& setting : settings.all()) config[setting.key] = setting.get();
  for (const auto& [name, shape] : model.parameters) parameters.push_back({{"name", name}, {"shape", sizes(shape)}});
  result["parameter_count"] = model.count;
  result["config"] = config;
  result["card"] = model.card;
  result["parameters"] = parameters;
  return result;
}

// "decoder.layers.3.norm1.weight" belongs to "decoder.layers.3", "output.bias" to "output".
std::string group_of(const std::string& name) {
  const std::size_t layers = name.find(".layers.");
  const std::size_t end = layers == std::string::npos ? name.rfind('.') : name.find('.', layers + 8);
  return name.substr(0, end);
}

void print(Subject& model) {
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
  const Settings settings(model.config);
  for (const Setting& setting : settings.all()) fmt::print("  {}: {}\n", setting.key, setting.get());
  if (!model.card.empty()) fmt::print("\ncard\n");
  for (const auto& [key, value] : model.card) fmt::print("  {}: {}\n", key, value);
}

int run(const Command& self, const Words& arguments) {
  return run_with<InspectOptions>(self, arguments, [](const InspectOptions& options, const Words& words) {
    if (options.presets) {
      for (const auto* names : {&models::preset_names(), &models::statistical_preset_names()})
        for (const std::string& name : *names) fmt::print("{:<44} {}\n", name, models::preset_summary(name));
      return 0;
    }
    expect_words(words, 1, "expected one model file or preset (inspect --presets lists those)");
    if (run::is_statistical(words[0])) return run::inspect_statistical(words[0], options.json);
    Subject model = subject(words[0]);
    if (options.json)
      fmt::print("{}\n", as_json(model).dump(2));
    else
      print(model);
    return 0;
  });
}

}  // namespace

extern const Command inspect{"inspect", "MODEL|PRESET", "shows the layers, shapes and settings of a model", run};

}  // namespace dragoman::cli
