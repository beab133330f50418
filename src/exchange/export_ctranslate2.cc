// CTranslate2's TransformerSpec: norms before or after each block, layer or RMS norms, gated feed-forward blocks,
// tables of positions, rotary positions, relative position bias.
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "exchange/ctranslate2_file.h"
#include "exchange/export_folder.h"
#include "exchange/export_formats.h"
#include "exchange/exported_vocabulary.h"
#include "exchange/refusals.h"
#include "nn/positions.h"

namespace dragoman::exchange {
namespace {

using models::FeedForwardKind;
using nlohmann::ordered_json;

constexpr const char* kSpecification = "TransformerSpec";
constexpr std::uint32_t kRevision = 7;
// Added to the logits of tokens that no translation contains; also a number in float16.
constexpr float kNeverChosen = -10000;

bool is_gated(FeedForwardKind kind) { return kind == FeedForwardKind::swiglu || kind == FeedForwardKind::geglu_tanh; }

std::int8_t activation_number(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::relu: return 0;
    case FeedForwardKind::gelu_tanh:
    case FeedForwardKind::geglu_tanh: return 1;
    case FeedForwardKind::silu:
    case FeedForwardKind::swiglu: return 2;
    case FeedForwardKind::gelu: return 3;
  }
  fail("there is no such activation");
}

void check_settings(const ExportedModel& model, Refusals& refusals) {
  const nn::AttentionConfig& attention = model.config().attention;
  refusals.expect_transformer(model.config());
  refusals.expect_named(attention.score == nn::Score::scaled_dot || attention.score == nn::Score::dot,
                        "model.attention.score", attention.score, "scaled_dot or dot");
  refusals.expect(attention.heads <= std::numeric_limits<std::int16_t>::max(), "model.attention.heads", attention.heads,
                  "at most 32767");
}

// The variables of a Transformer by CTranslate2's names.
class Variables {
 public:
  Variables(const ExportedModel& model, const ExportedVocabulary& target)
      : model_(model), t_(model.config().transformer), attention_(model.config().attention) {
    for (const std::string side : {"encoder", "decoder"}) {
      put_settings(side);
      const int layers = side == "encoder" ? t_.encoder_layers : t_.decoder_layers;
      for (int i = 0; i < layers; ++i) put_layer(side, i);
      if (t_.norm == models::NormOrder::pre) put_norm(side + "/layer_norm", side + ".norm");
      if (t_.embedding_norm) put_norm(side + "/layernorm_embedding", side + ".embed_norm");
      if (t_.positions != nn::PositionKind::rotary && t_.positions != nn::PositionKind::relative)
        file_.add(side + "/position_encodings/encodings", {t_.max_positions, t_.size}, positions(side));
    }
    put_words(target);
  }

  void write(const std::string& path) const { file_.write(path); }

 private:
  void put_settings(const std::string& side) {
    file_.add_int16(side + "/num_heads", static_cast<std::int16_t>(attention_.heads));
    file_.add_flag(side + "/pre_norm", t_.norm == models::NormOrder::pre);
    file_.add_int8(side + "/activation", activation_number(t_.activation));
    file_.add_flag(side + "/scale_embeddings", t_.scale_embeddings);
    if (side == "encoder") {
      file_.add_flag(side + "/multi_query_attention", false);
      file_.add_int8(side + "/embeddings_merge", 0);
      return;
    }
    for (const char* absent : {"/alibi", "/alibi_use_positive_positions", "/scale_alibi", "/start_from_zero_embedding"})
      file_.add_flag(side + absent, false);
    // Attention that is returned is the mean of all heads of the last layer.
    file_.add_int16(side + "/alignment_layer", -1);
    file_.add_int16(side + "/alignment_heads", static_cast<std::int16_t>(attention_.heads));
  }

  std::vector<float> positions(const std::string& side) const {
    const auto count = static_cast<std::size_t>(t_.max_positions) * static_cast<std::size_t>(t_.size);
    if (t_.positions == nn::PositionKind::none) return std::vector<float>(count, 0);
    if (t_.positions == nn::PositionKind::learned) return copy(model_.weights(side + ".embed_positions.weight"));
    const std::vector<double> rows = nn::sinusoidal_rows(t_.first_position, t_.max_positions, t_.size, t_.sinusoids);
    return {rows.begin(), rows.end()};
  }

  static std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

  // A layer [out, in] or some of its rows.
  void put_linear(const std::string& to, std::span<const float> weight, std::span<const float> bias) {
    file_.add(to + "/weight", {std::ssize(bias), std::ssize(weight) / std::ssize(bias)}, copy(weight));
    file_.add(to + "/bias", {std::ssize(bias)}, copy(bias));
  }
  void put_linear(const std::string& to, const std::string& from) {
    put_linear(to, model_.weights(from + ".weight"), model_.weights(from + ".bias"));
  }

  // A norm without a shift is an RMS norm.
  void put_norm(const std::string& to, const std::string& from) {
    file_.add(to + "/gamma", {t_.size}, copy(model_.weights(from + ".weight")));
    if (model_.has(from + ".bias")) file_.add(to + "/beta", {t_.size}, copy(model_.weights(from + ".bias")));
  }

  void put_attention(const std::string& to, const std::string& from, bool self) {
    const std::span<const float> weight = model_.weights(from + ".in_proj_weight"),
                                 bias = model_.weights(from + ".in_proj_bias");
    if (self) {
      put_linear(to + "/linear_0", weight, bias);
    } else {
      put_linear(to + "/linear_0", weight.first(weight.size() / 3), bias.first(bias.size() / 3));
      put_linear(to + "/linear_1", weight.subspan(weight.size() / 3), bias.subspan(bias.size() / 3));
    }
    put_linear(to + (self ? "/linear_1" : "/linear_2"), from + ".out_proj");
    if (attention_.score == nn::Score::dot) file_.add_float(to + "/queries_scale", 1);
    if (attention_.head_size > 0) file_.add_int32(to + "/head_dim", attention_.head_size);
  }

