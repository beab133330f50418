#pragma once

#include <memory>
#include <span>
#include <string>

#include "models/classifier.h"
#include "models/seq2seq.h"
#include "store/model_file.h"

namespace dragoman::exchange {

// A model file that is to be written in another format: its settings, and its weights as numbers in host memory.
class ExportedModel {
 public:
  explicit ExportedModel(const std::string& path);

  const std::string& path() const { return path_; }
  const store::ModelInfo& info() const { return info_; }
  const models::ModelConfig& config() const { return info_.config; }
  const nn::Parameters& parameters() const {
    return translator_ ? translator_->parameters() : classifier_->parameters();
  }

  bool has(const std::string& parameter) const { return parameters().find(parameter) != nullptr; }
  // The values of a parameter in row-major order.
  std::span<const float> weights(const std::string& parameter) const;
  std::span<const float> weights(const nn::Parameters::Entry& entry) const;

 private:
  std::string path_;
  store::ModelInfo info_;
  std::unique_ptr<models::Seq2seq> translator_;  // this one or the next
  std::unique_ptr<models::Classifier> classifier_;
};

}  // namespace dragoman::exchange
