// MarianMT of transformers: norms after each block, sinusoidal positions, SentencePiece.
#include <algorithm>
#include <deque>
#include <numeric>

#include "base/error.h"
#include "exchange/export_folder.h"
#include "exchange/export_formats.h"
#include "exchange/exported_vocabulary.h"
#include "exchange/refusals.h"
#include "store/safetensors.h"
#include "text/language_tags.h"

namespace dragoman::exchange {
namespace {

using nlohmann::ordered_json;

constexpr double kNormEpsilon = 1e-5;  // of every layer norm of MarianMT

const char* activation_name(models::FeedForwardKind kind) {
  using Kind = models::FeedForwardKind;
  switch (kind) {
    case Kind::relu: return "relu";
    case Kind::gelu: return "gelu";
    case Kind::gelu_tanh: return "gelu_new";
    case Kind::silu: return "swish";
    case Kind::swiglu:
    case Kind::geglu_tanh: return nullptr;
  }
  return nullptr;
}

void check_settings(const models::ModelConfig& config, Refusals& refusals) {
  const models::TransformerConfig& t = config.transformer;
  refusals.expect_transformer(config);
  refusals.expect_named(t.norm == models::NormOrder::post, "model.transformer.norm", t.norm, "post");
  refusals.expect_named(t.norm_kind == nn::NormKind::layer, "model.transformer.norm-kind", t.norm_kind, "layer");
  refusals.expect(t.norm_epsilon == kNormEpsilon, "model.transformer.norm-epsilon", t.norm_epsilon, "1e-05");
  refusals.expect_named(activation_name(t.activation) != nullptr, "model.transformer.activation", t.activation,
                        "relu, gelu, gelu_tanh or silu");
  refusals.expect_named(t.positions == nn::PositionKind::sinusoidal, "model.transformer.positions", t.positions,
                        "sinusoidal");
  if (t.positions == nn::PositionKind::sinusoidal) {
    refusals.expect_named(t.sinusoids != nn::Sinusoids::tensor2tensor, "model.transformer.sinusoids", t.sinusoids,
                          "alternating or halves");
    refusals.expect(t.first_position == 0, "model.transformer.first-position", t.first_position, "0");
  }
  refusals.expect(!t.embedding_norm, "model.transformer.embedding-norm", t.embedding_norm, "false");
  refusals.expect_named(config.attention.score == nn::Score::scaled_dot, "model.attention.score",
                        config.attention.score, "scaled_dot");
  const int head_size = config.attention.head_size;
  refusals.expect(head_size == 0 || head_size * config.attention.heads == t.size, "model.attention.head-size",
                  head_size, "the size divided by the heads");
}

void check_marks(const store::ModelInfo& info, Refusals& refusals) {
  refusals.expect(!info.source_begin, "batch.source-begin", info.source_begin, "false");
  refusals.expect(info.source_end, "batch.source-end", info.source_end, "true");
  refusals.expect_named(info.language_marks == store::LanguageMarks::target_before_source,
                        "the place of language marks", info.language_marks, "target before source");
  if (info.target_start && info.target_start->size() != 1)
    refusals.add(fmt::format("the decoder starts with {} tokens instead of 1", info.target_start->size()));
}

void check_tokenizer(const ExportedVocabulary& vocabulary, const char* side, Refusals& refusals) {
  if (vocabulary.subwords.empty()) {
    refusals.add(fmt::format("the {} is not split by a SentencePiece model", side));
    return;
  }
  const auto& [prepare, signs] = vocabulary.text;
  refusals.expect_named(prepare.normalize != text::NormalForm::nfkc, fmt::format("normalize of the {}", side),
                        prepare.normalize, "nfc or none");
  refusals.expect(!prepare.lower, fmt::format("lower of the {}", side), prepare.lower, "false");
  refusals.expect(!prepare.expand_contractions, fmt::format("expand-contractions of the {}", side),
                  prepare.expand_contractions, "false");
  refusals.expect(!signs.detach_marks, fmt::format("detach-marks of the {}", side), signs.detach_marks, "false");
  refusals.expect(!signs.fold_capitals, fmt::format("fold-capitals of the {}", side), signs.fold_capitals, "false");
}

// MarianMT has the sines of positions in the first half of a vector and the cosines in the second. A model that has
// them in turn computes the same with all channels between layers in another order.
class Channels {
 public:
  explicit Channels(const models::TransformerConfig& config) : from_(static_cast<std::size_t>(config.size)) {
    std::iota(from_.begin(), from_.end(), 0);
    if (config.sinusoids == nn::Sinusoids::alternating)
      std::stable_partition(from_.begin(), from_.end(), [](std::size_t channel) { return channel % 2 == 0; });
  }
  // The rows of a matrix, or the numbers of a vector, that belong to channels.
  std::vector<float> rows(std::span<const float> values) const {
    const std::size_t width = values.size() / from_.size();
    std::vector<float> result(values.size());
    for (std::size_t row = 0; row < from_.size(); ++row)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from_[row] * width), width,
                  result.begin() + static_cast<std::ptrdiff_t>(row * width));
    return result;
  }
  // A matrix whose columns belong to channels.
  std::vector<float> columns(std::span<const float> values) const {
    std::vector<float> result(values.size());
    for (std::size_t at = 0; at < values.size(); at += from_.size())
      for (std::size_t column = 0; column < from_.size(); ++column) result[at + column] = values[at + from_[column]];
    return result;
  }

