#include "models/recurrent.h"

#include <cmath>

namespace dragoman::models {
namespace {

void check_recurrent(const ModelConfig& config) {
  const RecurrentConfig& r = config.recurrent;
  check(!r.input_feeding || r.self_attention_heads == 0,
        "recurrent.input-feeding computes decoder states one by one, but self-attention-heads needs those of a whole "
        "sentence; use one of the two");
  check(!r.input_feeding || r.attention_over != AttentionOver::source_and_past,
        "recurrent.input-feeding feeds back the output of attention over the source, so it cannot be combined with "
        "attention-over source_and_past");
  check(!r.input_feeding || r.attention_over == AttentionOver::nothing || r.prediction == Prediction::tanh,
        "recurrent.input-feeding feeds back the attentional output tanh(W [state; context]), which prediction direct "
        "does not compute; use prediction tanh");
  check(!r.input_feeding || r.attention_over != AttentionOver::nothing || r.prediction == Prediction::direct,
        "recurrent.input-feeding without attention feeds back the decoder's state; use prediction direct");
  check(r.self_attention_heads == 0 || r.attention_over != AttentionOver::nothing,
        "recurrent.self-attention-heads {} prepares states for attention, but attention-over is nothing",
        r.self_attention_heads);
  check(r.decoder_start != DecoderStart::zeros || r.attention_over != AttentionOver::nothing || config.classes > 0,
        "recurrent.decoder-start zeros with attention-over nothing hides the source from the decoder; use concatenated "
        "or projected");
  check(r.decoder_start != DecoderStart::concatenated || 2 * r.encoder_hidden == r.decoder_hidden,
        "recurrent.decoder-start concatenated needs decoder-hidden {} = 2 * encoder-hidden {}; use projected",
        r.decoder_hidden, r.encoder_hidden);
  check(!config.lexical || r.attention_over != AttentionOver::nothing,
        "lexical reads attended source words, but recurrent.attention-over is nothing");
  check(!config.lexical || config.attention.key_size == 0,
        "lexical needs attention over whole states; use attention.key-size 0");
}

// Variance 1 if only the first layer reads the vectors, 1 / size if the output layer shares them.
double embedding_deviation(const ModelConfig& config) {
  return config.tied == Tie::none ? 1 : 1 / std::sqrt(static_cast<double>(config.embedding));
}

}  // namespace

const Family& recurrent_family() {
  static const Family family{
      .name = "recurrent",
      .check = check_recurrent,
      .max_positions = [](const ModelConfig&) { return kNoLimit; },
      .attends_to_source =
          [](const ModelConfig& config) { return config.recurrent.attention_over != AttentionOver::nothing; },
      .embedding_deviation = embedding_deviation,
      .output_init = [] { return nn::Init::fan_in(); },
      .make_encoder = [](nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words)
          -> std::unique_ptr<Encoder> { return std::make_unique<RecurrentEncoder>(list, config, words); },
      .make_decoder = [](nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words,
                         Size encoder_size) -> std::unique_ptr<Decoder> {
        return std::make_unique<RecurrentDecoder>(list, config, words, encoder_size);
      }};
  return family;
}

nn::Attention self_attention_over_states(nn::Parameters& list, const std::string& name, Size size,
                                         const RecurrentConfig& config, bool causal) {
  return nn::Attention(list,
                       {.name = name,
                        .query = size,
                        .memory = size,
                        .projected = true,
                        .out_proj = config.self_attention_projection,
                        .causal = causal,
                        .self = true},
                       {.score = nn::Score::scaled_dot, .heads = config.self_attention_heads});
}

Tensor join_columns(Context& cx, const Tensor& a, const Tensor& b) {
  const Tensor parts[] = {a, b};
  return concat_columns(cx, parts);
}

}  // namespace dragoman::models
