#include "models/config.h"

namespace dragoman::models {
namespace {

void check_recurrent(const ModelConfig& config) {
  const RecurrentConfig& r = config.recurrent;
  check(!r.input_feeding || r.self_attention_heads == 0,
        "recurrent.input-feeding makes decoder states one by one, but self-attention-heads needs those of a whole "
        "sentence; use one of the two");
  check(!r.input_feeding || r.attention_over == AttentionOver::source,
        "recurrent.input-feeding feeds the output of attention over the source, word by word; it does not go with "
        "attention-over {}",
        name_of(r.attention_over));
  check(r.self_attention_heads == 0 || r.attention_over != AttentionOver::nothing,
        "recurrent.self-attention-heads {} prepares states for attention, but attention-over is nothing",
        r.self_attention_heads);
  check(r.decoder_start != DecoderStart::concatenated || 2 * r.encoder_hidden == r.decoder_hidden,
        "recurrent.decoder-start concatenated needs decoder-hidden {} = 2 * encoder-hidden {}; use projected",
        r.decoder_hidden, r.encoder_hidden);
  check(!config.lexical || r.attention_over != AttentionOver::nothing,
        "lexical looks at attended source words, but recurrent.attention-over is nothing");
  check(!config.lexical || config.attention.key_size == 0,
        "lexical needs attention over whole states; use attention.key-size 0");
}

void check_transformer(const ModelConfig& config) {
  const TransformerConfig& t = config.transformer;
  check(config.embedding == t.size, "a Transformer's embedding {} must equal transformer.size {}", config.embedding,
        t.size);
  check(t.size % config.attention.heads == 0, "transformer.size {} does not divide into attention.heads {}", t.size,
        config.attention.heads);
}

}  // namespace

void check_config(const ModelConfig& config) {
  if (config.family == Family::recurrent)
    check_recurrent(config);
  else
    check_transformer(config);
  check(config.tied != Tie::all || config.source_vocabulary == config.target_vocabulary,
        "tied all needs one vocabulary for both sides, but their sizes are {} and {}", config.source_vocabulary,
        config.target_vocabulary);
  check(config.tied == Tie::none || !config.lexical,
        "lexical widens the output layer, so it cannot be tied to the embeddings; use tied none");
  check(config.classes == 0 || !config.lexical, "lexical is a part of translation; a classifier has none");
}

}  // namespace dragoman::models
