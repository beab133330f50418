#pragma once

#include <string>

#include "models/config.h"
#include "nn/parameters.h"
#include "store/safetensors.h"

namespace dragoman::store {

// What a model file holds beside its weights. A model file is all that translation needs.
struct ModelInfo {
  models::ModelConfig config;
  std::string source_tokenizer, target_tokenizer;  // from text::Tokenizer::serialize; may be empty
  Metadata card;                                   // for people: data, steps, scores with their signatures
  bool source_begin = false, source_end = true;    // marks around the source in training
};

// Prefix of tensors that belong to training, not to the model: moments, averages, the state of the run.
inline constexpr const char* kTrainingPrefix = "train.";

// Writes one valid safetensors file. With `training` it is a checkpoint; those names start with kTrainingPrefix.
void save_model(const std::string& path, const ModelInfo& info, const nn::Parameters& parameters,
                const std::vector<StoredTensor>& training = {});

// An open model file. The constructor checks format and version.
class ModelFile {
 public:
  explicit ModelFile(const std::string& path);

  const ModelInfo& info() const { return info_; }
  const SafetensorsFile& file() const { return file_; }
  // Copies the weights into parameters allocated for this configuration. Throws when one is missing or has another
  // shape, and when the file holds an unknown tensor.
  void load(nn::Parameters& parameters) const;

 private:
  SafetensorsFile file_;
  ModelInfo info_;
};

}  // namespace dragoman::store
