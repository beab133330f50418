#include "run/ready_models.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/join.h"
#include "base/quote.h"
#include "text/language_codes.h"

namespace dragoman::run {
namespace {

namespace fs = std::filesystem;

std::string asked(const std::string& from, const std::string& to) {
  return (from.empty() ? "" : fmt::format(" from {}", excerpt(from))) +
         (to.empty() ? "" : fmt::format(" to {}", excerpt(to)));
}

}  // namespace

std::vector<ReadyModel> ready_models(const std::vector<std::string>& folders) {
  std::vector<ReadyModel> models;
  for (const std::string& folder : folders) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const fs::path& file = entry.path();
      const std::optional<text::LanguagePair> languages = text::LanguagePair::read(file.stem().string());
      if (file.extension() == ".safetensors" && languages) models.push_back({*languages, file.string()});
    }
    if (!models.empty()) break;
  }
  std::sort(models.begin(), models.end(),
            [](const ReadyModel& a, const ReadyModel& b) { return a.languages.show() < b.languages.show(); });
  return models;
}

ReadyModel ready_model(const std::string& from, const std::string& to, const std::vector<std::string>& folders) {
  std::vector<ReadyModel> models = ready_models(folders);
  check(!models.empty(),
        "expected a model: there are none in a folder `models` beside this program or in share/dragoman of its "
        "installation, so name a model file (--model FILE)");
  std::vector<std::string> known, sources, targets;
  for (const ReadyModel& model : models) {
    known.push_back(model.languages.show());
    sources.push_back(model.languages.source);
    targets.push_back(model.languages.target);
  }
  const std::string source = text::find_language(from, sources), target = text::find_language(to, targets);
  std::erase_if(models, [&](const ReadyModel& model) {
    return (!from.empty() && model.languages.source != source) || (!to.empty() && model.languages.target != target);
  });
  check(!models.empty(),
        "no model that comes with the program translates{}; there are {}. For others, name a model file (--model FILE)",
        asked(from, to), join(known, ", "));
  const auto english = std::find_if(models.begin(), models.end(),
                                    [](const ReadyModel& model) { return model.languages.source == "en"; });
  return english == models.end() ? models.front() : *english;
}

}  // namespace dragoman::run
