#include "models/transformer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dragoman::models {
namespace {

void check_transformer(const ModelConfig& config) {
  const TransformerConfig& t = config.transformer;
  check(config.embedding == t.size, "a Transformer's embedding {} must equal transformer.size {}", config.embedding,
        t.size);
  check(config.attention.head_size > 0 || t.size % config.attention.heads == 0,
        "transformer.size {} does not divide into attention.heads {}", t.size, config.attention.heads);
  check(t.positions != nn::PositionKind::relative || config.attention.linformer == 0,
        "relative positions need all keys; use another kind of positions with attention.linformer");
  check(t.positions != nn::PositionKind::relative || config.attention.score != nn::Score::additive,
        "relative positions need a score that is a dot product, but attention.score is additive");
}

// Sinusoidal and learned positions are stored as a table.
bool has_position_table(const TransformerConfig& config) {
  return config.positions == nn::PositionKind::sinusoidal || config.positions == nn::PositionKind::learned;
}

nn::AttentionPlace place(const std::string& name, const TransformerConfig& config, bool causal, bool self) {
  return {.name = name,
          .query = config.size,
          .memory = config.size,
          .projected = true,
          .causal = causal,
          .self = self,
          .rotary = self && config.positions == nn::PositionKind::rotary,
          .biased = self && config.positions == nn::PositionKind::relative};
}

nn::NormConfig norms_of(const TransformerConfig& config) {
  return {.kind = config.norm_kind, .epsilon = config.norm_epsilon};
}

nn::RelativeBias relative_bias(nn::Parameters& list, const std::string& side, const ModelConfig& config, bool causal) {
  const TransformerConfig& t = config.transformer;
  if (t.positions != nn::PositionKind::relative) return {};
  return {list,
          side + ".relative_positions",
          config.attention.heads,
          causal,
          {.buckets = t.relative_buckets, .distance = t.relative_distance}};
}

bool is_gated(FeedForwardKind kind) { return kind == FeedForwardKind::swiglu || kind == FeedForwardKind::geglu_tanh; }

// gelu by its approximation with tanh (Hendrycks & Gimpel 2016): x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)).
Tensor gelu_tanh(Context& cx, const Tensor& x) {
  const double factor = 2 * std::sqrt(2 / std::numbers::pi);
  const Tensor cube = multiply(cx, multiply(cx, x, x), x);
  return multiply(cx, x, sigmoid(cx, add(cx, x, cube, factor, 0.044715 * factor)));
}

// The decoder's self-attention stays exact: a projection along the length would leak the future.
nn::AttentionConfig exact(nn::AttentionConfig attention) {
  attention.linformer = 0;
  return attention;
}

}  // namespace

const Family& transformer_family() {
  static const Family family{
      .name = "transformer",
      .check = check_transformer,
      .max_positions =
          [](const ModelConfig& config) {
            return has_position_table(config.transformer) ? config.transformer.max_positions : kNoLimit;
          },
      .attends_to_source = [](const ModelConfig&) { return true; },
      // TokenInput scales the vectors up to variance 1.
      .embedding_deviation =
          [](const ModelConfig& config) { return 1 / std::sqrt(static_cast<double>(config.embedding)); },
      .output_init = [] { return nn::Init::glorot(); },
      .make_encoder = [](nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words)
          -> std::unique_ptr<Encoder> { return std::make_unique<TransformerEncoder>(list, config, words); },
      .make_decoder = [](nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words,
                         Size encoder_size) -> std::unique_ptr<Decoder> {
        return std::make_unique<TransformerDecoder>(list, config, words, encoder_size);
      }};
  return family;
}

FeedForward::FeedForward(nn::Parameters& list, const std::string& name, const TransformerConfig& config)
    : kind_(config.activation),
      dropout_(config.dropout_activation),
      up_(list, name + ".linear1", config.size, config.feed_forward),
      gate_(is_gated(kind_) ? nn::Linear(list, name + ".linear3", config.size, config.feed_forward) : nn::Linear()),
      down_(list, name + ".linear2", config.feed_forward, config.size) {}

Tensor FeedForward::operator()(RowProgram& program, const Tensor& x) const {
  Tensor inner;
  switch (kind_) {
    case FeedForwardKind::relu: inner = up_(program, x, Activation::relu); break;
    case FeedForwardKind::gelu: inner = up_(program, x, Activation::gelu); break;
    case FeedForwardKind::silu: inner = up_(program, x, Activation::silu); break;
    case FeedForwardKind::gelu_tanh: {
      const Tensor up = up_(program, x);
      inner = gelu_tanh(program.run(), up);
      break;
    }
    case FeedForwardKind::swiglu: {
      const Tensor up = up_(program, x), gate = gate_(program, x, Activation::silu);
      inner = multiply(program.run(), gate, up);
      break;
    }
    case FeedForwardKind::geglu_tanh: {
      const Tensor up = up_(program, x), gate = gate_(program, x);
      Context& cx = program.run();
      inner = multiply(cx, gelu_tanh(cx, gate), up);
      break;
    }
  }
  return down_(program, program.dropout(inner, dropout_));
}

