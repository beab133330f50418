#pragma once

#include <memory>

#include "models/parts.h"

namespace dragoman::models {

// A sentence classifier: an encoder and an output layer over the mean of its states.
class Classifier {
 public:
  // `admit` is asked about every parameter before the next one is declared.
  explicit Classifier(const ModelConfig& config, nn::Parameters::Admission admit = {});

  // [sentences, encoder size].
  Tensor features(Context& cx, const Packed& source) const;
  // [sentences, classes].
  Tensor logits(Context& cx, const Tensor& features) const;
  Losses loss(Context& cx, const Tensor& features, const Tensor& classes, const LossOptions& options) const;

  const ModelConfig& config() const { return config_; }
  nn::Parameters& parameters() { return *parameters_; }
  const nn::Parameters& parameters() const { return *parameters_; }

 private:
  ModelConfig config_;
  std::unique_ptr<nn::Parameters> parameters_;
  std::unique_ptr<Encoder> encoder_;
  nn::Linear output_;
};

}  // namespace dragoman::models
