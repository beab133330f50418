// Generates the reference pages from the descriptions of the settings.
#include <filesystem>

#include "base/file.h"
#include "base/log.h"
#include "base/options_help.h"
#include "cli/command.h"
#include "models/presets.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGenerated =
    "<!-- Written by `dragoman docs`. Change the descriptions in the source, then run it again. -->\n\n";

struct DocsOptions {
  std::string output = "docs/reference";

  template <class V>
  void visit(V& v) {
    v("output", output, "the folder to write to");
  }
};

void write_page(const fs::path& path, const std::string& text) {
  AtomicFile file(path.string());
  file.write(kGenerated + text);
  file.commit();
}

std::string replaced(std::string text, char sign, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos; at += by.size()) text.replace(at, 1, by);
  return text;
}

// Escapes text for a cell of a Markdown table.
std::string cell(const std::string& text) { return replaced(replaced(text, '|', "\\|"), '<', "&lt;"); }
std::string code_cell(const std::string& text) { return "`" + replaced(text, '|', "\\|") + "`"; }

std::string values_of(const Setting& setting) {
  const bool is_choice = setting.type.find('|') != std::string::npos;
  return is_choice ? "`" + replaced(setting.type, '|', "`, `") + "`" : setting.type;
}

std::string settings_tables(const Settings& settings) {
  std::string text;
  for (const std::string& section : sections_of(settings)) {
    text += fmt::format("\n## {}\n\n| setting | values | default | meaning |\n|---|---|---|---|\n",
                        section.empty() ? "Settings" : section);
    for (const Setting& setting : settings.all())
      if (setting.section == section)
        text += fmt::format("| `--{}` | {} | {} | {} |\n", setting.key, values_of(setting), code_cell(setting.get()),
                            cell(setting.help));
  }
  return text;
}

void write_command(const fs::path& folder, const Command& command) {
  std::string text = fmt::format("# dragoman {0}\n\n`dragoman {0}` {1}.\n\n```text\ndragoman {0}{2}{3}\n```\n",
                                 command.name, command.summary, *command.usage == '\0' ? "" : " ", command.usage);
  if (*command.examples != '\0')
    text += fmt::format("\n<!-- test: flags only, the files are the reader's -->\n```sh\n{}\n```\n", command.examples);
  text +=
      "\nEvery setting is a flag or a key of a YAML file that `--config FILE` names; flags override files, and\n"
      "later files override earlier ones. `--dump-config` prints all settings and stops. A switch is set by\n"
      "`--NAME` and cleared by `--no-NAME`; a list is given by repeating its flag. A flag without an effect is an\n"
      "error that says why; `--allow-unused` accepts it.\n";
  command.describe([&](const Settings& settings) { text += settings_tables(settings); });
  write_page(folder / "commands" / (std::string(command.name) + ".md"), text);
}

void write_overview(const fs::path& folder) {
  std::string text = "# Commands\n";
  for (const CommandGroup& group : command_groups()) {
    std::string title = group.title;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    text += fmt::format("\n## {}\n\n| command | |\n|---|---|\n", title);
    for (const Command& command : group.commands)
      text += fmt::format("| [`dragoman {0}`](commands/{0}.md) | {1} |\n", command.name, cell(command.summary));
  }
  write_page(folder / "commands.md", text);
}

void write_presets(const fs::path& folder) {
  std::string text =
      "# Presets\n\n"
      "A preset is a configuration with a name: `dragoman train --preset NAME`. `dragoman inspect NAME` lists\n"
      "its layers and parameters. Settings that a preset leaves out have their [defaults](commands/train.md).\n";
  const auto add = [&](const char* title, const std::vector<std::string>& names) {
    text += fmt::format("\n## {}\n\n| preset | |\n|---|---|\n", title);
    for (const std::string& name : names)
      text += fmt::format("| `{}` | {} |\n", name, cell(models::preset_summary(name)));
    for (const std::string& name : names)
      text += fmt::format("\n### {}\n\n```yaml\n{}```\n", name, models::preset_text(name));
  };
  add("Neural models", models::preset_names());
  add("Statistical systems", models::statistical_preset_names());
  write_page(folder / "presets.md", text);
}

int run_docs(const Command& self, const Words& arguments) {
  return run_with<DocsOptions>(self, arguments, [](const DocsOptions& options, const Words& words) {
    expect_words(words, 0, "docs takes flags only");
    const fs::path folder = options.output;
    fs::create_directories(folder / "commands");
    for (const CommandGroup& group : command_groups())
      for (const Command& command : group.commands) write_command(folder, command);
    write_overview(folder);
    write_presets(folder);
    log::info("wrote the reference pages to {}", options.output);
    return 0;
  });
}

}  // namespace

extern const Command docs{"docs",
                          "--output FOLDER",
                          "writes the reference pages of all commands, settings and presets",
                          run_docs,
                          describe_options<DocsOptions>,
                          "dragoman docs --output docs/reference"};

}  // namespace dragoman::cli
