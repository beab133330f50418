#pragma once

#include <string>

#include "exchange/tensor_file.h"
#include "models/config.h"

namespace dragoman::exchange {

// What Marian's settings, which its model files contain, say about the model.
struct MarianConfig {
  models::ModelConfig model;  // with the vocabularies of the file, without a row for the start of a sentence
  bool projects = true;       // attention has output projections
  bool shares_words = false;  // both sides have one table of word vectors, called Wemb
};

// Throws Error with the setting that our Transformer lacks.
MarianConfig read_marian_config(const TensorFile& file);

inline constexpr const char* kMarianSettings = "special:model.yml";

}  // namespace dragoman::exchange
