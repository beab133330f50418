#include <algorithm>

#include "models/recurrent.h"

namespace dragoman::models {
namespace {

nn::AttentionPlace over_states(const std::string& name, Size query, Size memory, bool causal) {
  return {.name = name, .query = query, .memory = memory, .causal = causal};
}

}  // namespace

RecurrentDecoder::RecurrentDecoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words,
                                   Size encoder_size)
    : config_(config.recurrent), lexical_(config.lexical ? config.embedding : 0), words_(words) {
  const Size hidden = config_.decoder_hidden;
  Size in = config.embedding + (config_.input_feeding ? hidden : 0);
  for (int i = 0; i < config_.decoder_layers; ++i) {
    layers_.emplace_back(list, "decoder.lstm", fmt::format("_l{}", i), config_.cell, in, hidden);
    if (config_.decoder_start == DecoderStart::projected) {
      const Size both = 2 * config_.encoder_hidden;
      start_h_.emplace_back(list, fmt::format("decoder.start.h_l{}", i), both, hidden, true, nn::Init::fan_in());
      if (config_.cell == nn::Cell::lstm)
        start_c_.emplace_back(list, fmt::format("decoder.start.c_l{}", i), both, hidden, true, nn::Init::fan_in());
    }
    in = hidden;
  }
  Size contexts = 0;
  if (attends_source()) {
    nn::AttentionPlace place = over_states("decoder.attention", hidden, encoder_size, false);
    place.values = config.lexical ? encoder_size + lexical_ : 0;
    source_attention_ = nn::Attention(list, place, config.attention);
    contexts += source_attention_.size() - lexical_;
  }
  if (attends_past()) {
    nn::AttentionConfig past = config.attention;
    past.linformer = 0;
    past_attention_ = nn::Attention(list, over_states("decoder.past_attention", hidden, hidden, true), past);
    contexts += past_attention_.size();
    if (config_.self_attention_heads > 0)
      self_attention_ = self_attention_over_states(list, "decoder.self_attn", hidden, config_, true);
  }
  features_ = hidden + contexts;
  if (config_.prediction == Prediction::tanh) {
    hidden_ = nn::Linear(list, "decoder.hidden", features_, hidden, true, nn::Init::fan_in());
    features_ = hidden;
  }
  if (lexical_ > 0) lexical_model_ = LexicalModel(list, lexical_, nn::Init::fan_in());
  features_ += lexical_;
}

nn::CellState RecurrentDecoder::layer_state(const State& state, std::size_t layer) const {
  const bool lstm = config_.cell == nn::Cell::lstm;
  return {state.vectors[(lstm ? 2 : 1) * layer], lstm ? state.vectors[2 * layer + 1] : Tensor()};
}

void RecurrentDecoder::set_layer_state(State& state, std::size_t layer, const nn::CellState& value) const {
  const bool lstm = config_.cell == nn::Cell::lstm;
  state.vectors[(lstm ? 2 : 1) * layer] = value.h;
  if (lstm) state.vectors[2 * layer + 1] = value.c;
}

std::size_t RecurrentDecoder::extra_vector() const { return (config_.cell == nn::Cell::lstm ? 2 : 1) * layers_.size(); }

Memory RecurrentDecoder::remember(Context& cx, const EncodedSource& source) const {
  Memory memory{source, {}};
  if (!attends_source()) return memory;
  if (lexical_ > 0)
    memory.keys.push_back(
        source_attention_.prepare(cx, source.states, join_columns(cx, source.states, source.embeddings), source.rows));
  else
    memory.keys.push_back(source_attention_.prepare(cx, source.states, source.rows));
  return memory;
}

State RecurrentDecoder::start(Context& cx, const Memory& memory, bool continues) const {
  State state(memory, continues);
  const Size sentences = memory.source.rows.count();
  const DType type = memory.source.states.dtype();
  const bool lstm = config_.cell == nn::Cell::lstm;
  const auto zeros = [&] { return cx.zeros(type, {sentences, config_.decoder_hidden}); };
  state.vectors.resize(extra_vector());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    // In a decoder deeper than the encoder, the upper layers start from the encoder's top layer.
    const nn::CellState& last = memory.source.last[std::min(i, memory.source.last.size() - 1)];
    switch (config_.decoder_start) {
      case DecoderStart::zeros: set_layer_state(state, i, {zeros(), lstm ? zeros() : Tensor()}); break;
      case DecoderStart::concatenated: set_layer_state(state, i, last); break;
      case DecoderStart::projected:
        set_layer_state(state, i, {start_h_[i](cx, last.h), lstm ? start_c_[i](cx, last.c) : Tensor()});
        break;
    }
  }
  if (config_.input_feeding) state.vectors.push_back(zeros());
  if (attends_past()) state.vectors.push_back(layer_state(state, layers_.size() - 1).h);
  return state;
}

