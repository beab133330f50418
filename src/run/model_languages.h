#pragma once

#include <string>
#include <vector>

#include "store/model_file.h"
#include "text/language_tags.h"

// The languages of models that translate in several directions.
namespace dragoman::run {

// The entry of the model card that lists the directions of the training data: "en-de de-en".
inline constexpr const char* kLanguagesCard = "languages";

// Those directions; none for most models.
std::vector<text::LanguagePair> trained_pairs(const store::ModelInfo& info);

// Checks a direction that a user asked for against the training data of the models. Throws Error if a model does not
// know the source language. Returns a warning if a model was not trained on the direction (zero-shot translation), and
// otherwise nothing. An empty `from` is not checked.
std::string check_direction(const std::vector<std::string>& model_files, const std::string& from,
                            const std::string& to);

}  // namespace dragoman::run
