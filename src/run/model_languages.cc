#include "run/model_languages.h"

#include <algorithm>

#include "base/join.h"
#include "exchange/import.h"
#include "run/model_description.h"
#include "text/language_codes.h"

namespace dragoman::run {
namespace {

// The languages of one side, each once.
std::vector<std::string> languages_of(const std::vector<text::LanguagePair>& pairs,
                                      std::string text::LanguagePair::*side) {
  std::vector<std::string> languages;
  for (const text::LanguagePair& pair : pairs)
    if (std::find(languages.begin(), languages.end(), pair.*side) == languages.end()) languages.push_back(pair.*side);
  return languages;
}

}  // namespace

std::vector<text::LanguagePair> trained_pairs(const store::ModelInfo& info) {
  const auto found = info.card.find(text::kLanguagesCard);
  if (found == info.card.end()) return {};
  return text::LanguagePair::parse_all(found->second);
}

std::string check_direction(const std::vector<std::string>& model_files, const std::string& from,
                            const std::string& to) {
  if (from.empty()) return "";
  for (const std::string& file : model_files) {
    std::vector<text::LanguagePair> pairs;
    if (!is_statistical(file)) {
      const store::ModelFile model(file);
      if (model.info().card.contains(exchange::kImportedCard)) continue;  // its training is not known
      pairs = trained_pairs(model.info());
    }
    check(!pairs.empty(), "--from {}: {} was trained on one direction only and has no choice of languages", from, file);
    const std::vector<std::string> sources = languages_of(pairs, &text::LanguagePair::source);
    const std::string source = text::find_language(from, sources);
    check(!source.empty(), "--from {}: {} was not trained on this source language but on {}", from, file,
          join(sources, ", "));
    // Without --to, the model has one target language.
    const std::string target = text::find_language(to, languages_of(pairs, &text::LanguagePair::target));
    const text::LanguagePair asked{source, to.empty() ? pairs[0].target : target.empty() ? to : target};
    if (std::find(pairs.begin(), pairs.end(), asked) == pairs.end())
      return fmt::format("{} was not trained on {}: this is zero-shot translation, which is usually worse", file,
                         asked.show());
  }
  return "";
}

}  // namespace dragoman::run
