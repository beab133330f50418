#pragma once

#include <string>
#include <vector>

#include "base/program_files.h"
#include "text/language_tags.h"

// The models that come with the program or the Python package, in a folder `models`: en-de.safetensors and so on.
namespace dragoman::run {

struct ReadyModel {
  text::LanguagePair languages;
  std::string file;
};

// Those of the first folder that has any, in the order of their names; none if the program came without models.
std::vector<ReadyModel> ready_models(const std::vector<std::string>& folders = program_folders("models"));

// The one for these languages. Either may be empty: English is preferred as the source. Throws Error if there is none.
ReadyModel ready_model(const std::string& from, const std::string& to,
                       const std::vector<std::string>& folders = program_folders("models"));

}  // namespace dragoman::run
