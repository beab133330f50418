#include "models/presets.h"

#include <map>
#include <sstream>

namespace dragoman::models {
namespace {

const std::map<std::string, std::string>& table() {
  static const std::map<std::string, std::string> presets = {
#include "models/presets.inc"
  };
  return presets;
}

// A preset file: model settings under `model:`, training settings beside it.
struct PresetFile {
  ModelConfig model;

  template <class V>
  void visit(V& v) {
    v.group("model", model);
  }
};

bool is_statistical(const std::string& text) { return text.find("\nstatistical:") != std::string::npos; }

std::vector<std::string> names_of(bool statistical) {
  std::vector<std::string> list;
  for (const auto& [name, text] : table())
    if (is_statistical(text) == statistical) list.push_back(name);
  return list;
}

// Up to a period before a capital letter; "et al. 2019" is not the end.
std::string first_sentence(const std::string& text) {
  std::size_t end = 0;
  while ((end = text.find(". ", end)) != std::string::npos) {
    const bool ends = end + 2 >= text.size() || (text[end + 2] >= 'A' && text[end + 2] <= 'Z');
    if (ends) break;
    ++end;
  }
  return text.substr(0, end);
}

}  // namespace

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names = names_of(false);
  return names;
}

const std::vector<std::string>& statistical_preset_names() {
  static const std::vector<std::string> names = names_of(true);
  return names;
}

const std::string& preset_text(const std::string& name) {
  const auto found = table().find(name);
  if (found != table().end()) return found->second;
  std::vector<std::string> all = preset_names();
  all.insert(all.end(), statistical_preset_names().begin(), statistical_preset_names().end());
  const std::string near = nearest(name, all);
  fail("there is no preset '{}'{}", name,
       near.empty() ? "; `dragoman inspect --presets` lists them" : "; did you mean '" + near + "'?");
}

std::string preset_summary(const std::string& name) {
  std::istringstream lines(preset_text(name));
  std::string comment;
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");) comment += line.substr(2) + " ";
  return first_sentence(comment);
}

ModelConfig preset(const std::string& name) {
  PresetFile file;
  Settings(file).read_yaml_part(preset_text(name), name, "model");
  return file.model;
}

}  // namespace dragoman::models
