#include "base/join.h"
#include "cli/command.h"
#include "cli/help.h"

namespace dragoman::cli {

extern const Command align, augment, average, bench, classify, direct, docs, doctor, evaluate, export_command, filter,
    import_command, inspect, phrasebook, quantize, recipe_command, report_command, score, serve_command, shortlist,
    stats, tokenize, train_command, translate, vocab;

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> all = {
      {"prepare a corpus", {stats, filter, augment, tokenize, vocab, phrasebook}},
      {"train", {train_command, report_command, average, quantize, shortlist}},
      {"exchange models", {import_command, export_command}},
      {"translate and classify", {translate, serve_command, classify, direct}},
      {"evaluate", {evaluate, score}},
      {"run experiments", {recipe_command}},
      {"align words", {align}},
      {"look around", {inspect, bench, doctor, docs}},
  };
  return all;
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const CommandGroup& group : command_groups())
    for (const Command& command : group.commands) {
      if (name == command.name) return command;
      names.push_back(command.name);
    }
  const std::string near = nearest(name, names);
  fail("unknown command '{}'{}", name, near.empty() ? "; `dragoman help` lists all" : "; did you mean '" + near + "'?");
}

void expect_words(const Words& words, std::size_t count, std::string_view message) {
  check(words.size() == count, "{}, but got {}{}{}", message, words.empty() ? "none" : std::to_string(words.size()),
        words.empty() ? "" : ": ", join(words, " "));
}

const std::string& one_model(const std::vector<std::string>& models, std::string_view usage) {
  check(!models.empty(), "expected a model: {}", usage);
  check(models.size() == 1, "expected one model, but got {}: {}. Only translate combines models (an ensemble)",
        models.size(), join(models, " "));
  return models[0];
}

bool answered(const Command& self, const Settings& settings, const Parsed& parsed) {
  if (!parsed.help && !parsed.dump) return false;
  std::fputs((parsed.help ? help_page(self, settings) : settings.dump()).c_str(), stdout);
  return true;
}

std::optional<Words> read_flags(const Command& self, Settings& settings, const Words& arguments) {
  const Parsed parsed = settings.parse(arguments);
  if (answered(self, settings, parsed)) return std::nullopt;
  settings.check_effects(parsed);
  return parsed.positional;
}

}  // namespace dragoman::cli
