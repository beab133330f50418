#include "models/classifier.h"

#include "models/embedding.h"

namespace dragoman::models {

Classifier::Classifier(const ModelConfig& config, nn::Parameters::Admission admit)
    : config_(config), parameters_(std::make_unique<nn::Parameters>(std::move(admit))) {
  check_config(config);
  check(config.classes > 1, "a classifier needs at least two classes, got {}", config.classes);
  encoder_ = family_of(config).make_encoder(*parameters_, config, WordEmbedding::of_source(*parameters_, config));
  output_ = nn::Linear(*parameters_, "output", encoder_->size(), config.classes);
}

Tensor Classifier::features(Context& cx, const Packed& source) const {
  const EncodedSource encoded = encoder_->encode(cx, source);
  const std::vector<std::int32_t> ones(static_cast<std::size_t>(source.rows.count()), 1);
  const PairLayout pairs = PairLayout::of(cx, Segments::from_lengths(cx, ones), source.rows);
  std::vector<double> shares;
  for (Size s = 0; s < source.rows.count(); ++s)
    shares.insert(shares.end(), static_cast<std::size_t>(source.rows.length(s)),
                  1.0 / static_cast<double>(source.rows.length(s)));
  return segment_mix(cx, cx.from_numbers(encoded.states.dtype(), shares, {pairs.count}), encoded.states, pairs);
}

Tensor Classifier::logits(Context& cx, const Tensor& features) const { return output_(cx, features); }

Losses Classifier::loss(Context& cx, const Tensor& features, const Tensor& classes, const LossOptions& options) const {
  return cross_entropy(cx, features, output_.weight(), output_.bias(), classes, options);
}

}  // namespace dragoman::models
