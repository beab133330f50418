#include "base/options_help.h"

#include <algorithm>

namespace dragoman {
namespace {

constexpr std::size_t kIndent = 30;  // the column where descriptions begin
constexpr std::size_t kNarrowest = 60;
constexpr std::size_t kLongChoice = 40;

// Breaks `text` at spaces into lines of at most `width` bytes; longer words are not broken.
std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines = {""};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines;
}

// A flag with its description beside it, or below it if the flag is too long.
std::string entry(const std::string& flag, const std::string& description, std::size_t width) {
  std::string text = "  " + flag;
  bool beside = text.size() + 2 <= kIndent;
  text += beside ? std::string(kIndent - text.size(), ' ') : "\n";
  for (const std::string& line : wrap(description, width - kIndent)) {
    text += std::string(beside ? 0 : kIndent, ' ') + line + "\n";
    beside = false;
  }
  return text;
}

// The type as --help shows it: spaces around '|' allow a long list of choices to wrap.
std::string shown_type(std::string type) {
  if (type.size() <= kLongChoice) return type;
  for (std::size_t at = 0; (at = type.find('|', at)) != std::string::npos; at += 3) type.replace(at, 1, " | ");
  return type;
}

std::string indented(const std::string& lines) {
  std::string text;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    text += "  " + lines.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return text;
}

}  // namespace

std::vector<std::string> sections_of(const Settings& settings) {
  std::vector<std::string> sections;
  for (const Setting& setting : settings.all())
    if (std::find(sections.begin(), sections.end(), setting.section) == sections.end())
      sections.push_back(setting.section);
  return sections;
}

std::string Settings::help(const HelpPage& page) const {
  const std::size_t width = std::max(kNarrowest, static_cast<std::size_t>(std::max(page.width, 0)));
  std::string text = fmt::format("{}\n\nusage: dragoman {}{}[--config FILE.yaml] [--key value ...]\n", page.summary,
                                 page.usage, page.usage.ends_with(' ') ? "" : " ");
  if (!page.examples.empty()) text += "\nexamples:\n" + indented(page.examples);
  for (const std::string& section : sections_of(*this)) {
    text += fmt::format("\n{}:\n", section.empty() ? "settings" : section);
    for (const Setting& setting : settings_)
      if (setting.section == section)
        text += entry("--" + setting.key,
                      fmt::format("{} ({}; default {})", setting.help, shown_type(setting.type), setting.get()), width);
  }
  text += "\nevery command:\n";
  text += entry("--config FILE", "read settings from a YAML file; flags override it", width);
  text += entry("--dump-config", "print all settings as YAML and stop", width);
  text +=
      entry("--allow-unused", "accept flags that have no effect, for scripts that give the same to all models", width);
  text += entry("--help", "print this page", width);
  return text;
}

}  // namespace dragoman
