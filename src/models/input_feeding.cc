#include "tensor/ops/input_feeding/input_feeding.h"

#include <algorithm>
#include <optional>

#include "models/recurrent.h"

// Input feeding (Luong et al. 2015, section 3.3): the decoder reads its previous output beside the last word, so word i
// depends on word i - 1. The output is the attentional one, or, without attention, the state. There are two
// implementations:
// - decode_step_by_step computes it from plain ops, one step after the other: for search, and for training where the
//   fused op does not support the decoder (GRU cells; no, additive or projected attention; dropout on attention
//   weights).
// - decode_fused runs all steps as one op (tensor/ops/input_feeding), for training.
// tests/models/input_feeding_test.cc checks that both give the same logits and gradients, models_test.cc the same
// states.
namespace dragoman::models {

// The keys of the source in the order of the steps. Step t works on the first active[t] hypotheses of the time order;
// sentence i of `keys` belongs to the i-th of them, so that the keys of a step are a prefix. When all hypotheses append
// the same number of words, no step has fewer hypotheses than the first: the keys stay as they are and the hypotheses
// of a sentence share them.
struct RecurrentDecoder::StepSource {
  nn::Keys keys;
  Segments all_queries;  // for a step with all hypotheses
  bool shrinks = false;

  StepSource(Context& cx, const nn::Keys& source, const State& state, const TimeOrder& time) {
    const Size hypotheses = state.hypotheses();
    shrinks = time.active.back() < hypotheses;
    if (!shrinks) {
      keys = source;
      all_queries = Segments::from_lengths(cx, state.beams());
      return;
    }
    std::vector<std::int32_t> sentence_of, index, lengths;
    for (Size s = 0; s < std::ssize(state.beams()); ++s)
      sentence_of.insert(sentence_of.end(), static_cast<std::size_t>(state.beams()[s]), static_cast<std::int32_t>(s));
    for (const std::int32_t h : time.host_order) {
      const std::int32_t s = sentence_of[h];
      lengths.push_back(static_cast<std::int32_t>(source.rows.length(s)));
      for (Size i = 0; i < source.rows.length(s); ++i)
        index.push_back(static_cast<std::int32_t>(source.rows.begin(s) + i));
    }
    const Tensor rows = cx.from_host<std::int32_t>(index, {std::ssize(index)});
    const Tensor moved = gather_rows(cx, source.keys.of, rows);
    keys.keys = {moved, source.keys.first, source.keys.count};
    keys.values = {source.one_tensor ? moved : gather_rows(cx, source.values.of, rows), source.values.first,
                   source.values.count};
    keys.one_tensor = source.one_tensor;
    keys.rows = Segments::from_lengths(cx, lengths);
    const std::vector<std::int32_t> ones(static_cast<std::size_t>(hypotheses), 1);
    all_queries = Segments::from_lengths(cx, ones);
  }

  Attended attend(Context& cx, const nn::Attention& attention, const Tensor& x, Size active, bool weights) const {
    if (!shrinks) return attention.attend(cx, x, all_queries, keys, {.weights = weights});
    nn::Keys prefix = keys;
    prefix.rows = keys.rows.first(active);
    return attention.attend(cx, x, all_queries.first(active), prefix, {.weights = weights});
  }

