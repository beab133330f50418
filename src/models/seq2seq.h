#pragma once

#include <memory>

#include "models/parts.h"
#include "tensor/picked_layer.h"

namespace dragoman::models {

// A translation model: an encoder, a decoder and an output layer, chosen by the configuration. Training, scoring and
// search all go through the same three functions; training appends a whole sentence to an empty state, search one token
// at a time.
class Seq2seq {
 public:
  // `admit` is asked about every parameter before the next one is declared.
  explicit Seq2seq(const ModelConfig& config, nn::Parameters::Admission admit = {});

  Memory encode(Context& cx, const Packed& source) const;
  // `continues`: tokens will be appended in several calls.
  State start(Context& cx, const Memory& memory, bool continues) const;
  Decoded decode(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights = false) const;

  // [N, target vocabulary].
  Tensor logits(Context& cx, const Tensor& features) const;
  // The `count` best next words for each row of features, and the log-sum-exp over all words; see top_scores.
  Best best_words(Context& cx, const Tensor& features, Size count) const;
  // The output layer of these words only, for the two below. Host only; the weights are packed.
  PickedLayer pick_words(std::vector<std::int32_t> words) const;
  // logits() and best_words() where each row has its own words; see picked_layer.h.
  Tensor logits(Context& cx, const Tensor& features, std::span<const PickedRows> rows) const;
  Best best_words(Context& cx, const Tensor& features, Size count, std::span<const PickedRows> rows) const;
  // [N]: the logit of `word` for each row, bit-identical to that in best_words.
  Tensor scores_of(Context& cx, const Tensor& features, std::int32_t word) const;
  // The loss of `targets` (i32 [N]) given features [N, size]; see cross_entropy.
  Losses loss(Context& cx, const Tensor& features, const Tensor& targets, const LossOptions& options) const;

  const ModelConfig& config() const { return config_; }
  nn::Parameters& parameters() { return *parameters_; }
  const nn::Parameters& parameters() const { return *parameters_; }

 private:
  ModelConfig config_;
  std::unique_ptr<nn::Parameters> parameters_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<Decoder> decoder_;
  nn::Linear output_;
};

}  // namespace dragoman::models