 private:
  std::vector<std::size_t> from_;
};

// The tensors of a MarianMT model.
class Weights {
 public:
  explicit Weights(const ExportedModel& model) : model_(model), channels_(model.config().transformer) {
    const models::TransformerConfig& t = model.config().transformer;
    put_words();
    for (int i = 0; i < t.encoder_layers; ++i) put_layer("encoder", i);
    for (int i = 0; i < t.decoder_layers; ++i) put_layer("decoder", i);
  }

  void write(const std::string& path) const { store::write_safetensors(path, {{"format", "pt"}}, tensors_); }

 private:
  void add(const std::string& name, std::vector<Size> shape, std::vector<float> numbers) {
    const std::vector<float>& kept = numbers_.emplace_back(std::move(numbers));
    tensors_.push_back(
        {name, "F32", std::move(shape), {reinterpret_cast<const char*>(kept.data()), kept.size() * sizeof(float)}});
  }

  // A layer that reads channels, and below one that writes them.
  void put_reading(const std::string& to, std::span<const float> weight, std::span<const float> bias) {
    add(to + ".weight", {std::ssize(bias), model_.config().transformer.size}, channels_.columns(weight));
    add(to + ".bias", {std::ssize(bias)}, {bias.begin(), bias.end()});
  }

  void put_writing(const std::string& to, const std::string& from) {
    const std::span<const float> weight = model_.weights(from + ".weight"), bias = model_.weights(from + ".bias");
    add(to + ".weight", {std::ssize(bias), std::ssize(weight) / std::ssize(bias)}, channels_.rows(weight));
    add(to + ".bias", {std::ssize(bias)}, channels_.rows(bias));
  }

  void put_norm(const std::string& to, const std::string& from) {
    for (const char* part : {".weight", ".bias"})
      add(to + part, {model_.config().transformer.size}, channels_.rows(model_.weights(from + part)));
  }

  void put_attention(const std::string& to, const std::string& from) {
    const std::span<const float> weight = model_.weights(from + ".in_proj_weight"),
                                 bias = model_.weights(from + ".in_proj_bias");
    std::size_t part = 0;
    for (const char* projection : {".q_proj", ".k_proj", ".v_proj"}) {
      put_reading(to + projection, weight.subspan(part * weight.size() / 3, weight.size() / 3),
                  bias.subspan(part * bias.size() / 3, bias.size() / 3));
      ++part;
    }
    put_writing(to + ".out_proj", from + ".out_proj");
  }

