#include "models/seq2seq.h"

#include "models/recurrent.h"
#include "models/transformer.h"

namespace dragoman::models {
namespace {

std::unique_ptr<Encoder> make_encoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words) {
  if (config.family == Family::recurrent) return std::make_unique<RecurrentEncoder>(list, config, words);
  return std::make_unique<TransformerEncoder>(list, config, words);
}

std::unique_ptr<Decoder> make_decoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words,
                                      Size encoder_size) {
  if (config.family == Family::recurrent) return std::make_unique<RecurrentDecoder>(list, config, words, encoder_size);
  return std::make_unique<TransformerDecoder>(list, config, words);
}

// The recurrent decoder brings the lexical features from its own attention; a Transformer's many heads have no single
// one, so it gets an attention for the purpose.
bool has_lexical_attention(const ModelConfig& config) { return config.lexical && config.family == Family::transformer; }

}  // namespace

std::unique_ptr<Encoder> make_encoder(nn::Parameters& list, const ModelConfig& config) {
  return make_encoder(list, config, WordEmbedding(list, "encoder.embed_tokens", config.source_vocabulary, config));
}

Seq2seq::Seq2seq(const ModelConfig& config) : config_(config) {
  check_config(config);
  check(config.classes == 0, "classes {} makes a classifier, which does not translate", config.classes);
  nn::Parameters& list = *parameters_;
  const WordEmbedding target(list, "decoder.embed_tokens", config.target_vocabulary, config);
  const WordEmbedding source =
      config.tied == Tie::all ? target : WordEmbedding(list, "encoder.embed_tokens", config.source_vocabulary, config);
  encoder_ = make_encoder(list, config, source);
  decoder_ = make_decoder(list, config, target, encoder_->size());
  Size features = decoder_->size();
  if (has_lexical_attention(config)) {
    lexical_attention_ = nn::Attention(list,
                                       {.name = "decoder.lexical_attention",
                                        .query = features,
                                        .memory = encoder_->size(),
                                        .values = config.embedding},
                                       {.score = nn::Score::multiplicative});
    lexical_hidden_ = nn::Linear(list, "decoder.lexical_hidden", config.embedding, config.embedding, false);
    features += config.embedding;
  }
  if (config.tied == Tie::none) {
    const bool recurrent = config.family == Family::recurrent;
    output_ = nn::Linear(list, "output", features, config.target_vocabulary, true,
                         recurrent ? nn::Init::fan_in() : nn::Init::glorot());
  } else {
    check(features == config.embedding,
          "tied {} shares the target embeddings with the output layer, but they have sizes {} and {}",
          name_of(config.tied), config.embedding, features);
    output_ = nn::Linear(target.table(), list.add("output.bias", {config.target_vocabulary}, nn::Init::zeros()));
  }
}

Memory Seq2seq::encode(Context& cx, const Packed& source) const {
  Memory memory = decoder_->remember(cx, encoder_->encode(cx, source));
  if (has_lexical_attention(config_))
    memory.keys.push_back(
        lexical_attention_.prepare(cx, memory.source.states, memory.source.embeddings, memory.source.rows));
  return memory;
}

State Seq2seq::start(Context& cx, const Memory& memory, bool continues) const {
  return decoder_->start(cx, memory, continues);
}

Decoded Seq2seq::decode(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const {
  Decoded decoded = decoder_->decode(cx, tokens, memory, state, weights);
  if (has_lexical_attention(config_)) {
    const Tensor f =
        tanh(cx, lexical_attention_.attend(cx, decoded.features, state.by_sentence(), memory.keys.back()).out);
    const Tensor parts[] = {decoded.features, add(cx, lexical_hidden_(cx, f, Activation::tanh), f)};
    decoded.features = concat_columns(cx, parts);
  }
  return decoded;
}

Tensor Seq2seq::logits(Context& cx, const Tensor& features) const { return output_(cx, features); }

Best Seq2seq::best_words(Context& cx, const Tensor& features, Size count) const {
  return top_scores(cx, features, output_.weight(), output_.bias(), count);
}

Tensor Seq2seq::scores_of(Context& cx, const Tensor& features, std::int32_t word) const {
  const Tensor bias = output_.bias();
  const Tensor bias_row = bias.defined() ? bias.reshaped({bias.count(), 1}).row_view(word, 1) : Tensor();
  return top_scores(cx, features, output_.weight().row_view(word, 1), bias_row, 1).values;
}

Losses Seq2seq::loss(Context& cx, const Tensor& features, const Tensor& targets, const LossOptions& options) const {
  return cross_entropy(cx, features, output_.weight(), output_.bias(), targets, options);
}

}  // namespace dragoman::models
