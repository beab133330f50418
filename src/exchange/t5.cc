// T5 (Raffel et al. 2020), its version 1.1 and MADLAD-400 (Kudugunta et al. 2023) in transformers.
#include <cmath>

#include "base/error.h"
#include "base/quote.h"
#include "exchange/formats.h"
#include "exchange/huggingface_vocabulary.h"
#include "exchange/weight_map.h"
#include "text/sentencepiece_model.h"

namespace dragoman::exchange {
namespace {

using models::FeedForwardKind;

constexpr std::string_view kGated = "gated-";

FeedForwardKind activation_of(const JsonConfig& config) {
  const std::string name = config.text("feed_forward_proj", "relu");
  if (name == "gated-gelu") return FeedForwardKind::geglu_tanh;
  if (name == "gated-silu") return FeedForwardKind::swiglu;
  check(!name.starts_with(kGated), "{}: feed_forward_proj '{}' is not supported; expected gated-gelu or gated-silu",
        config.path(), excerpt(name));
  return activation_named(name, config.path());
}

const char* const kShared = "shared.weight";
const char* const kEncoder = "encoder.embed_tokens.weight";
const char* const kDecoder = "decoder.embed_tokens.weight";
const char* const kOutput = "lm_head.weight";

// The name of the word vectors, which both sides share.
std::string words_in(const TensorFile& weights) {
  for (const char* name : {kShared, kEncoder, kDecoder})
    if (weights.find(name) != nullptr) return name;
  fail("{}: the tensor '{}' is missing", weights.path(), kShared);
}

// The output layer of a file, which says more about it than the configuration: `tie_word_embeddings` means that the
// input of the layer is divided by the square root of its size.
struct Output {
  bool tied = true, scaled = true;
};

Output output_of(const JsonConfig& config, const TensorFile& weights) {
  Output output;
  output.scaled = config.flag("scale_decoder_outputs", config.flag("tie_word_embeddings", true));
  output.tied = weights.find(kOutput) == nullptr || weights.read(kOutput) == weights.read(words_in(weights));
  return output;
}

models::ModelConfig t5_config(const HuggingFaceFolder& folder, const Output& output) {
  const JsonConfig& config = folder.config();
  models::ModelConfig result;
  models::TransformerConfig& t = result.transformer;
  t.encoder_layers = config.integer("num_layers");
  t.decoder_layers = config.integer("num_decoder_layers", t.encoder_layers);
  t.size = result.embedding = config.integer("d_model");
  t.feed_forward = config.integer("d_ff");
  t.activation = activation_of(config);
  t.norm = models::NormOrder::pre;
  t.norm_kind = nn::NormKind::rms;
  t.norm_epsilon = config.number("layer_norm_epsilon", 1e-6);
  t.positions = nn::PositionKind::relative;
  t.relative_buckets = config.integer("relative_attention_num_buckets", 32);
  t.relative_distance = config.integer("relative_attention_max_distance", 128);
  t.dropout = t.dropout_activation = result.attention.dropout = config.number("dropout_rate", 0.1);
  result.attention.heads = config.integer("num_heads");
  result.attention.head_size = config.integer("d_kv");
  result.attention.score = nn::Score::dot;
  result.source_vocabulary = result.target_vocabulary = config.integer("vocab_size");
  // A tied output layer that divides its input: embeddings that are stored divided and multiplied when they are read
  // come to the same.
  result.tied = output.tied ? models::Tie::all : models::Tie::none;
  t.scale_embeddings = output.tied && output.scaled;
  return result;
}

// Tags of languages are pieces such as <2de>.
text::PieceMap t5_pieces(const HuggingFaceFolder& folder, const std::string& model) {
  text::PieceMap map{.pieces = text::sentencepiece_pieces(model)};
  const auto unknown = std::find(map.pieces.begin(), map.pieces.end(), "<unk>");
  check(unknown != map.pieces.end(), "{}: the SentencePiece model has no piece <unk>", folder.path());
  map.special = {.unknown = static_cast<std::int32_t>(unknown - map.pieces.begin()),
                 .begin = folder.special_id("decoder_start_token_id"),
                 .end = folder.special_id("eos_token_id"),
                 .pad = folder.special_id("pad_token_id")};
  for (std::size_t id = 0; id < map.pieces.size(); ++id) {
    const std::string& piece = map.pieces[id];
    if (piece.size() <= 3 || !piece.starts_with("<2") || !piece.ends_with(">")) continue;
    map.tags.languages.push_back(piece.substr(2, piece.size() - 3));
    map.tags.ids.push_back(static_cast<std::int32_t>(id));
  }
  return map;
}

// Layers without biases.
void put_t5_linear(WeightMap& map, const std::string& to, const std::string& from) {
  map.put(to + ".weight", {from + ".weight"});
  map.fill(to + ".bias", 0);
}

void put_t5_attention(WeightMap& map, const std::string& to, const std::string& from) {
  map.put(to + ".in_proj_weight", {from + ".q.weight", from + ".k.weight", from + ".v.weight"});
  map.fill(to + ".in_proj_bias", 0);
  put_t5_linear(map, to + ".out_proj", from + ".o");
}

// Each block of a layer has a number and begins with its norm.
void put_layer(WeightMap& map, const std::string& side, int index, bool gated) {
  const std::string to = side + ".layers." + std::to_string(index);
  const std::string from = side + ".block." + std::to_string(index) + ".layer.";
  const bool decoder = side == "decoder";
  const std::string last = from + (decoder ? "2" : "1");
  put_t5_attention(map, to + ".self_attn", from + "0.SelfAttention");
  map.put(to + ".norm1.weight", {from + "0.layer_norm.weight"});
  if (decoder) {
    put_t5_attention(map, to + ".multihead_attn", from + "1.EncDecAttention");
    map.put(to + ".norm2.weight", {from + "1.layer_norm.weight"});
    map.ignore(from + "1.EncDecAttention.relative_attention_bias.weight");  // old files have one that nothing reads
  }
  map.put(to + (decoder ? ".norm3" : ".norm2") + ".weight", {last + ".layer_norm.weight"});
  if (gated) {
    put_t5_linear(map, to + ".linear3", last + ".DenseReluDense.wi_0");
    put_t5_linear(map, to + ".linear1", last + ".DenseReluDense.wi_1");
  } else {
    put_t5_linear(map, to + ".linear1", last + ".DenseReluDense.wi");
  }
  put_t5_linear(map, to + ".linear2", last + ".DenseReluDense.wo");
}

void put_embeddings(WeightMap& map, const TensorFile& weights, int size, const Output& output) {
  const std::string first = words_in(weights);
  std::vector<float> words = map.read(first);
  for (const char* same : {kEncoder, kDecoder})
    if (map.has(same))
      check(map.read(same) == words, "{}: the tensors '{}' and '{}' should be the same but differ", weights.path(),
            first, same);
  map.fill("output.bias", 0);
  const float factor = output.scaled ? 1 / std::sqrt(static_cast<float>(size)) : 1;
  const auto multiply = [factor](std::vector<float>& values) {
    for (float& value : values) value *= factor;
  };
  if (output.tied) {
    map.ignore(kOutput);
    multiply(words);
  } else {
    std::vector<float> logits = map.read(kOutput);
    multiply(logits);
    map.put("output.weight", logits);
    map.put("encoder.embed_tokens.weight", words);
  }
  map.put("decoder.embed_tokens.weight", words);
}

}  // namespace

Imported import_t5(const HuggingFaceFolder& folder) {
  Imported result;
  store::ModelInfo& info = result.info;
  const std::unique_ptr<TensorFile> weights = folder.open_weights();
  const Output output = output_of(folder.config(), *weights);
  info.config = t5_config(folder, output);
  const std::string model = folder.read("spiece.model");
  info.source_tokenizer = info.target_tokenizer = mapped_tokenizer(folder, model, t5_pieces(folder, model));
  result.network = empty_network(info.config, folder.path());
  WeightMap map(*weights, result.network->parameters());
  const models::TransformerConfig& t = info.config.transformer;
  const bool gated = folder.config().text("feed_forward_proj", "relu").starts_with(kGated);
  for (const char* side : {"encoder", "decoder"}) {
    const std::string name = side;
    const int layers = name == "encoder" ? t.encoder_layers : t.decoder_layers;
    for (int i = 0; i < layers; ++i) put_layer(map, name, i, gated);
    map.put(name + ".norm.weight", {name + ".final_layer_norm.weight"});
    map.put(name + ".relative_positions.weight",
            {name + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight"});
  }
  put_embeddings(map, *weights, info.config.embedding, output);
  map.finish();
  return result;
}

}  // namespace dragoman::exchange
