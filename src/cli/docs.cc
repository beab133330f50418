// Writes the reference pages from the descriptions of the settings themselves.
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/log.h"
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

// As it may stand in a cell of a table.
std::string cell(std::string text) {
  for (const auto& [sign, written] : {std::pair('|', "\\|"), std::pair('<', "&lt;")})
    for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos; at += std::string_view(written).size())
      text.replace(at, 1, written);
  return text;
}

std::string code_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return "`" + text + "`";
}

bool is_choice(const Setting& setting) { return setting.type.find('|') != std::string::npos; }

std::string values_of(const Setting& setting) {
  if (!is_choice(setting)) return setting.type;
  std::string names;
  for (std::size_t begin = 0; begin < setting.type.size();) {
    const std::size_t end = std::min(setting.type.find('|', begin), setting.type.size());
    names += (names.empty() ? "`" : ", `") + setting.type.substr(begin, end - begin) + "`";
    begin = end + 1;
  }
  return names;
}

std::string settings_tables(const Settings& settings) {
  std::vector<std::string> sections;
  for (const Setting& setting : settings.all())
    if (std::find(sections.begin(), sections.end(), setting.section) == sections.end())
      sections.push_back(setting.section);
  std::string text;
  for (const std::string& section : sections) {
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
      "\nEvery setting is a flag or a key of a YAML file that `--config FILE` names; flags override files, and later "
      "files\n"
      "override earlier ones. `--dump-config` prints all settings and stops. A switch is set by `--NAME` and cleared "
      "by\n"
      "`--no-NAME`; a list is given by repeating its flag.\n";
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
      "A preset is a configuration with a name: `dragoman train --preset NAME`. `dragoman inspect NAME` lists its "
      "layers\n"
      "and parameters. Settings that a preset does not mention have their [defaults](commands/train.md).\n";
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

int run(const Command& self, const Words& arguments) {
  return run_with<DocsOptions>(self, arguments, [](const DocsOptions& options, const Words& words) {
    expect_words(words, 0, "docs takes no words");
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
                          run,
                          describe_options<DocsOptions>,
                          "dragoman docs --output docs/reference"};

}  // namespace dragoman::cli