  void put_layer(const std::string& side, int index) {
    const std::string from = side + ".layers." + std::to_string(index), to = "model." + from;
    const bool decoder = side == "decoder";
    put_attention(to + ".self_attn", from + ".self_attn");
    put_norm(to + ".self_attn_layer_norm", from + ".norm1");
    if (decoder) {
      put_attention(to + ".encoder_attn", from + ".multihead_attn");
      put_norm(to + ".encoder_attn_layer_norm", from + ".norm2");
    }
    put_reading(to + ".fc1", model_.weights(from + ".linear1.weight"), model_.weights(from + ".linear1.bias"));
    put_writing(to + ".fc2", from + ".linear2");
    put_norm(to + ".final_layer_norm", from + (decoder ? ".norm3" : ".norm2"));
  }

  void put_table(const std::string& to, const std::string& from) {
    const std::span<const float> values = model_.weights(from);
    const Size size = model_.config().transformer.size;
    add(to, {std::ssize(values) / size, size}, channels_.columns(values));
  }

  void put_words() {
    const models::Tie tied = model_.config().tied;
    if (tied == models::Tie::all) {
      put_table("model.shared.weight", "decoder.embed_tokens.weight");
    } else {
      for (const char* side : {"encoder", "decoder"})
        put_table(fmt::format("model.{}.embed_tokens.weight", side), fmt::format("{}.embed_tokens.weight", side));
    }
    if (tied == models::Tie::none) put_table("lm_head.weight", "output.weight");
    const std::span<const float> bias = model_.weights("output.bias");
    add("final_logits_bias", {1, std::ssize(bias)}, {bias.begin(), bias.end()});
  }

  const ExportedModel& model_;
  Channels channels_;
  std::deque<std::vector<float>> numbers_;  // of the tensors, which refer to them
  std::vector<store::StoredTensor> tensors_;
};

std::int32_t start_of(const ExportedModel& model, const ExportedVocabulary& target) {
  return model.info().target_start ? model.info().target_start->front() : target.special.begin;
}

ordered_json huggingface_config(const ExportedModel& model, const ExportedVocabulary& target) {
  const models::ModelConfig& config = model.config();
  const models::TransformerConfig& t = config.transformer;
  return {{"architectures", {"MarianMTModel"}},
          {"model_type", "marian"},
          {"is_encoder_decoder", true},
          {"vocab_size", config.source_vocabulary},
          {"decoder_vocab_size", config.target_vocabulary},
          {"share_encoder_decoder_embeddings", config.tied == models::Tie::all},
          {"tie_word_embeddings", config.tied != models::Tie::none},
          {"d_model", t.size},
          {"encoder_layers", t.encoder_layers},
          {"decoder_layers", t.decoder_layers},
          {"encoder_attention_heads", config.attention.heads},
          {"decoder_attention_heads", config.attention.heads},
          {"encoder_ffn_dim", t.feed_forward},
          {"decoder_ffn_dim", t.feed_forward},
          {"activation_function", activation_name(t.activation)},
          {"scale_embedding", t.scale_embeddings},
          {"max_position_embeddings", t.max_positions},
          {"static_position_embeddings", true},
          {"normalize_before", false},
          {"normalize_embedding", false},
          {"add_final_layer_norm", false},
          {"dropout", t.dropout},
          {"activation_dropout", t.dropout_activation},
          {"attention_dropout", config.attention.dropout},
          {"eos_token_id", target.special.end},
          {"pad_token_id", target.special.pad},
          {"bos_token_id", nullptr},
          {"decoder_start_token_id", start_of(model, target)},
          {"forced_eos_token_id", nullptr},
          {"dtype", "float32"}};
}

