#pragma once

#include <string_view>

#include "base/options.h"
#include "nn/attention/attention.h"
#include "nn/norm.h"
#include "nn/positions.h"
#include "nn/recurrent.h"

namespace dragoman::models {

// Limits of settings, far beyond any model in use; they keep arithmetic with sizes within 32 bits. Whether a model file
// has the weights for its settings is checked by store::ModelFile.
inline constexpr int kMostLayers = 1000;
inline constexpr int kMostUnits = 1'000'000;
inline constexpr int kMostIds = 100'000'000;
// A table of positions is computed, not stored, so no file size bounds it: 32,768 positions of 512 numbers, 64 MiB.
inline constexpr std::int64_t kLargestPositionTable = std::int64_t{1} << 24;

// A model family, as its index in the list of families (families.cc). Settings refer to it by name.
enum class FamilyId : int {};
FamilyId family_named(std::string_view name);
// The names in that list.
struct FamilyNames {
  const std::pair<FamilyId, const char*>* begin() const;
  const std::pair<FamilyId, const char*>* end() const;
  const std::pair<FamilyId, const char*>& operator[](std::size_t i) const { return begin()[i]; }
};

enum class Tie { none, target, all };
enum class AttentionOver { nothing, source, source_and_past };
enum class DecoderStart { zeros, concatenated, projected };
enum class Prediction { tanh, direct };
enum class NormOrder { post, pre };
// A gated block multiplies the activation of one layer by a second layer (Shazeer 2020).
enum class FeedForwardKind { relu, gelu, gelu_tanh, silu, swiglu, geglu_tanh };
enum class DecoderPast { attention, ssru };

// LSTM and GRU models with attention (Bahdanau et al. 2015; Luong et al. 2015; Daniluk et al. 2017).
struct RecurrentConfig {
  nn::Cell cell = nn::Cell::lstm;
  int encoder_layers = 1, decoder_layers = 1;
  int encoder_hidden = 64;  // units per direction
  int decoder_hidden = 128;
  bool trainable_start = false;
  bool project_states = false;
  DecoderStart decoder_start = DecoderStart::concatenated;
  bool input_feeding = false;
  AttentionOver attention_over = AttentionOver::source;
  int self_attention_heads = 0;
  bool self_attention_projection = true;
  Prediction prediction = Prediction::tanh;
  double dropout_in = 0, dropout_between = 0, dropout_out = 0;

  template <class V>
  void visit(V& v) {
    v("cell", cell, "cell of the recurrent layers");
    v("encoder-layers", encoder_layers, "bidirectional layers of the encoder", between(1, kMostLayers));
    v("decoder-layers", decoder_layers, "layers of the decoder", between(1, kMostLayers));
    v("encoder-hidden", encoder_hidden, "units of the encoder in each direction", between(1, kMostUnits));
    v("decoder-hidden", decoder_hidden, "units of the decoder", between(1, kMostUnits));
    v("trainable-start", trainable_start, "learn the initial states of the encoder instead of starting from zeros");
    v("project-states", project_states, "project both directions to decoder-hidden instead of concatenating them");
    v("decoder-start", decoder_start,
      "initial state of the decoder: zeros, or the encoder's final states, concatenated or projected");
    v("input-feeding", input_feeding,
      "input feeding (Luong et al. 2015): the decoder also reads its previous attentional output, or, without "
      "attention, its previous state");
    v("attention-over", attention_over, "what the decoder attends to");
    v("self-attention-heads", self_attention_heads,
      "heads of self-attention over encoder states and previous decoder states; 0 for none", between(0, kMostUnits));
    v("self-attention-projection", self_attention_projection,
      "project the concatenated heads of self-attention (Vaswani et al. 2017)");
    v("prediction", prediction,
      "what the output layer reads: tanh(W [state; contexts]) as in Luong et al. 2015, or [state; contexts] directly");
    v("dropout-in", dropout_in, "dropout on embeddings", between(0, 0.95));
    v("dropout-between", dropout_between, "dropout between layers", between(0, 0.95));
    v("dropout-out", dropout_out,
      "dropout on the encoder's states and before the output layer, also on what is fed back", between(0, 0.95));
    v.only_if(
        "self-attention-projection", [this] { return self_attention_heads > 0; },
        "it needs model.recurrent.self-attention-heads");
  }
};

// Transformers (Vaswani et al. 2017) and Linformers (Wang et al. 2020).
struct TransformerConfig {
  int encoder_layers = 6, decoder_layers = 6;
  int size = 512;
  int feed_forward = 2048;
  NormOrder norm = NormOrder::post;
  FeedForwardKind activation = FeedForwardKind::relu;
  DecoderPast decoder_past = DecoderPast::attention;
  nn::PositionKind positions = nn::PositionKind::sinusoidal;
  int max_positions = 1024;
  nn::Sinusoids sinusoids = nn::Sinusoids::alternating;
  int first_position = 0;
  int relative_buckets = 32, relative_distance = 128;
  bool scale_embeddings = true, embedding_norm = false;
  nn::NormKind norm_kind = nn::NormKind::layer;
  double norm_epsilon = 1e-5;
  double dropout = 0.1, dropout_activation = 0;

