#include "exchange/bart_layout.h"

#include <algorithm>

#include "base/error.h"

namespace dragoman::exchange {
namespace {

// Learned positions have two rows more than positions, which no token uses.
constexpr std::size_t kUnusedPositions = 2;

// Encoder and decoder may differ in transformers, but not here.
int same_on_both_sides(const JsonConfig& config, const std::string& what) {
  const int encoder = config.integer("encoder_" + what), decoder = config.integer("decoder_" + what);
  check(encoder == decoder, "{}: encoder_{} {} and decoder_{} {} differ, which is not supported", config.path(), what,
        encoder, what, decoder);
  return encoder;
}

void put_linear(WeightMap& map, const std::string& to, const std::string& from) {
  map.put(to + ".weight", {from + ".weight"});
  map.put(to + ".bias", {from + ".bias"});
}

void put_attention(WeightMap& map, const std::string& to, const std::string& from) {
  for (const char* part : {"weight", "bias"}) {
    std::vector<std::string> tensors;
    for (const char* projection : {".q_proj.", ".k_proj.", ".v_proj."}) tensors.push_back(from + projection + part);
    map.put(to + ".in_proj_" + part, tensors);
  }
  put_linear(map, to + ".out_proj", from + ".out_proj");
}

void put_layer(WeightMap& map, const std::string& side, int index) {
  const std::string to = side + ".layers." + std::to_string(index), from = "model." + to;
  const bool decoder = side == "decoder";
  put_attention(map, to + ".self_attn", from + ".self_attn");
  put_linear(map, to + ".norm1", from + ".self_attn_layer_norm");
  if (decoder) {
    put_attention(map, to + ".multihead_attn", from + ".encoder_attn");
    put_linear(map, to + ".norm2", from + ".encoder_attn_layer_norm");
  }
  put_linear(map, to + (decoder ? ".norm3" : ".norm2"), from + ".final_layer_norm");
  put_linear(map, to + ".linear1", from + ".fc1");
  put_linear(map, to + ".linear2", from + ".fc2");
}

void put_side(WeightMap& map, const std::string& side, const models::TransformerConfig& config) {
  const int layers = side == "encoder" ? config.encoder_layers : config.decoder_layers;
  for (int i = 0; i < layers; ++i) put_layer(map, side, i);
  if (config.norm == models::NormOrder::pre) put_linear(map, side + ".norm", "model." + side + ".layer_norm");
  if (config.embedding_norm) put_linear(map, side + ".embed_norm", "model." + side + ".layernorm_embedding");
  const std::string positions = "model." + side + ".embed_positions.weight";
  if (config.positions == nn::PositionKind::learned) {
    const std::vector<float> all = map.read(positions);
    const std::size_t unused = kUnusedPositions * static_cast<std::size_t>(config.size);
    map.put(side + ".embed_positions.weight", std::span(all).subspan(std::min(unused, all.size())));
  } else {
    map.ignore(positions);
    map.ignore("model." + side + ".embed_positions.weights");
  }
}

// One matrix that may be stored under several names.
void put_shared(WeightMap& map, const std::string& parameter, const std::vector<std::string>& names) {
  std::string first;
  for (const std::string& name : names) {
    if (!map.has(name)) continue;
    if (first.empty()) {
      map.put(parameter, {first = name});
    } else {
      check(map.read(name) == map.read(first), "{}: the tensors '{}' and '{}' should be the same but differ",
            map.path(), first, name);
    }
  }
  check(!first.empty(), "{}: the tensor '{}' is missing", map.path(), names[0]);
}

}  // namespace

models::ModelConfig bart_config(const HuggingFaceFolder& folder) {
  const JsonConfig& config = folder.config();
  models::ModelConfig result;
  models::TransformerConfig& t = result.transformer;
  t.encoder_layers = config.integer("encoder_layers");
  t.decoder_layers = config.integer("decoder_layers");
  t.size = result.embedding = config.integer("d_model");
  t.feed_forward = same_on_both_sides(config, "ffn_dim");
  result.attention.heads = same_on_both_sides(config, "attention_heads");
  t.activation = activation_named(config.text("activation_function", "gelu"), config.path());
  t.scale_embeddings = config.flag("scale_embedding", false);
  t.max_positions = config.integer("max_position_embeddings");
  t.dropout = config.number("dropout", 0.1);
  t.dropout_activation = config.number("activation_dropout", 0);
  result.attention.dropout = config.number("attention_dropout", 0);
  result.source_vocabulary = result.target_vocabulary = config.integer("vocab_size");
  result.tied = config.flag("tie_word_embeddings", true) ? models::Tie::all : models::Tie::none;
  return result;
}

void put_bart_weights(WeightMap& map, const models::ModelConfig& config) {
  const std::string encoder = "model.encoder.embed_tokens.weight", decoder = "model.decoder.embed_tokens.weight",
                    shared = "model.shared.weight", output = "lm_head.weight";
  switch (config.tied) {
    case models::Tie::all: put_shared(map, "decoder.embed_tokens.weight", {shared, encoder, decoder, output}); break;
    case models::Tie::target:
      put_shared(map, "decoder.embed_tokens.weight", {decoder, output});
      map.put("encoder.embed_tokens.weight", {encoder});
      map.ignore(shared);
      break;
    case models::Tie::none:  // the word vectors of a side count, if it has its own
      map.put("decoder.embed_tokens.weight", {map.has(decoder) ? decoder : shared});
      map.put("encoder.embed_tokens.weight", {map.has(encoder) ? encoder : shared});
      map.put("output.weight", {output});
      map.ignore(shared);
      break;
  }
  if (map.has("final_logits_bias"))
    map.put("output.bias", {"final_logits_bias"});
  else
    map.fill("output.bias", 0);
  for (const char* side : {"encoder", "decoder"}) put_side(map, side, config.transformer);
}

}  // namespace dragoman::exchange