void Stream::begin(Context& cx, const Tensor& x, const nn::Norm& first) {
  sum_ = x;
  input_ = order_ == NormOrder::pre ? first(cx, x) : x;
}

void Stream::add(RowProgram& program, const Tensor& branch, const nn::Norm& after) {
  const Residual residual = after.add(program, sum_, branch, dropout_);
  input_ = residual.normalised;
  sum_ = order_ == NormOrder::pre ? residual.sum : residual.normalised;
}

TokenInput::TokenInput(nn::Parameters& list, const std::string& side, const WordEmbedding& words,
                       const TransformerConfig& config)
    : words_(words),
      normalises_(config.embedding_norm),
      scale_(config.scale_embeddings ? std::sqrt(static_cast<double>(config.size)) : 1),
      dropout_(config.dropout),
      max_positions_(config.max_positions) {
  const Shape shape{config.max_positions, config.size};
  if (config.positions == nn::PositionKind::learned)
    positions_ = list.add(side + ".embed_positions.weight", shape, nn::Init::normal(0.02 * scale_));
  if (config.positions == nn::PositionKind::sinusoidal)
    positions_ = list.constant(
        shape, [size = shape[1], begin = config.first_position, kind = config.sinusoids](Size first, Size count) {
          return nn::sinusoidal_rows(begin + first, count, size, kind);
        });
  if (normalises_) norm_ = nn::Norm(list, side + ".embed_norm", config.size, norms_of(config));
}

void TokenInput::check_length(const Segments& tokens, std::span<const std::int32_t> past) const {
  if (!positions_.defined()) return;
  check(past.empty() || std::ssize(past) == tokens.count(), "tokens for {} hypotheses, but the state has {}",
        tokens.count(), past.size());
  Size longest = tokens.longest();
  for (std::size_t s = 0; s < past.size(); ++s)
    longest = std::max(longest, past[s] + tokens.length(static_cast<Size>(s)));
  check(longest <= max_positions_,
        "a sentence of {} tokens is longer than the model's max-positions {}; split it or train with more", longest,
        max_positions_);
}

Tensor TokenInput::operator()(Context& cx, const Packed& tokens, const Tensor& positions) const {
  EmbeddingOptions options{.scale = scale_};
  if (positions_.defined()) {
    options.positions = positions_;
    options.position_ids = positions;
  }
  const Tensor x = words_(cx, tokens, options);
  return dropout(cx, normalises_ ? norm_(cx, x) : x, dropout_);
}

TransformerEncoder::TransformerEncoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words)
    : config_(config.transformer),
      keeps_embeddings_(config.lexical),
      input_(list, "encoder", words, config_),
      relative_(relative_bias(list, "encoder", config, false)) {
  for (int i = 0; i < config_.encoder_layers; ++i) {
    const std::string name = fmt::format("encoder.layers.{}", i);
    layers_.push_back({nn::Attention(list, place(name + ".self_attn", config_, false, true), config.attention),
                       FeedForward(list, name, config_),
                       nn::Norm(list, name + ".norm1", config_.size, norms_of(config_)),
                       nn::Norm(list, name + ".norm2", config_.size, norms_of(config_))});
  }
  if (config_.norm == NormOrder::pre) norm_ = nn::Norm(list, "encoder.norm", config_.size, norms_of(config_));
}

EncodedSource TransformerEncoder::encode(Context& cx, const Packed& source) const {
  input_.check_length(source.rows);
  const Tensor positions = nn::position_ids(cx, source.rows);
  const Tensor x = input_(cx, source, positions);
  const Tensor bias = relative_.defined() ? relative_(cx, PairLayout::of(cx, source.rows, source.rows)) : Tensor();
  const bool pre = config_.norm == NormOrder::pre;
  Stream stream(config_.norm, config_.dropout);
  stream.begin(cx, x, layers_[0].norm1);
  RowProgram program(cx);
  const LayerMemory memory(cx);
  const auto add = [&](const Tensor& branch, const nn::Norm& norm) {
    stream.add(program, branch, norm);
    memory.release_all_but(program, {stream.sum(), stream.input()});
  };
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const nn::Norm& next = i + 1 < layers_.size() ? layers_[i + 1].norm1 : norm_;
    const nn::Keys keys = layer.attention.prepare(program, stream.input(), source.rows, positions);
    const nn::Attention::Ask ask{.positions = positions, .bias = bias};
    add(layer.attention.attend(program, stream.input(), source.rows, keys, ask).out, pre ? layer.norm2 : layer.norm1);
    add(layer.feed_forward(program, stream.input()), pre ? next : layer.norm2);
  }
  program.run();
  return {source.rows, stream.input(), keeps_embeddings_ ? x : Tensor(), {}};
}

