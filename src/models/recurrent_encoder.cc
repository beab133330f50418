#include "models/recurrent.h"

namespace dragoman::models {
namespace {

// Index that gathers the first row of a tensor once per sentence.
Tensor first_row_for_each(const Context& cx, Size sentences) { return cx.zeros(DType::i32, {sentences}); }

}  // namespace

RecurrentEncoder::RecurrentEncoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words)
    : config_(config.recurrent), keeps_embeddings_(config.lexical), words_(words) {
  const Size hidden = config_.encoder_hidden;
  Size in = config.embedding;
  for (int i = 0; i < config_.encoder_layers; ++i) {
    Layer layer;
    layer.forward = nn::RecurrentLayer(list, "encoder.lstm", fmt::format("_l{}", i), config_.cell, in, hidden);
    layer.backward = nn::RecurrentLayer(list, "encoder.lstm", fmt::format("_l{}_reverse", i), config_.cell, in, hidden);
    if (config_.trainable_start) {
      const auto state = [&](const char* what) {
        return list.add(fmt::format("encoder.start.{}_l{}", what, i), {1, hidden}, nn::Init::zeros());
      };
      layer.h_forward = state("h_forward");
      layer.h_backward = state("h_backward");
      if (config_.cell == nn::Cell::lstm) {
        layer.c_forward = state("c_forward");
        layer.c_backward = state("c_backward");
      }
    }
    layers_.push_back(layer);
    in = 2 * hidden;
  }
  if (config_.project_states)
    project_states_ =
        nn::Linear(list, "encoder.project_states", 2 * hidden, config_.decoder_hidden, true, nn::Init::fan_in());
  if (config_.self_attention_heads > 0)
    self_attention_ = self_attention_over_states(list, "encoder.self_attn", size(), config_, false);
}

Size RecurrentEncoder::size() const {
  return config_.project_states ? config_.decoder_hidden : 2 * config_.encoder_hidden;
}

nn::CellState RecurrentEncoder::first(Context& cx, nn::Parameter h, nn::Parameter c, const Tensor& index) const {
  if (!h.defined()) return {};
  return {gather_rows(cx, h, index), c.defined() ? gather_rows(cx, c, index) : Tensor()};
}

EncodedSource RecurrentEncoder::encode(Context& cx, const Packed& source) const {
  const Tensor index = first_row_for_each(cx, source.rows.count());
  const TimeOrder time = TimeOrder::of(cx, source.rows);
  const Tensor embedded = words_(cx, source);
  Tensor x = dropout(cx, embedded, config_.dropout_in);
  EncodedSource encoded{source.rows, {}, keeps_embeddings_ ? embedded : Tensor(), {}};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    if (i > 0) x = dropout(cx, x, config_.dropout_between);
    const nn::CellState first_there = first(cx, layer.h_forward, layer.c_forward, index);
    const nn::CellState first_back = first(cx, layer.h_backward, layer.c_backward, index);
    const auto [there, back] = nn::RecurrentLayer::run_both(cx, layer.forward, layer.backward, x, source.rows, time,
                                                            {first_there, first_back});
    x = join_columns(cx, there.h, back.h);
    const Tensor c = config_.cell == nn::Cell::lstm ? join_columns(cx, there.last.c, back.last.c) : Tensor();
    encoded.last.push_back({join_columns(cx, there.last.h, back.last.h), c});
  }
  x = dropout(cx, x, config_.dropout_out);
  if (project_states_.defined()) x = project_states_(cx, x);
  if (config_.self_attention_heads > 0)
    x = self_attention_.attend(cx, x, source.rows, self_attention_.prepare(cx, x, source.rows)).out;
  encoded.states = x;
  return encoded;
}

}  // namespace dragoman::models