  template <class V>
  void visit(V& v) {
    v("encoder-layers", encoder_layers, "layers of the encoder", between(1, kMostLayers));
    v("decoder-layers", decoder_layers, "layers of the decoder", between(1, kMostLayers));
    v("size", size, "size of the vectors between layers", between(1, kMostUnits));
    v("feed-forward", feed_forward, "units inside the feed-forward blocks", between(1, kMostUnits));
    v("norm", norm, "layer norm after each block (post) or before it (pre)");
    v("norm-kind", norm_kind, "layer norm, or root mean square norm (rms), which neither centres nor shifts");
    v("norm-epsilon", norm_epsilon, "what norms add to the variance", between(0, 1));
    v("activation", activation, "activation of the feed-forward blocks");
    v("decoder-past", decoder_past,
      "how the decoder reads its previous words: self-attention, or a simpler simple recurrent unit (ssru), which "
      "costs the same for every word");
    v("positions", positions, "position encoding");
    v("max-positions", max_positions, "longest sentence with sinusoidal or learned positions", between(1, kMostUnits));
    v("sinusoids", sinusoids, "order and wavelengths of sinusoidal positions");
    v("first-position", first_position, "number of the first sinusoidal position", between(0, 1000));
    v("relative-buckets", relative_buckets, "distances that relative positions tell apart", between(4, 10'000));
    v("relative-distance", relative_distance, "distance from which all relative positions are the same",
      between(1, kMostUnits));
    v("scale-embeddings", scale_embeddings, "multiply word vectors by the square root of their size");
    v("embedding-norm", embedding_norm, "layer norm of word vectors with their positions");
    v("dropout", dropout, "dropout on embeddings and on the output of each block", between(0, 0.95));
    v("dropout-activation", dropout_activation, "dropout inside the feed-forward blocks", between(0, 0.95));
    v.only_if(
        "max-positions",
        [this] { return positions == nn::PositionKind::sinusoidal || positions == nn::PositionKind::learned; },
        "only sinusoidal and learned positions have a longest sentence");
    v.only_if(
        "sinusoids first-position", [this] { return positions == nn::PositionKind::sinusoidal; },
        "the positions are not sinusoidal");
    v.only_if(
        "relative-buckets relative-distance", [this] { return positions == nn::PositionKind::relative; },
        "the positions are not relative");
  }
};

// The configuration of a whole model. Every preset in configs/ is one.
struct ModelConfig {
  FamilyId family = family_named("transformer");
  int source_vocabulary = 8000, target_vocabulary = 8000;
  int embedding = 512;
  Tie tied = Tie::none;
  bool lexical = false;
  int classes = 0;
  nn::AttentionConfig attention;
  RecurrentConfig recurrent;
  TransformerConfig transformer;

  template <class V>
  void visit(V& v) {
    v("family", family, "architecture of encoder and decoder");
    v("source-vocabulary", source_vocabulary, "number of source token ids", between(1, kMostIds));
    v("target-vocabulary", target_vocabulary, "number of target token ids", between(1, kMostIds));
    v("embedding", embedding, "size of word vectors (a Transformer's must equal transformer.size)",
      between(1, kMostUnits));
    v("tied", tied, "shared weights: target embedding and output layer (target), or the source embedding too (all)");
    v("lexical", lexical,
      "add the lexical model (Nguyen and Chiang 2018): a direct path from attended source words to the output");
    v("classes", classes, "encoder only: classify sentences into this many classes; 0 translates",
      between(0, kMostUnits));
    v.group("attention", attention);
    v.group("recurrent", recurrent);
    v.group("transformer", transformer);
    v.only_if(
        "recurrent.", [this] { return family == family_named("recurrent"); }, "the model is not recurrent");
    v.only_if(
        "transformer.", [this] { return family == family_named("transformer"); }, "the model is not a Transformer");
    v.only_if(
        "attention.",
        [this] { return family != family_named("recurrent") || recurrent.attention_over != AttentionOver::nothing; },
        "the model has no attention (--model.recurrent.attention-over nothing)");
  }
};

// Throws Error with the reason if the settings are inconsistent.
void check_config(const ModelConfig& config);

}  // namespace dragoman::models

namespace dragoman {
template <>
struct EnumNames<models::FamilyId> {
  static constexpr models::FamilyNames list{};
};
template <>
struct EnumNames<models::Tie> {
  static constexpr std::pair<models::Tie, const char*> list[] = {
      {models::Tie::none, "none"}, {models::Tie::target, "target"}, {models::Tie::all, "all"}};
};
template <>
struct EnumNames<models::AttentionOver> {
  static constexpr std::pair<models::AttentionOver, const char*> list[] = {
      {models::AttentionOver::nothing, "nothing"},
      {models::AttentionOver::source, "source"},
      {models::AttentionOver::source_and_past, "source_and_past"}};
};
template <>
struct EnumNames<models::DecoderStart> {
  static constexpr std::pair<models::DecoderStart, const char*> list[] = {
      {models::DecoderStart::zeros, "zeros"},
      {models::DecoderStart::concatenated, "concatenated"},
      {models::DecoderStart::projected, "projected"}};
};
template <>
struct EnumNames<models::Prediction> {
  static constexpr std::pair<models::Prediction, const char*> list[] = {{models::Prediction::tanh, "tanh"},
                                                                        {models::Prediction::direct, "direct"}};
};
template <>
struct EnumNames<models::NormOrder> {
  static constexpr std::pair<models::NormOrder, const char*> list[] = {{models::NormOrder::post, "post"},
                                                                       {models::NormOrder::pre, "pre"}};
};
template <>
struct EnumNames<models::FeedForwardKind> {
  static constexpr std::pair<models::FeedForwardKind, const char*> list[] = {
      {models::FeedForwardKind::relu, "relu"},           {models::FeedForwardKind::gelu, "gelu"},
      {models::FeedForwardKind::gelu_tanh, "gelu_tanh"}, {models::FeedForwardKind::silu, "silu"},
      {models::FeedForwardKind::swiglu, "swiglu"},       {models::FeedForwardKind::geglu_tanh, "geglu_tanh"}};
};
template <>
struct EnumNames<models::DecoderPast> {
  static constexpr std::pair<models::DecoderPast, const char*> list[] = {{models::DecoderPast::attention, "attention"},
                                                                         {models::DecoderPast::ssru, "ssru"}};
};
}  // namespace dragoman