TransformerDecoder::TransformerDecoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words,
                                       Size encoder_size)
    : config_(config.transformer),
      input_(list, "decoder", words, config_),
      relative_(recurrent() ? nn::RelativeBias() : relative_bias(list, "decoder", config, true)),
      features_(config_.size + (config.lexical ? config.embedding : 0)) {
  for (int i = 0; i < config_.decoder_layers; ++i) layers_.push_back(make_layer(list, config, i));
  if (config_.norm == NormOrder::pre) norm_ = nn::Norm(list, "decoder.norm", config_.size, norms_of(config_));
  if (!config.lexical) return;
  lexical_attention_ = nn::Attention(
      list,
      {.name = "decoder.lexical_attention", .query = config_.size, .memory = encoder_size, .values = config.embedding},
      {.score = nn::Score::multiplicative});
  lexical_model_ = LexicalModel(list, config.embedding, nn::Init::glorot());
}

TransformerDecoder::Layer TransformerDecoder::make_layer(nn::Parameters& list, const ModelConfig& config,
                                                         int index) const {
  const std::string name = fmt::format("decoder.layers.{}", index);
  Layer layer;
  if (recurrent())
    layer.recurrent = nn::Ssru(list, name + ".ssru", config_.size);
  else
    layer.self = nn::Attention(list, place(name + ".self_attn", config_, true, true), exact(config.attention));
  layer.source = nn::Attention(list, place(name + ".multihead_attn", config_, false, false), config.attention);
  layer.feed_forward = FeedForward(list, name, config_);
  layer.norm1 = nn::Norm(list, name + ".norm1", config_.size, norms_of(config_));
  layer.norm2 = nn::Norm(list, name + ".norm2", config_.size, norms_of(config_));
  layer.norm3 = nn::Norm(list, name + ".norm3", config_.size, norms_of(config_));
  return layer;
}

Memory TransformerDecoder::remember(Context& cx, const EncodedSource& source) const {
  Memory memory{source, {}};
  for (const Layer& layer : layers_)
    memory.keys.push_back(layer.source.kept(cx, layer.source.prepare(cx, source.states, source.rows)));
  if (lexical_model_.defined())
    memory.keys.push_back(lexical_attention_.prepare(cx, source.states, source.embeddings, source.rows));
  return memory;
}

State TransformerDecoder::start(Context& cx, const Memory& memory, bool continues) const {
  State state(memory, continues);
  const DType type = stat_of(memory.source.states.dtype());
  for (std::size_t i = 0; recurrent() && i < layers_.size(); ++i)
    state.vectors.push_back(cx.zeros(type, {memory.source.rows.count(), config_.size}));
  return state;
}

Tensor TransformerDecoder::read_past(Context& cx, RowProgram& program, std::size_t layer, const Tensor& x,
                                     const Segments& tokens, const Places& places, State& state) const {
  if (recurrent()) return layers_[layer].recurrent(program, x, tokens, state.vectors[layer]);
  const nn::Attention& self = layers_[layer].self;
  const Tensor room = state.claim(cx, 2 * layer, x.dtype(), self.own_size());
  const nn::Keys prepared = self.prepare(program, x, tokens, places.positions, room);
  const nn::Keys own = state.remember(cx, 2 * layer, self.kept(cx, prepared));
  return self.attend(program, x, tokens, own, {.positions = places.positions, .bias = places.bias}).out;
}

Decoded TransformerDecoder::decode(Context& cx, const Packed& tokens, const Memory& memory, State& state,
                                   bool weights) const {
  input_.check_length(tokens.rows, state.lengths());
  const Tensor positions = nn::position_ids(cx, tokens.rows, state.lengths());
  state.extend(cx, tokens.rows);
  const Segments& past = state.continues() ? state.past() : tokens.rows;
  const Places places{positions, relative_.defined() ? relative_(cx, PairLayout::of(cx, tokens.rows, past)) : Tensor()};
  const bool pre = config_.norm == NormOrder::pre;
  Stream stream(config_.norm, config_.dropout);
  stream.begin(cx, input_(cx, tokens, positions), layers_[0].norm1);
  RowProgram program(cx);
  const LayerMemory temporaries(cx);
  Decoded decoded;
  const auto add = [&](const Tensor& branch, const nn::Norm& norm) {
    stream.add(program, branch, norm);
    if (temporaries.releases())
      temporaries.release_all_but(program, {stream.sum(), stream.input(), decoded.weights}, state.tensors());
  };
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const bool last = i + 1 == layers_.size();
    add(read_past(cx, program, i, stream.input(), tokens.rows, places, state), pre ? layer.norm2 : layer.norm1);
    const Attended source =
        layer.source.attend(program, stream.input(), state.by_sentence(), memory.keys[i], {.weights = weights && last});
    if (last) decoded.weights = source.weights;
    add(source.out, pre ? layer.norm3 : layer.norm2);
    add(layer.feed_forward(program, stream.input()), pre ? (last ? norm_ : layers_[i + 1].norm1) : layer.norm3);
  }
  program.run();
  decoded.features = stream.input();
  if (lexical_model_.defined()) {
    const Attended words = lexical_attention_.attend(cx, decoded.features, state.by_sentence(), memory.keys.back());
    decoded.features = lexical_model_(cx, decoded.features, words.out);
  }
  return decoded;
}

}  // namespace dragoman::models