Decoded RecurrentDecoder::decode(Context& cx, const Packed& tokens, const Memory& memory, State& state,
                                 bool weights) const {
  state.extend(cx, tokens.rows);
  return config_.input_feeding ? decode_with_input_feeding(cx, tokens, memory, state, weights)
                               : decode_at_once(cx, tokens, memory, state, weights);
}

Tensor RecurrentDecoder::output_of(Context& cx, const Tensor& x, std::vector<Tensor> contexts) const {
  contexts.insert(contexts.begin(), x);
  const Tensor all = contexts.size() == 1 ? x : concat_columns(cx, contexts);
  return dropout(cx, hidden_.defined() ? hidden_(cx, all, Activation::tanh) : all, config_.dropout_out);
}

// With the lexical model, a value is a state concatenated with a source embedding, so the weighted sum holds both
// contexts.
RecurrentDecoder::Contexts RecurrentDecoder::contexts_of(Context& cx, const Tensor& attended) const {
  if (lexical_ == 0) return {attended, {}};
  const Size size = attended.cols() - lexical_;
  return {slice_columns(cx, attended, 0, size), slice_columns(cx, attended, size, lexical_)};
}

// Attention over the decoder's own past: row i of a sentence's past is the state before word i.
Attended RecurrentDecoder::attend_past(Context& cx, const Tensor& x, const Segments& rows, State& state,
                                       bool weights) const {
  Tensor states = x;
  if (config_.self_attention_heads > 0) {
    const nn::Keys own = state.remember(cx, 0, self_attention_.prepare(cx, x, rows));
    states = self_attention_.attend(cx, x, rows, own).out;
  }
  // Shift by one: row i gets row i - 1; the first row of each sentence gets the last state of the previous call.
  Tensor& last = state.vectors[extra_vector()];
  const Tensor parts[] = {last, states};
  const Tensor stacked = concat_rows(cx, parts);
  const std::span<std::int32_t> shifted = cx.host_array<std::int32_t>(rows.total());
  const std::span<std::int32_t> ends = cx.host_array<std::int32_t>(rows.count());
  for (Size s = 0; s < rows.count(); ++s) {
    for (Size i = 0; i < rows.length(s); ++i)
      shifted[rows.begin(s) + i] = static_cast<std::int32_t>(i == 0 ? s : rows.count() + rows.begin(s) + i - 1);
    ends[s] = static_cast<std::int32_t>(rows.length(s) == 0 ? s : rows.count() + rows.begin(s) + rows.length(s) - 1);
  }
  const Tensor before = gather_rows(cx, stacked, cx.from_host<std::int32_t>(shifted, {rows.total()}));
  last = gather_rows(cx, stacked, cx.from_host<std::int32_t>(ends, {rows.count()}));
  const nn::Keys past = state.remember(cx, 2, past_attention_.prepare(cx, before, rows));
  return past_attention_.attend(cx, x, rows, past, {.weights = weights});
}

// Without input feeding, each layer and attention run over all words at once.
Decoded RecurrentDecoder::decode_at_once(Context& cx, const Packed& tokens, const Memory& memory, State& state,
                                         bool weights) const {
  const TimeOrder time = TimeOrder::of(cx, tokens.rows);
  Tensor x = dropout(cx, words_(cx, tokens), config_.dropout_in);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (i > 0) x = dropout(cx, x, config_.dropout_between);
    const auto out = layers_[i].run(cx, x, tokens.rows, time, layer_state(state, i));
    set_layer_state(state, i, out.last);
    x = out.h;
  }
  std::vector<Tensor> contexts;
  Decoded decoded;
  Tensor lexical;
  if (attends_source()) {
    const Attended source = source_attention_.attend(cx, x, state.by_sentence(), memory.keys[0], {.weights = weights});
    decoded.weights = source.weights;
    const Contexts parts = contexts_of(cx, source.out);
    contexts.push_back(parts.context);
    lexical = parts.lexical;
  }
  if (attends_past()) {
    const Attended past = attend_past(cx, x, tokens.rows, state, weights);
    decoded.past_weights = past.weights;
    contexts.push_back(past.out);
  }
  decoded.features = output_of(cx, x, contexts);
  if (lexical_ > 0) decoded.features = lexical_model_(cx, decoded.features, lexical);
  return decoded;
}

}  // namespace dragoman::models
