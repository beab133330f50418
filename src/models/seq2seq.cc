#include "models/seq2seq.h"

#include "models/embedding.h"

namespace dragoman::models {

Seq2seq::Seq2seq(const ModelConfig& config, nn::Parameters::Admission admit)
    : config_(config), parameters_(std::make_unique<nn::Parameters>(std::move(admit))) {
  check_config(config);
  check(config.classes == 0, "classes {} makes a classifier, which does not translate", config.classes);
  nn::Parameters& list = *parameters_;
  const Family& family = family_of(config);
  const WordEmbedding target = WordEmbedding::of_target(list, config);
  const WordEmbedding source = config.tied == Tie::all ? target : WordEmbedding::of_source(list, config);
  encoder_ = family.make_encoder(list, config, source);
  decoder_ = family.make_decoder(list, config, target, encoder_->size());
  const Size features = decoder_->size();
  if (config.tied == Tie::none) {
    output_ = nn::Linear(list, "output", features, config.target_vocabulary, true, family.output_init());
  } else {
    check(features == config.embedding,
          "tied {} shares the target embeddings with the output layer, but they have sizes {} and {}",
          name_of(config.tied), config.embedding, features);
    output_ = nn::Linear(target.table(), list.add("output.bias", {config.target_vocabulary}, nn::Init::zeros()));
  }
}

Memory Seq2seq::encode(Context& cx, const Packed& source) const {
  return decoder_->remember(cx, encoder_->encode(cx, source));
}

State Seq2seq::start(Context& cx, const Memory& memory, bool continues) const {
  return decoder_->start(cx, memory, continues);
}

Decoded Seq2seq::decode(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const {
  tokens.check_ids(config_.target_vocabulary);  // before the state changes
  return decoder_->decode(cx, tokens, memory, state, weights);
}

Tensor Seq2seq::logits(Context& cx, const Tensor& features) const { return output_(cx, features); }

Best Seq2seq::best_words(Context& cx, const Tensor& features, Size count) const {
  return top_scores(cx, features, output_.weight(), output_.bias(), count);
}

PickedLayer Seq2seq::pick_words(std::vector<std::int32_t> words) const {
  return {output_.weight(), output_.bias(), std::move(words)};
}

Tensor Seq2seq::logits(Context& cx, const Tensor& features, std::span<const PickedRows> rows) const {
  return picked_logits(cx, features, output_.weight(), output_.bias(), rows);
}

Best Seq2seq::best_words(Context& cx, const Tensor& features, Size count, std::span<const PickedRows> rows) const {
  return top_scores(cx, features, output_.weight(), output_.bias(), count, rows);
}

Tensor Seq2seq::scores_of(Context& cx, const Tensor& features, std::int32_t word) const {
  const Tensor bias = output_.bias();
  const Tensor bias_row = bias.defined() ? bias.reshaped({bias.count(), 1}).row_view(word, 1) : Tensor();
  return top_scores(cx, features, packed_row(cx, output_.weight(), word), bias_row, 1).values;
}

Losses Seq2seq::loss(Context& cx, const Tensor& features, const Tensor& targets, const LossOptions& options) const {
  return cross_entropy(cx, features, output_.weight(), output_.bias(), targets, options);
}

}  // namespace dragoman::models
