#pragma once

#include "models/classifier.h"
#include "tests/search/text_model.h"

// Classifiers with random weights over a small vocabulary.
namespace dragoman::search::test {

inline std::string label_tokenizer(const std::vector<std::string>& labels) {
  std::size_t next = 0;
  return text::build_words(
             [&](std::string& line) {
               if (next == labels.size()) return false;
               line = labels[next++];
               return true;
             },
             {.language = text::Language::tokenized}, {.min_count = 1, .size = 0, .multiple = 1})
      ->serialize();
}

inline store::ModelInfo classifier_info(const std::string& preset) {
  store::ModelInfo info = text_model_info(preset);
  info.target_tokenizer = label_tokenizer({"statement", "question", "command!"});
  info.config.target_vocabulary = text::deserialize_tokenizer(info.target_tokenizer)->size();
  info.config.classes = 3;
  return info;
}

// `scale` multiplies the weights.
inline void write_classifier(const std::string& path, const store::ModelInfo& info, std::uint64_t seed,
                             float scale = 2.5f) {
  models::Classifier network(info.config);
  network.parameters().allocate(cpu_device(), DType::f32, seed, false);
  float* const weights = network.parameters().weights().data<float>();
  for (Size i = 0; i < network.parameters().weights().count(); ++i) weights[i] *= scale;
  store::save_model(path, info, network.parameters());
}

inline void write_classifier(const std::string& path, const std::string& preset, std::uint64_t seed) {
  write_classifier(path, classifier_info(preset), seed);
}

}  // namespace dragoman::search::test
