#include "run/training_settings.h"

#include <array>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/join.h"
#include "models/presets.h"
#include "store/model_file.h"

namespace dragoman::run {
namespace {

namespace fs = std::filesystem;
using Values = std::map<std::string, std::string>;  // by key, as Setting::set takes them

// These follow from the vocabularies.
constexpr std::array kDerived = {"model.source-vocabulary", "model.target-vocabulary", "model.classes"};

void make_absolute(std::string& path) {
  if (!path.empty() && path != "-") path = fs::absolute(path).lexically_normal().string();
}

}  // namespace

void make_paths_absolute(TrainingOptions& options) {
  for (std::string* path :
       {&options.from, &options.cache, &options.train.output, &options.vocabulary.source, &options.vocabulary.target,
        &options.vocabulary.made.encoder, &options.vocabulary.made.merges, &options.statistical.read_arpa,
        &options.statistical.write_arpa})
    make_absolute(*path);
  for (std::vector<std::string>* list :
       {&options.corpus.source, &options.corpus.target, &options.valid_source, &options.valid_target})
    for (std::string& path : *list) make_absolute(path);
}

namespace {

bool is_derived(const std::string& key) { return std::find(kDerived.begin(), kDerived.end(), key) != kDerived.end(); }

// The values of the settings for which `wanted(key)` holds. Paths are absolute.
template <class Wanted>
Values values_of(TrainingOptions options, Wanted wanted) {
  make_paths_absolute(options);
  Values values;
  const Settings settings(options);
  for (const Setting& setting : settings.all())
    if (wanted(setting.key) && !is_derived(setting.key))
      values[setting.key] = setting.text ? setting.text() : setting.get();
  return values;
}

bool belongs_to(const std::string& key, std::string_view group) { return key.starts_with(group); }

// "--vocab.size 500 (not 0), ...": the settings of `given` that differ from `expected`.
std::string differences(const Values& given, const Values& expected) {
  std::vector<std::string> list;
  for (const auto& [key, value] : given)
    if (value != expected.at(key))
      list.push_back(fmt::format("--{} {} (not {})", key, value.empty() ? "\"\"" : value,
                                 expected.at(key).empty() ? "\"\"" : expected.at(key)));
  return join(list, ", ");
}

void set_model(Settings& settings, models::ModelConfig config) {
  Settings model;
  model.group("model", config);
  for (const Setting& setting : model.all()) settings.set(setting.key, setting.text ? setting.text() : setting.get());
}

}  // namespace

void read_initial_settings(Settings& settings, const TrainingOptions& asked) {
  const std::string saved = settings_file(asked.train.output);
  if (asked.resume && fs::exists(saved)) return settings.read_yaml_file(saved);
  const auto read_preset = [&] {
    if (!asked.preset.empty()) settings.read_yaml(models::preset_text(asked.preset), asked.preset);
  };
  if (!fs::exists(asked.from)) return read_preset();
  const store::ModelFile model(asked.from);
  set_model(settings, model.info().config);
  read_preset();
  // A model may have been trained with flags beside its preset. Any other preset has to agree with the model
  // (check_fine_tuning).
  const auto own = model.info().card.find("preset");
  if (own != model.info().card.end() && own->second == asked.preset) set_model(settings, model.info().config);
}

void check_fine_tuning(const TrainingOptions& options) {
  if (!options.fine_tunes()) return;
  // A preset may set vocabularies that the model was not trained with; only flags ask for them.
  TrainingOptions plain;
  if (!options.preset.empty()) Settings(plain).read_yaml(models::preset_text(options.preset), options.preset);
  plain.model = store::ModelFile(options.from).info().config;
  const auto ignored = [](const std::string& key) { return belongs_to(key, "model.") || belongs_to(key, "vocab."); };
  const std::string words = differences(values_of(options, ignored), values_of(plain, ignored));
  check(words.empty(),
        "--from {} brings its own configuration and vocabularies, so these settings would be ignored: {}. {}",
        options.from, words,
        options.preset.empty() ? "Leave them out"
                               : "Leave them out, and --preset " + options.preset +
                                     " if they come from it: it is not the preset of this model (its other settings "
                                     "can be given as flags)");
}

void check_resuming(const TrainingOptions& options) {
  const std::string file = settings_file(options.train.output);
  if (!options.continues() || !fs::exists(file)) return;
  TrainingOptions saved;
  Settings(saved).read_yaml_file(file);
  const auto fixed = [](const std::string& key) {
    return key == "preset" || key == "from" || key == "task" || key == "languages" || belongs_to(key, "model.") ||
           belongs_to(key, "vocab.");
  };
  const std::string words = differences(values_of(options, fixed), values_of(saved, fixed));
  check(words.empty(), "{}: a run cannot be resumed with another model, vocabulary or task: {}", options.train.output,
        words);
}

std::string settings_file(const std::string& folder) { return folder + "/config.yaml"; }

void save_settings(TrainingOptions options) {
  options.resume = options.overwrite = options.dry_run = options.verify_resume = false;
  options.compute.devices = TrainingMachine().devices;
  make_paths_absolute(options);
  AtomicFile file(settings_file(options.train.output));
  file.write(Settings(options).dump());
  file.commit();
}

}  // namespace dragoman::run
