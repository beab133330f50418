#include "models/presets.h"

#include <map>

namespace dragoman::models {
namespace {

const std::map<std::string, std::string>& table() {
  static const std::map<std::string, std::string> presets = {
#include "models/presets.inc"
  };
  return presets;
}

// The files say `model:` before a model's settings; beside it stand settings of training.
struct PresetFile {
  ModelConfig model;

  template <class V>
  void visit(V& v) {
    v.group("model", model);
  }
};

}  // namespace

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, text] : table()) list.push_back(name);
    return list;
  }();
  return names;
}

const std::string& preset_text(const std::string& name) {
  const auto found = table().find(name);
  if (found != table().end()) return found->second;
  const std::string near = nearest(name, preset_names());
  fail("there is no preset '{}'{}", name, near.empty() ? "" : "; did you mean '" + near + "'?");
}

ModelConfig preset(const std::string& name) {
  PresetFile file;
  Settings(file).read_yaml_part(preset_text(name), name, "model");
  return file.model;
}

}  // namespace dragoman::models
