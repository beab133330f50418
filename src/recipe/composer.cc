#include "recipe/composer.h"

#include <algorithm>

#include "recipe/safe_command.h"
#include "recipe/step_device.h"

namespace dragoman::recipe {
namespace {

constexpr std::string_view kSystems = "systems/";

bool uses(const std::vector<std::string>& words, const std::string& placeholder) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const std::vector<std::string> names = placeholders(word);
    return std::find(names.begin(), names.end(), placeholder) != names.end();
  });
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// Replaces flags: removes each flag of `more` and its value from the words, then appends `more`.
void override_flags(std::vector<std::string>& words, const std::vector<std::string>& more) {
  const auto is_flag = [](const std::string& word) { return word.starts_with("--"); };
  for (const std::string& flag : more) {
    if (!is_flag(flag)) continue;
    std::erase_if(words, [&](const std::string& word) { return word.starts_with(flag + "="); });
    for (auto at = words.begin(); (at = std::find(at, words.end(), flag)) != words.end();)
      at = words.erase(at, at + (at + 1 != words.end() && !is_flag(*(at + 1)) ? 2 : 1));
  }
  append(words, more);
}

// Removes the flags that a model to be fine-tuned brings with it.
void drop_structure(std::vector<std::string>& flags) {
  const auto is_flag = [](const std::string& word) { return word.starts_with("--"); };
  for (auto at = flags.begin(); at != flags.end();) {
    const auto end = std::find_if(at + 1, flags.end(), is_flag);
    const bool is_structure = at->starts_with("--model.") || at->starts_with("--vocab.");
    at = is_structure ? flags.erase(at, end) : end;
  }
}

bool trains(const CommandLine& command) { return command.words[0] == "train"; }

}  // namespace

Composer::Composer(const Recipe& recipe, const Folder& folder, const PlanOptions& options)
    : recipe_(recipe), folder_(folder), options_(options) {}

Places Composer::folders(const Context& context) const {
  Places places = {{"data", options_.data}, {"work", folder_.work()}};
  for (const System& system : recipe_.systems)
    places[std::string(kSystems) + system.name] = folder_.system(system.name);
  if (context.system != nullptr) places["system"] = folder_.system(context.system->name);
  if (!context.figure.empty()) places["figure"] = folder_.path + "/figures/" + context.figure;
  return places;
}

void Composer::add_machine_flags(std::vector<std::string>& words) const {
  if (computes(words[0])) {
    // A command that needs a certain device names it itself.
    const bool is_named = std::find(words.begin(), words.end(), "--device") != words.end();
    if (!options_.device.empty() && !is_named) append(words, {"--device", options_.device});
    if (!options_.precision.empty()) append(words, {"--precision", options_.precision});
  }
  if (options_.threads > 0) append(words, {"--threads", std::to_string(options_.threads)});
}

void Composer::add_flags(const Flags& flags, std::vector<std::string>& words) const {
  for (const auto& [command, text] : flags)
    if (command == words[0]) append(words, split_command(text).words);
}

CommandLine Composer::with_flags(const CommandLine& own, const Context& context,
                                 const std::vector<std::string>& more) const {
  CommandLine composed{.words = {own.words[0]}, .output = own.output};
  add_flags(recipe_.flags, composed.words);
  const Group* const group = context.system == nullptr ? nullptr : recipe_.group_of(*context.system);
  if (group != nullptr) add_flags(group->flags, composed.words);
  composed.words.insert(composed.words.end(), own.words.begin() + 1, own.words.end());
  append(composed.words, more);
  if (trains(own)) {
    if (!has_flag(composed, "--output")) append(composed.words, {"--output", "{system}/run"});
    append(composed.words, {"--resume"});
    if (context.system != nullptr && context.system->seed != 0)
      append(composed.words, {"--seed", std::to_string(context.system->seed)});
  } else if (context.places.contains("output") && composed.output.empty() && !uses(composed.words, "output")) {
    composed.output = "{output}";
  }
  return composed;
}

Step Composer::step(const std::string& title, const std::string& command, const Context& context,
                    const std::vector<std::string>& more) const {
  const CommandLine own = split_command(command);
  check(!own.words.empty(), "expected a command for '{}'", title);
  // The recorded command has no flags about this machine and no cache; otherwise both are the same. A recipe gives the
  // same flags to systems of different kinds, so some have no effect.
  CommandLine recorded = with_flags(own, context, more), composed = recorded;
  append(composed.words, {"--allow-unused"});
  add_machine_flags(composed.words);
  if (trains(own) && !has_flag(composed, "--cache")) append(composed.words, {"--cache", "{work}/cache"});
  if (options_.miniature) {
    std::vector<std::string> small = {own.words[0]};
    add_flags(recipe_.miniature.flags, small);
    small.erase(small.begin());
    if (has_flag(own, "--from")) drop_structure(small);
    override_flags(recorded.words, small);
    override_flags(composed.words, small);
  }
  Places places = context.places;
  if (context.system != nullptr) places.emplace("model", context.system->model);
  const Places paths = folders(context);
  for (const auto& entry : paths) places.emplace(entry.first, "{" + entry.first + "}");
  Step step;
  step.title = title;
  step.recorded = show(fill(recorded, places));
  step.command = fill(fill(composed, places), paths);
  check_safe(step.command, folder_.path, options_.data);
  if (trains(own)) step.run = flag_values(step.command, "--output").back();
  return step;
}

std::string Composer::path(const std::string& text, const Context& context) const {
  return fill(text, folders(context));
}

Places test_places(const TestSet& test) {
  Places places = {{"input", test.source}, {"reference", test.reference}};
  if (!test.from.empty()) places["from"] = test.from;
  if (!test.to.empty()) places["to"] = test.to;
  return places;
}

std::vector<std::string> systems_used(const std::string& command) {
  std::vector<std::string> names;
  for (const std::string& name : placeholders(command))
    if (name.starts_with(kSystems)) names.push_back(name.substr(kSystems.size()));
  return names;
}

}  // namespace dragoman::recipe
