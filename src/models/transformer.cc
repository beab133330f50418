#include "models/transformer.h"

namespace dragoman::models {
namespace {

nn::AttentionPlace place(const std::string& name, const TransformerConfig& config, bool causal, bool self) {
  return {.name = name,
          .query = config.size,
          .memory = config.size,
          .projected = true,
          .causal = causal,
          .self = self,
          .rotary = self && config.positions == nn::PositionKind::rotary};
}

// A decoder's attention over its own past stays exact: projecting the length under causality would leak the future.
nn::AttentionConfig exact(nn::AttentionConfig attention) {
  attention.linformer = 0;
  return attention;
}

}  // namespace

FeedForward::FeedForward(nn::Parameters& list, const std::string& name, const TransformerConfig& config)
    : kind_(config.activation),
      dropout_(config.dropout_activation),
      up_(list, name + ".linear1", config.size, config.feed_forward),
      gate_(kind_ == FeedForwardKind::swiglu ? nn::Linear(list, name + ".linear3", config.size, config.feed_forward)
                                             : nn::Linear()),
      down_(list, name + ".linear2", config.feed_forward, config.size) {}

Tensor FeedForward::operator()(RowProgram& program, const Tensor& x) const {
  Tensor inner;
  switch (kind_) {
    case FeedForwardKind::relu: inner = up_(program, x, Activation::relu); break;
    case FeedForwardKind::gelu: inner = up_(program, x, Activation::gelu); break;
    case FeedForwardKind::swiglu: {
      const Tensor up = up_(program, x), gate = gate_(program, x, Activation::silu);
      inner = multiply(program.run(), gate, up);
      break;
    }
  }
  return down_(program, program.dropout(inner, dropout_));
}

void Stream::begin(Context& cx, const Tensor& x, const nn::LayerNorm& first) {
  sum_ = x;
  input_ = order_ == NormOrder::pre ? first(cx, x) : x;
}

void Stream::add(RowProgram& program, const Tensor& branch, const nn::LayerNorm& after) {
  const Residual residual = program.residual_norm(sum_, branch, dropout_, after.parameters());
  input_ = residual.normalised;
  sum_ = order_ == NormOrder::pre ? residual.sum : residual.normalised;
}

TokenInput::TokenInput(nn::Parameters& list, const std::string& name, const WordEmbedding& words,
                       const TransformerConfig& config)
    : words_(words),
      scale_(std::sqrt(static_cast<double>(config.size))),
      dropout_(config.dropout),
      max_positions_(config.max_positions) {
  const Shape shape{config.max_positions, config.size};
  if (config.positions == nn::PositionKind::learned)
    positions_ = list.add(name + ".weight", shape, nn::Init::normal(0.02 * scale_));
  if (config.positions == nn::PositionKind::sinusoidal)
    positions_ = list.constant(shape, [shape] { return nn::sinusoidal_table(shape[0], shape[1]); });
}

Tensor TokenInput::operator()(Context& cx, const Packed& tokens, const Tensor& positions) const {
  EmbeddingOptions options{.scale = scale_};
  if (positions_.defined()) {
    check(tokens.rows.longest() <= max_positions_,
          "a sentence of {} tokens is longer than the model's max-positions {}; split it or train with more",
          tokens.rows.longest(), max_positions_);
    options.positions = positions_;
    options.position_ids = positions;
  }
  return dropout(cx, words_(cx, tokens.tokens, options), dropout_);
}

TransformerEncoder::TransformerEncoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words)
    : config_(config.transformer),
      keeps_embeddings_(config.lexical),
      input_(list, "encoder.embed_positions", words, config_) {
  for (int i = 0; i < config_.encoder_layers; ++i) {
    const std::string name = fmt::format("encoder.layers.{}", i);
    layers_.push_back({nn::Attention(list, place(name + ".self_attn", config_, false, true), config.attention),
                       FeedForward(list, name, config_), nn::LayerNorm(list, name + ".norm1", config_.size),
                       nn::LayerNorm(list, name + ".norm2", config_.size)});
  }
  if (config_.norm == NormOrder::pre) norm_ = nn::LayerNorm(list, "encoder.norm", config_.size);
}

