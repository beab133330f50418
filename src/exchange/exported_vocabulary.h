#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "exchange/exported_model.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/tokenizer.h"

namespace dragoman::exchange {

// The vocabulary of one side of a model, as other programs list it.
struct ExportedVocabulary {
  std::vector<std::string> pieces{};  // by id, one for every row of the word vectors; no two are the same
  text::SpecialIds special{};
  text::LanguageTags tags{};
  std::vector<std::int32_t> never{};  // ids that no translation contains
  std::string subwords{};             // the SentencePiece model; empty if text is split in another way
  text::SubwordText text{.prepare = {.normalize = text::NormalForm::none}};  // what happens to a text before
};

enum class Side { source, target };

ExportedVocabulary vocabulary_of(const ExportedModel& model, Side side);

}  // namespace dragoman::exchange