  void put_positions_of_attention(const std::string& side, int index, const std::string& to) {
    if (t_.positions == nn::PositionKind::rotary) {
      file_.add_int32(to + "/rotary_dim", 0);  // all of a head
      file_.add_flag(to + "/rotary_interleave", false);
      file_.add_float(to + "/rotary_base", 10000);
    } else if (t_.positions == nn::PositionKind::relative) {
      const std::string name = "/self_attention/relative_attention_bias";
      if (index > 0)
        file_.alias(to + "/relative_attention_bias", side + "/layer_0" + name);
      else
        file_.add(to + "/relative_attention_bias", {t_.relative_buckets, attention_.heads},
                  copy(model_.weights(side + ".relative_positions.weight")));
      file_.add_int32(to + "/relative_attention_max_distance", t_.relative_distance);
    }
  }

  void put_layer(const std::string& side, int index) {
    const std::string from = side + ".layers." + std::to_string(index), to = side + "/layer_" + std::to_string(index);
    const bool decoder = side == "decoder";
    put_attention(to + "/self_attention", from + ".self_attn", true);
    put_positions_of_attention(side, index, to + "/self_attention");
    put_norm(to + "/self_attention/layer_norm", from + ".norm1");
    if (decoder) {
      put_attention(to + "/attention", from + ".multihead_attn", false);
      put_norm(to + "/attention/layer_norm", from + ".norm2");
    }
    const bool gated = is_gated(t_.activation);
    put_linear(to + "/ffn/linear_0", from + (gated ? ".linear3" : ".linear1"));
    if (gated) put_linear(to + "/ffn/linear_0_noact", from + ".linear1");
    put_linear(to + "/ffn/linear_1", from + ".linear2");
    put_norm(to + "/ffn/layer_norm", from + (decoder ? ".norm3" : ".norm2"));
  }

  void put_words(const ExportedVocabulary& target) {
    const models::ModelConfig& config = model_.config();
    const std::string encoder = "encoder/embeddings_0/weight", decoder = "decoder/embeddings/weight";
    file_.add(decoder, {config.target_vocabulary, t_.size}, copy(model_.weights("decoder.embed_tokens.weight")));
    if (config.tied == models::Tie::all)
      file_.alias(encoder, decoder);
    else
      file_.add(encoder, {config.source_vocabulary, t_.size}, copy(model_.weights("encoder.embed_tokens.weight")));
    if (config.tied == models::Tie::none)
      file_.add("decoder/projection/weight", {config.target_vocabulary, t_.size},
                copy(model_.weights("output.weight")));
    else
      file_.alias("decoder/projection/weight", decoder);
    std::vector<float> bias = copy(model_.weights("output.bias"));
    for (const std::int32_t id : target.never) bias[static_cast<std::size_t>(id)] = kNeverChosen;
    file_.add("decoder/projection/bias", {config.target_vocabulary}, std::move(bias));
  }

  const ExportedModel& model_;
  const models::TransformerConfig& t_;
  const nn::AttentionConfig& attention_;
  CTranslate2File file_{kSpecification, kRevision};
};

// The token that the decoder reads first. Further ones, such as the tag of the target language, are a target prefix.
ordered_json start_token(const store::ModelInfo& info, const ExportedVocabulary& target) {
  const std::vector<std::int32_t> start = info.target_start.value_or(std::vector<std::int32_t>{target.special.begin});
  return start.empty() ? ordered_json() : ordered_json(target.pieces[static_cast<std::size_t>(start.front())]);
}

ordered_json ctranslate2_config(const ExportedModel& model, const ExportedVocabulary& target) {
  const auto piece = [&](std::int32_t id) { return target.pieces[static_cast<std::size_t>(id)]; };
  const store::ModelInfo& info = model.info();
  // The language of the source comes after the end of the sentence: the program that calls must write both.
  const bool ends = info.source_end && info.language_marks != store::LanguageMarks::source_after_end;
  return {{"add_source_bos", info.source_begin},      {"add_source_eos", ends},
          {"bos_token", piece(target.special.begin)}, {"decoder_start_token", start_token(info, target)},
          {"eos_token", piece(target.special.end)},   {"layer_norm_epsilon", model.config().transformer.norm_epsilon},
          {"multi_query_attention", false},           {"unk_token", piece(target.special.unknown)}};
}

}  // namespace

void export_ctranslate2(const ExportedModel& model, ExportFolder& folder) {
  Refusals refusals("a model of CTranslate2");
  check_settings(model, refusals);
  refusals.finish(model.path());
  const ExportedVocabulary source = vocabulary_of(model, Side::source), target = vocabulary_of(model, Side::target);
  folder.write_json("config.json", ctranslate2_config(model, target));
  if (source.pieces == target.pieces) {
    folder.write_json("shared_vocabulary.json", target.pieces);
  } else {
    folder.write_json("source_vocabulary.json", source.pieces);
    folder.write_json("target_vocabulary.json", target.pieces);
  }
  if (!source.subwords.empty()) folder.write("source.spm", source.subwords);
  if (!target.subwords.empty()) folder.write("target.spm", target.subwords);
  Variables(model, target).write(folder.file("model.bin"));
}

}  // namespace dragoman::exchange