ordered_json generation_of(const ExportedModel& model, const ExportedVocabulary& target) {
  constexpr int kBeam = 4, kLongest = 512;
  ordered_json never = ordered_json::array();
  for (const std::int32_t id : target.never) never.push_back(ordered_json::array({id}));
  return {{"eos_token_id", target.special.end},
          {"pad_token_id", target.special.pad},
          {"decoder_start_token_id", start_of(model, target)},
          {"bad_words_ids", never},
          {"num_beams", kBeam},
          {"max_length", std::min(kLongest, model.config().transformer.max_positions)}};
}

// A JSON object from pieces to ids, in the order of ids.
std::string ids_of(const ExportedVocabulary& vocabulary) {
  std::string text = "{";
  for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id)
    text += fmt::format("{}\n  {}: {}", id == 0 ? "" : ",", nlohmann::json(vocabulary.pieces[id]).dump(), id);
  return text + "\n}\n";
}

// MarianTokenizer takes >>de<< before a text for the tag of a language.
void name_tags(ExportedVocabulary& vocabulary) {
  for (std::size_t i = 0; i < vocabulary.tags.ids.size(); ++i)
    vocabulary.pieces[static_cast<std::size_t>(vocabulary.tags.ids[i])] = ">>" + vocabulary.tags.languages[i] + "<<";
}

// The source language, and the target language if there is one only; null if the card does not name them.
std::pair<ordered_json, ordered_json> languages_of(const store::ModelInfo& info) {
  const auto card = info.card.find(text::kLanguagesCard);
  if (card == info.card.end()) return {};
  const std::vector<text::LanguagePair> pairs = text::LanguagePair::parse_all(card->second);
  const auto same_source = [&](const text::LanguagePair& pair) { return pair.source == pairs[0].source; };
  if (pairs.empty() || !std::all_of(pairs.begin(), pairs.end(), same_source)) return {};
  return {pairs[0].source, pairs.size() == 1 ? ordered_json(pairs[0].target) : ordered_json()};
}

void write_tokenizer(const ExportedModel& model, ExportedVocabulary source, ExportedVocabulary target,
                     ExportFolder& folder) {
  const bool separate = source.pieces != target.pieces;
  name_tags(source);
  if (!separate) name_tags(target);
  folder.write("source.spm", source.subwords);
  folder.write("target.spm", target.subwords);
  folder.write("vocab.json", ids_of(source));
  if (separate) folder.write("target_vocab.json", ids_of(target));
  const auto piece = [&](std::int32_t id) { return target.pieces[static_cast<std::size_t>(id)]; };
  const auto [from, to] = languages_of(model.info());
  folder.write_json("tokenizer_config.json", {{"tokenizer_class", "MarianTokenizer"},
                                              {"source_lang", from},
                                              {"target_lang", to},
                                              {"unk_token", piece(target.special.unknown)},
                                              {"eos_token", piece(target.special.end)},
                                              {"pad_token", piece(target.special.pad)},
                                              {"separate_vocabs", separate},
                                              {"model_max_length", model.config().transformer.max_positions}});
}

}  // namespace

void export_huggingface(const ExportedModel& model, ExportFolder& folder) {
  Refusals refusals("a MarianMT model");
  check_settings(model.config(), refusals);
  check_marks(model.info(), refusals);
  if (model.config().classes > 0) refusals.finish(model.path());  // it has no target
  const ExportedVocabulary source = vocabulary_of(model, Side::source), target = vocabulary_of(model, Side::target);
  check_tokenizer(source, "source", refusals);
  check_tokenizer(target, "target", refusals);
  refusals.finish(model.path());
  folder.write_json("config.json", huggingface_config(model, target));
  folder.write_json("generation_config.json", generation_of(model, target));
  write_tokenizer(model, source, target, folder);
  Weights(model).write(folder.file("model.safetensors"));
}

}  // namespace dragoman::exchange
