#pragma once

#include <string>

#include "models/config.h"
#include "nn/parameters.h"
#include "store/safetensors.h"

namespace dragoman::store {

// What a model file holds beside its weights: enough to translate with nothing else at hand.
struct ModelInfo {
  models::ModelConfig config;
  std::string source_tokenizer, target_tokenizer;  // as text::Tokenizer::serialize gave them; may be empty
  Metadata card;                                   // for people: data, steps, scores with their signatures
  bool source_begin = false, source_end = true;    // marks around the source that the model was trained with
};

// Tensors of this prefix belong to training, not to the model: moments, averages, the state of the run.
inline constexpr const char* kTrainingPrefix = "train.";

// One file, a valid safetensors file. `training` makes a checkpoint of it; names begin with kTrainingPrefix.
void save_model(const std::string& path, const ModelInfo& info, const nn::Parameters& parameters,
                const std::vector<StoredTensor>& training = {});

// Opens a model and checks that it is one of ours, of a version we read.
class ModelFile {
 public:
  explicit ModelFile(const std::string& path);

  const ModelInfo& info() const { return info_; }
  const SafetensorsFile& file() const { return file_; }
  // Copies the weights into parameters that were allocated for this configuration. Every one must be there, with its
  // shape, and nothing else but what belongs to training.
  void load(nn::Parameters& parameters) const;

 private:
  SafetensorsFile file_;
  ModelInfo info_;
};

}  // namespace dragoman::store