Encoded TransformerEncoder::encode(Context& cx, const Packed& source) const {
  const Tensor positions = nn::position_ids(cx, source.rows);
  const Tensor x = input_(cx, source, positions);
  const bool pre = config_.norm == NormOrder::pre;
  Stream stream(config_.norm, config_.dropout);
  stream.begin(cx, x, layers_[0].norm1);
  RowProgram program(cx);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const nn::LayerNorm& next = i + 1 < layers_.size() ? layers_[i + 1].norm1 : norm_;
    const nn::Keys keys = layer.attention.prepare(program, stream.input(), source.rows, positions);
    stream.add(program,
               layer.attention.attend(program, stream.input(), source.rows, keys, {.positions = positions}).out,
               pre ? layer.norm2 : layer.norm1);
    stream.add(program, layer.feed_forward(program, stream.input()), pre ? next : layer.norm2);
  }
  program.run();
  return {source.rows, stream.input(), keeps_embeddings_ ? x : Tensor(), {}};
}

TransformerDecoder::TransformerDecoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words)
    : config_(config.transformer), input_(list, "decoder.embed_positions", words, config_) {
  for (int i = 0; i < config_.decoder_layers; ++i) {
    const std::string name = fmt::format("decoder.layers.{}", i);
    layers_.push_back({nn::Attention(list, place(name + ".self_attn", config_, true, true), exact(config.attention)),
                       nn::Attention(list, place(name + ".multihead_attn", config_, false, false), config.attention),
                       FeedForward(list, name, config_), nn::LayerNorm(list, name + ".norm1", config_.size),
                       nn::LayerNorm(list, name + ".norm2", config_.size),
                       nn::LayerNorm(list, name + ".norm3", config_.size)});
  }
  if (config_.norm == NormOrder::pre) norm_ = nn::LayerNorm(list, "decoder.norm", config_.size);
}

Memory TransformerDecoder::remember(Context& cx, const Encoded& source) const {
  Memory memory{source, {}};
  for (const Layer& layer : layers_) memory.keys.push_back(layer.source.prepare(cx, source.states, source.rows));
  return memory;
}

State TransformerDecoder::start(Context&, const Memory& memory, bool continues) const {
  return State(memory, continues);
}

Decoded TransformerDecoder::decode(Context& cx, const Packed& tokens, const Memory& memory, State& state,
                                   bool weights) const {
  const Tensor positions = nn::position_ids(cx, tokens.rows, state.lengths());
  state.extend(cx, tokens.rows);
  const bool pre = config_.norm == NormOrder::pre;
  Stream stream(config_.norm, config_.dropout);
  stream.begin(cx, input_(cx, tokens, positions), layers_[0].norm1);
  RowProgram program(cx);
  Decoded decoded;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const bool last = i + 1 == layers_.size();
    const Tensor room = state.claim(cx, 2 * i, stream.input().dtype(), layer.self.own_size());
    const nn::Keys own =
        state.remember(cx, 2 * i, layer.self.prepare(program, stream.input(), tokens.rows, positions, room));
    stream.add(program, layer.self.attend(program, stream.input(), tokens.rows, own, {.positions = positions}).out,
               pre ? layer.norm2 : layer.norm1);
    const Attended source =
        layer.source.attend(program, stream.input(), state.by_sentence(), memory.keys[i], {.weights = weights && last});
    if (last) decoded.weights = source.weights;
    stream.add(program, source.out, pre ? layer.norm3 : layer.norm2);
    stream.add(program, layer.feed_forward(program, stream.input()),
               pre ? (last ? norm_ : layers_[i + 1].norm1) : layer.norm3);
  }
  program.run();
  decoded.features = stream.input();
  return decoded;
}

}  // namespace dragoman::models
