#pragma once

#include <string>
#include <vector>

#include "store/model_file.h"
#include "text/language_tags.h"

// The languages of models that translate in several directions.
namespace dragoman::run {

// The directions that the card of a model names (text::kLanguagesCard): those of the training data, or those that an
// imported model came with. None for most models.
std::vector<text::LanguagePair> trained_pairs(const store::ModelInfo& info);

// Checks a direction that a user asked for against the training data of the models. Throws Error if a model does not
// know the source language. Returns a warning if a model was not trained on the direction (zero-shot translation), and
// otherwise nothing. An empty `from` is not checked.
std::string check_direction(const std::vector<std::string>& model_files, const std::string& from,
                            const std::string& to);

}  // namespace dragoman::run
