#pragma once

#include <string>
#include <vector>

#include "store/stored_weights.h"

namespace dragoman::exchange {

// The entry of the model card that says where a model comes from.
inline constexpr const char* kImportedCard = "imported";

// What to import. Files besides the model are for models of Marian and are looked for beside it if none are given.
struct ImportFiles {
  std::string model;  // a folder or a file
  std::vector<std::string> vocabularies{}, subwords{};
  std::string shortlist{};
};

struct ImportSummary {
  std::string format;  // in words
  std::int64_t parameters = 0;
  int source_vocabulary = 0, target_vocabulary = 0;
  std::size_t languages = 0;  // that it must be told; 0 for a model of one direction
  bool shortlist = false;
};

// Reads a model of another program and writes it as a model file. Throws Error with the reason if
// its format is not known or if it has something that our models lack.
ImportSummary import_model(const ImportFiles& files, const std::string& output, store::StoredFormat format);

}  // namespace dragoman::exchange
