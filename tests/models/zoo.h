#pragma once

#include <algorithm>

#include "models/presets.h"
#include "models/seq2seq.h"

// The model zoo: every preset, shrunk in size but not in structure, and variants that no preset covers. Also a few
// sentences.
namespace dragoman::models {

using Ids = std::vector<std::int32_t>;

inline ModelConfig shrunk(const std::string& name) {
  ModelConfig config = preset(name);
  config.source_vocabulary = 11;
  config.target_vocabulary = 13;
  if (config.tied == Tie::all) config.source_vocabulary = config.target_vocabulary;
  config.transformer.size = 8;
  config.transformer.feed_forward = 12;
  config.transformer.encoder_layers = std::min(config.transformer.encoder_layers, 2);
  config.transformer.decoder_layers = std::min(config.transformer.decoder_layers, 2);
  config.transformer.max_positions = 12;
  config.embedding = config.family == family_named("transformer") ? 8 : 6;
  config.attention.heads = std::min(config.attention.heads, 2);
  config.attention.rank = 3;
  if (config.attention.key_size > 0) config.attention.key_size = 5, config.attention.value_size = 3;
  if (config.attention.linformer > 0) config.attention.linformer = 3, config.attention.linformer_length = 12;
  const bool projected = config.recurrent.decoder_start == DecoderStart::projected;
  config.recurrent.encoder_hidden = 4;
  config.recurrent.decoder_hidden = projected ? 6 : 8;  // other starts are as large as both directions
  return config;
}

inline std::vector<std::pair<std::string, ModelConfig>> zoo() {
  std::vector<std::pair<std::string, ModelConfig>> models;
  for (const std::string& name : preset_names()) models.emplace_back(name, shrunk(name));
  const auto variant = [&](const char* what, const char* base, auto change) {
    ModelConfig config = shrunk(base);
    change(config);
    models.emplace_back(what, config);
  };
  variant("gru with attention to its past", "seq2seq-additive-encoder+decoder+self",
          [](ModelConfig& c) { c.recurrent.cell = nn::Cell::gru; });
  variant("gru with input feeding", "lstm-luong", [](ModelConfig& c) { c.recurrent.cell = nn::Cell::gru; });
  for (const char* base : {"lstm-luong", "lstm-luong-deep", "lstm-lexical"})
    variant("input feeding that starts from the encoder", base,
            [](ModelConfig& c) { c.recurrent.decoder_start = DecoderStart::concatenated; });
  variant("input feeding without attention", "lstm-luong-deep", [](ModelConfig& c) {
    c.recurrent.decoder_start = DecoderStart::concatenated;
    c.recurrent.attention_over = AttentionOver::nothing;
    c.recurrent.prediction = Prediction::direct;
  });
  variant("projected heads of self-attention", "seq2seq-additive-encoder+decoder+self",
          [](ModelConfig& c) { c.recurrent.self_attention_projection = true; });
  variant("additive score of its own size", "seq2seq-additive-encoder+decoder",
          [](ModelConfig& c) { c.attention.inner = 5; });
  variant("dot attention", "lstm-luong", [](ModelConfig& c) { c.attention.score = nn::Score::dot; });
  variant("reduced rank", "lstm-luong", [](ModelConfig& c) { c.attention.score = nn::Score::reduced_rank; });
  variant("dropout between layers that feed", "lstm-luong-deep",
          [](ModelConfig& c) { c.recurrent.dropout_between = 0.3; });
  variant("additive with input feeding", "lstm-lexical",
          [](ModelConfig& c) { c.attention.score = nn::Score::additive; });
  for (const char* base : {"seq2seq", "seq2seq-additive-encoder+decoder+self"})
    variant("attentional output without input feeding", base,
            [](ModelConfig& c) { c.recurrent.prediction = Prediction::tanh; });
  variant("multiplicative score of separate keys", "seq2seq-key-value-encoder+decoder+self",
          [](ModelConfig& c) { c.attention.score = nn::Score::multiplicative; });
  variant("dropout before a direct prediction", "seq2seq-additive-encoder+decoder",
          [](ModelConfig& c) { c.recurrent.dropout_out = 0.3; });
  variant("direct prediction with the lexical model", "lstm-lexical", [](ModelConfig& c) {
    c.recurrent.input_feeding = false;
    c.recurrent.prediction = Prediction::direct;
  });
  variant("direct prediction, tied", "seq2seq-multiplicative-encoder", [](ModelConfig& c) {
    c.tied = Tie::target;
    c.embedding = 2 * c.recurrent.decoder_hidden;
  });
  for (const char* base : {"lstm-luong", "lstm-lexical", "seq2seq-key-value-encoder", "seq2seq-additive-encoder"})
    variant("linformer over the source of an lstm", base, [](ModelConfig& c) {
      c.attention.linformer = 3;
      c.attention.linformer_length = 12;
    });
  for (const nn::Score score : {nn::Score::reduced_rank, nn::Score::additive})
    variant("linformer with another score", "linformer-k32", [&](ModelConfig& c) { c.attention.score = score; });
  variant("lexical without input feeding", "lstm-lexical", [](ModelConfig& c) { c.recurrent.input_feeding = false; });
  variant("lexical transformer", "transformer-small", [](ModelConfig& c) { c.lexical = true; });
  for (const nn::Score score :
       {nn::Score::dot, nn::Score::multiplicative, nn::Score::reduced_rank, nn::Score::additive})
    variant(name_of(score), "transformer-small", [&](ModelConfig& c) { c.attention.score = score; });
  variant("additive score of its own size, two heads", "transformer-small", [](ModelConfig& c) {
    c.attention.score = nn::Score::additive;
    c.attention.inner = 3;
  });
  variant("recurrent units, pre-norm, rotary positions", "transformer-modern",
          [](ModelConfig& c) { c.transformer.decoder_past = DecoderPast::ssru; });
  variant("recurrent units with the lexical model", "transformer-small", [](ModelConfig& c) {
    c.lexical = true;
    c.transformer.decoder_past = DecoderPast::ssru;
  });
  variant("silu, sinusoids in halves, embeddings as they are", "transformer-small", [](ModelConfig& c) {
    c.transformer.activation = FeedForwardKind::silu;
    c.transformer.sinusoids = nn::Sinusoids::halves;
    c.transformer.scale_embeddings = false;
    c.transformer.norm_epsilon = 1e-3;
  });
  variant("tensor2tensor's sinusoids from position 2, embedding norm, pre-norm", "transformer-small",
          [](ModelConfig& c) {
            c.transformer.sinusoids = nn::Sinusoids::tensor2tensor;
            c.transformer.first_position = 2;
            c.transformer.embedding_norm = true;
            c.transformer.norm = NormOrder::pre;
            c.transformer.activation = FeedForwardKind::gelu_tanh;
          });
  variant("relative positions, rms norm, gated gelu, small heads", "transformer-small", [](ModelConfig& c) {
    c.transformer.positions = nn::PositionKind::relative;
    c.transformer.relative_buckets = 4;
    c.transformer.relative_distance = 5;
    c.transformer.norm = NormOrder::pre;
    c.transformer.norm_kind = nn::NormKind::rms;
    c.transformer.activation = FeedForwardKind::geglu_tanh;
    c.attention.score = nn::Score::dot;
    c.attention.head_size = 3;
  });
  variant("learned positions, gelu, pre-norm, all tied", "transformer-small", [](ModelConfig& c) {
    c.transformer.positions = nn::PositionKind::learned;
    c.transformer.activation = FeedForwardKind::gelu;
    c.transformer.norm = NormOrder::pre;
    c.tied = Tie::all;
    c.source_vocabulary = c.target_vocabulary;
  });
  return models;
}

struct Sentences {
  Ids tokens, offsets{0};

  void add(const Ids& sentence) {
    tokens.insert(tokens.end(), sentence.begin(), sentence.end());
    offsets.push_back(static_cast<std::int32_t>(tokens.size()));
  }
  Packed packed(const Context& cx) const { return Packed::from_host(cx, tokens, offsets); }
};

inline Sentences sentences(const std::vector<Ids>& list) {
  Sentences all;
  for (const Ids& sentence : list) all.add(sentence);
  return all;
}

inline const std::vector<Ids> kSources = {{4, 7, 2}, {5, 9, 10, 3, 2}, {6}};
inline const std::vector<Ids> kTargets = {{1, 5, 8, 11}, {1, 12}, {1, 3, 3, 9, 6}};

}  // namespace dragoman::models