  // Reorders attention weights from step-major to hypothesis-major, [words, keys] per hypothesis.
  Tensor arrange(Context& cx, const std::vector<Tensor>& steps, const Segments& words, const TimeOrder& time) const {
    std::vector<std::vector<Size>> starts(static_cast<std::size_t>(words.count()));  // where each word's weights start
    std::vector<Size> counts(starts.size());
    Size at = 0, sentence = 0, asked = 0;
    for (const std::int32_t active : time.active) {
      sentence = asked = 0;
      for (Size i = 0; i < active; ++i) {
        while (asked == all_queries.length(sentence)) ++sentence, asked = 0;
        ++asked;
        const std::int32_t h = time.host_order[i];
        counts[h] = keys.rows.length(sentence);
        starts[h].push_back(at);
        at += counts[h];
      }
    }
    std::vector<std::int32_t> index;
    for (std::size_t h = 0; h < starts.size(); ++h)
      for (const Size start : starts[h])
        for (Size j = 0; j < counts[h]; ++j) index.push_back(static_cast<std::int32_t>(start + j));
    std::vector<Tensor> columns;
    for (const Tensor& step : steps) columns.push_back(step.reshaped({step.count(), 1}));
    const Tensor order = cx.from_host<std::int32_t>(index, {std::ssize(index)});
    return gather_rows(cx, concat_rows(cx, columns), order).reshaped({std::ssize(index)});
  }
};

Decoded RecurrentDecoder::decode_with_input_feeding(Context& cx, const Packed& tokens, const Memory& memory,
                                                    State& state, bool weights) const {
  // The fused op passes no gradient to later calls. Search must not use it, since a sentence's result there must not
  // depend, to the bit, on how many words its neighbours append.
  const bool fused = cx.recording() && !state.continues() && !weights && config_.cell == nn::Cell::lstm &&
                     attends_source() && source_attention_.is_dot_product();
  return fused ? decode_fused(cx, tokens, memory, state) : decode_step_by_step(cx, tokens, memory, state, weights);
}

Decoded RecurrentDecoder::decode_step_by_step(Context& cx, const Packed& tokens, const Memory& memory, State& state,
                                              bool weights) const {
  const Segments& rows = tokens.rows;
  const TimeOrder time = TimeOrder::of(cx, rows);
  const Tensor embedded = dropout(cx, words_(cx, tokens), config_.dropout_in);
  std::optional<StepSource> source;
  if (attends_source()) source.emplace(cx, memory.keys[0], state, time);
  State now = state;
  for (Tensor& vector : now.vectors) vector = gather_rows(cx, vector, time.order);
  std::vector<std::vector<Tensor>> history(now.vectors.size());
  std::vector<Tensor> features, step_weights;
  for (Size t = 0; t < std::ssize(time.active); ++t) {
    const Size active = time.active[t];
    for (Tensor& vector : now.vectors)
      if (vector.rows() > active) vector = slice_rows(cx, vector, 0, active);
    Tensor& fed = now.vectors[extra_vector()];
    const Tensor step_rows = nn::step_rows(cx, rows, time, t);
    Tensor x;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      x = i == 0 ? join_columns(cx, gather_rows(cx, embedded, step_rows), fed)
                 : dropout(cx, x, config_.dropout_between);
      const nn::CellState after = layers_[i].step(cx, x, layer_state(now, i));
      set_layer_state(now, i, after);
      x = after.h;
    }
    std::vector<Tensor> contexts;
    Tensor lexical;
    if (source) {
      const Attended attended = source->attend(cx, source_attention_, x, active, weights);
      if (weights) step_weights.push_back(attended.weights);
      const Contexts parts = contexts_of(cx, attended.out);
      contexts.push_back(parts.context);
      lexical = parts.lexical;
    }
    fed = output_of(cx, x, contexts);
    features.push_back(lexical_ > 0 ? lexical_model_(cx, fed, lexical) : fed);
    for (std::size_t v = 0; v < history.size(); ++v) history[v].push_back(now.vectors[v]);
  }
  const Tensor last = nn::last_from_steps(cx, rows, time);
  for (std::size_t v = 0; v < history.size(); ++v)
    state.vectors[v] = gather_rows(cx, concat_rows(cx, history[v]), last);
  Decoded decoded{gather_rows(cx, concat_rows(cx, features), nn::packed_from_steps(cx, rows, time)), {}};
  if (weights && source) decoded.weights = source->arrange(cx, step_weights, rows, time);
  return decoded;
}

Decoded RecurrentDecoder::decode_fused(Context& cx, const Packed& tokens, const Memory& memory, State& state) const {
  const Segments& rows = tokens.rows;
  const TimeOrder time = TimeOrder::of(cx, rows);
  const Tensor embedded = dropout(cx, words_(cx, tokens), config_.dropout_in);
  const Tensor in_steps = nn::steps_from_packed(cx, rows, time), in_rows = nn::packed_from_steps(cx, rows, time);
  const Tensor words = permute_rows(cx, embedded, in_steps, in_rows);
  State first = state;
  if (!std::ranges::is_sorted(time.host_order)) {
    const Tensor places = nn::places_in_time(cx, time);
    for (Tensor& vector : first.vectors) vector = permute_rows(cx, vector, time.order, places);
  }
  std::vector<input_feeding::Layer> layers;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const nn::Linear& below = layers_[i].input();
    const nn::CellState before = layer_state(first, i);
    layers.push_back({i == 0 ? Tensor() : below.weight(),
                      i == 0 ? Tensor() : below.bias(),
                      layers_[i].recurrent_weight(),
                      {before.h, before.c}});
  }
  // The first layer's input is [word; fed]. The words are known, so their part of the gates is one product.
  const nn::Linear& input = layers_[0].input();
  const Size hidden = config_.decoder_hidden, contexts = hidden_.weight().cols() - hidden;
  const input_feeding::Weights weights{slice_columns(cx, input.weight(), words.cols(), hidden),
                                       slice_columns(cx, hidden_.weight(), 0, hidden),
                                       slice_columns(cx, hidden_.weight(), hidden, contexts), hidden_.bias()};
  const StepSource source(cx, memory.keys[0], state, time);
  const nn::DotKeys keys = source_attention_.dot_keys(cx, source.keys);
  const Tensor word_gates = linear(cx, words, slice_columns(cx, input.weight(), 0, words.cols()), input.bias());
  const input_feeding::Result out =
      input_feeding::unroll(cx, word_gates, first.vectors[extra_vector()], layers, weights,
                            {keys.keys, keys.values, keys.values_are_keys, keys.rows, source.all_queries, keys.scale},
                            time, {.between = config_.dropout_between, .out = config_.dropout_out});
  const Tensor last = nn::last_from_steps(cx, rows, time, rows.count());
  for (std::size_t i = 0; i < layers_.size(); ++i)
    set_layer_state(state, i, {gather_rows(cx, out.states[i].h, last), gather_rows(cx, out.states[i].c, last)});
  state.vectors[extra_vector()] = gather_rows(cx, out.fed_states, last);
  const Tensor features = permute_rows(cx, out.fed, in_rows, in_steps);
  if (lexical_ == 0) return {features, {}};
  const Tensor lexical = permute_rows(cx, contexts_of(cx, out.context).lexical, in_rows, in_steps);
  return {lexical_model_(cx, features, lexical), {}};
}

}  // namespace dragoman::models
