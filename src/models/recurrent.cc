#include "models/recurrent.h"

#include <algorithm>

namespace dragoman::models {
namespace {

Tensor join(Context& cx, const Tensor& a, const Tensor& b) {
  const Tensor parts[] = {a, b};
  return concat_columns(cx, parts);
}

// What gathers the first row of something once for every sentence.
Tensor first_row_for_each(const Context& cx, Size sentences) { return cx.zeros(DType::i32, {sentences}); }

nn::AttentionPlace over_states(const std::string& name, Size query, Size memory, bool causal) {
  return {.name = name, .query = query, .memory = memory, .causal = causal};
}

nn::Attention self_attention(nn::Parameters& list, const std::string& name, Size size, int heads, bool causal) {
  return nn::Attention(list,
                       {.name = name, .query = size, .memory = size, .projected = true, .causal = causal, .self = true},
                       {.score = nn::Score::scaled_dot, .heads = heads});
}

}  // namespace

// ---- encoder --------------------------------------------------------------------------------------------------

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
    self_attention_ = self_attention(list, "encoder.self_attn", size(), config_.self_attention_heads, false);
}

Size RecurrentEncoder::size() const {
  return config_.project_states ? config_.decoder_hidden : 2 * config_.encoder_hidden;
}

nn::CellState RecurrentEncoder::first(Context& cx, nn::Parameter h, nn::Parameter c, const Tensor& index) const {
  if (!h.defined()) return {};
  return {gather_rows(cx, h, index), c.defined() ? gather_rows(cx, c, index) : Tensor()};
}

Encoded RecurrentEncoder::encode(Context& cx, const Packed& source) const {
  const Tensor index = first_row_for_each(cx, source.rows.count());
  const TimeOrder time = TimeOrder::of(cx, source.rows);
  const Tensor embedded = words_(cx, source.tokens);
  Tensor x = dropout(cx, embedded, config_.dropout_in);
  Encoded encoded{source.rows, {}, keeps_embeddings_ ? embedded : Tensor(), {}};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    if (i > 0) x = dropout(cx, x, config_.dropout_between);
    const nn::CellState first_there = first(cx, layer.h_forward, layer.c_forward, index);
    const nn::CellState first_back = first(cx, layer.h_backward, layer.c_backward, index);
    const auto [there, back] = nn::RecurrentLayer::run_both(cx, layer.forward, layer.backward, x, source.rows, time,
                                                            {first_there, first_back});
    x = join(cx, there.h, back.h);
    const Tensor c = config_.cell == nn::Cell::lstm ? join(cx, there.last.c, back.last.c) : Tensor();
    encoded.last.push_back({join(cx, there.last.h, back.last.h), c});
  }
  x = dropout(cx, x, config_.dropout_out);
  if (project_states_.defined()) x = project_states_(cx, x);
  if (config_.self_attention_heads > 0)
    x = self_attention_.attend(cx, x, source.rows, self_attention_.prepare(cx, x, source.rows)).out;
  encoded.states = x;
  return encoded;
}

// ---- decoder --------------------------------------------------------------------------------------------------

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
      self_attention_ = self_attention(list, "decoder.self_attn", hidden, config_.self_attention_heads, true);
  }
  hidden_ = nn::Linear(list, "decoder.hidden", hidden + contexts, hidden, true, nn::Init::fan_in());
  if (lexical_ > 0)
    lexical_hidden_ = nn::Linear(list, "decoder.lexical_hidden", lexical_, lexical_, false, nn::Init::fan_in());
  features_ = hidden + lexical_;
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

Memory RecurrentDecoder::remember(Context& cx, const Encoded& source) const {
  Memory memory{source, {}};
  if (!attends_source()) return memory;
  if (lexical_ > 0)
    memory.keys.push_back(
        source_attention_.prepare(cx, source.states, join(cx, source.states, source.embeddings), source.rows));
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
    // A decoder deeper than its encoder starts its upper layers from the encoder's top.
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
  if (!config_.input_feeding) return decode_at_once(cx, tokens, memory, state, weights);
  // Search computes each step as it comes, so that a sentence's numbers do not depend on how many words its neighbours
  // append.
  const bool learns = cx.recording() && !weights && config_.cell == nn::Cell::lstm && source_attention_.feeds();
  return learns ? learn_feeding(cx, tokens, memory, state) : decode_feeding(cx, tokens, memory, state, weights);
}

Tensor RecurrentDecoder::attentional(Context& cx, const Tensor& x, std::vector<Tensor> contexts) const {
  contexts.insert(contexts.begin(), x);
  const Tensor all = contexts.size() == 1 ? x : concat_columns(cx, contexts);
  return dropout(cx, hidden_(cx, all, Activation::tanh), config_.dropout_out);
}

// Where the values are states and embeddings side by side, so is their mixture.
RecurrentDecoder::Contexts RecurrentDecoder::contexts_of(Context& cx, const Tensor& attended) const {
  if (lexical_ == 0) return {attended, {}};
  const Size size = attended.cols() - lexical_;
  return {slice_columns(cx, attended, 0, size), slice_columns(cx, attended, size, lexical_)};
}

// Nguyen and Chiang: f = tanh(sum of attended source embeddings); h = tanh(W f) + f goes to the output layer, too.
Tensor RecurrentDecoder::with_lexical(Context& cx, const Tensor& output, const Tensor& lexical) const {
  const Tensor f = tanh(cx, lexical);
  return join(cx, output, add(cx, lexical_hidden_(cx, f, Activation::tanh), f));
}

// Attention over the states before each word: row i of a sentence's past is what the decoder was before word i.
Tensor RecurrentDecoder::past_context(Context& cx, const Tensor& x, const Segments& rows, State& state) const {
  Tensor states = x;
  if (config_.self_attention_heads > 0) {
    const nn::Keys own = state.remember(cx, 0, self_attention_.prepare(cx, x, rows));
    states = self_attention_.attend(cx, x, rows, own).out;
  }
  // Row i takes row i - 1; the first row of each sentence takes the last state of before.
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
  return past_attention_.attend(cx, x, rows, past).out;
}

// Without input feeding the layers run over all words first, and attention over all of them at once.
Decoded RecurrentDecoder::decode_at_once(Context& cx, const Packed& tokens, const Memory& memory, State& state,
                                         bool weights) const {
  const TimeOrder time = TimeOrder::of(cx, tokens.rows);
  Tensor x = dropout(cx, words_(cx, tokens.tokens), config_.dropout_in);
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
  if (attends_past()) contexts.push_back(past_context(cx, x, tokens.rows, state));
  decoded.features = attentional(cx, x, contexts);
  if (lexical_ > 0) decoded.features = with_lexical(cx, decoded.features, lexical);
  return decoded;
}

// The source as the steps of a walk in time ask for it: sentence i of `keys` belongs to the i-th hypothesis of the
// time order, so that a step asks a prefix. When all hypotheses have equally many words, the walk never shrinks and
// the hypotheses of a sentence ask together.
struct RecurrentDecoder::StepMemory {
  nn::Keys keys;
  Segments all_queries;  // of a step in which every hypothesis takes part
  bool shrinks = false;

  StepMemory(Context& cx, const nn::Keys& source, const State& state, const TimeOrder& time) {
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
    keys.rows = Segments::from_lengths(cx, lengths);
    keys.one_tensor = source.one_tensor;
    const std::vector<std::int32_t> ones(static_cast<std::size_t>(hypotheses), 1);
    all_queries = Segments::from_lengths(cx, ones);
  }

  Attended ask(Context& cx, const nn::Attention& attention, const Tensor& x, Size active, bool weights) const {
    if (!shrinks) return attention.attend(cx, x, all_queries, keys, {.weights = weights});
    const nn::Keys prefix{keys.keys, keys.values, keys.rows.first(active)};
    return attention.attend(cx, x, all_queries.first(active), prefix, {.weights = weights});
  }

  // The weights of all steps, one after the other, as for each hypothesis [words, keys].
  Tensor arrange(Context& cx, const std::vector<Tensor>& steps, const Segments& words, const TimeOrder& time) const {
    std::vector<std::vector<Size>> starts(static_cast<std::size_t>(words.count()));  // of each word's weights
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

// With input feeding word i needs the attentional output of word i - 1: one step after the other, the hypotheses that
// still have words first.
Decoded RecurrentDecoder::decode_feeding(Context& cx, const Packed& tokens, const Memory& memory, State& state,
                                         bool weights) const {
  const Segments& rows = tokens.rows;
  const TimeOrder time = TimeOrder::of(cx, rows);
  const Tensor embedded = dropout(cx, words_(cx, tokens.tokens), config_.dropout_in);
  const StepMemory source(cx, memory.keys[0], state, time);
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
      x = i == 0 ? join(cx, gather_rows(cx, embedded, step_rows), fed) : dropout(cx, x, config_.dropout_between);
      const nn::CellState after = layers_[i].step(cx, x, layer_state(now, i));
      set_layer_state(now, i, after);
      x = after.h;
    }
    const Attended attended = source.ask(cx, source_attention_, x, active, weights);
    if (weights) step_weights.push_back(attended.weights);
    const Contexts parts = contexts_of(cx, attended.out);
    fed = attentional(cx, x, {parts.context});
    features.push_back(lexical_ > 0 ? with_lexical(cx, fed, parts.lexical) : fed);
    for (std::size_t v = 0; v < history.size(); ++v) history[v].push_back(now.vectors[v]);
  }
  const Tensor last = nn::last_from_steps(cx, rows, time);
  for (std::size_t v = 0; v < history.size(); ++v)
    state.vectors[v] = gather_rows(cx, concat_rows(cx, history[v]), last);
  Decoded decoded{gather_rows(cx, concat_rows(cx, features), nn::packed_from_steps(cx, rows, time)), {}};
  if (weights) decoded.weights = source.arrange(cx, step_weights, rows, time);
  return decoded;
}

// In training the words of all steps are known, so their share of the gates is one product, and the walk one op.
Decoded RecurrentDecoder::learn_feeding(Context& cx, const Packed& tokens, const Memory& memory, State& state) const {
  const Segments& rows = tokens.rows;
  const TimeOrder time = TimeOrder::of(cx, rows);
  const Tensor embedded = dropout(cx, words_(cx, tokens.tokens), config_.dropout_in);
  const Tensor in_steps = nn::steps_from_packed(cx, rows, time), in_rows = nn::packed_from_steps(cx, rows, time);
  const Tensor words = permute_rows(cx, embedded, in_steps, in_rows);
  State first = state;
  if (!std::ranges::is_sorted(time.host_order)) {
    const Tensor places = nn::places_in_time(cx, time);
    for (Tensor& vector : first.vectors) vector = permute_rows(cx, vector, time.order, places);
  }
  std::vector<FeedingLayer> layers;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const nn::Linear& input = layers_[i].input();
    const nn::CellState before = layer_state(first, i);
    layers.push_back({i == 0 ? Tensor() : input.weight(),
                      i == 0 ? Tensor() : input.bias(),
                      layers_[i].recurrent_weight(),
                      {before.h, before.c}});
  }
  const Size hidden = config_.decoder_hidden, contexts = hidden_.weight().cols() - hidden;
  const FeedingWeights weights{layers_[0].other_weights(cx, words.cols()),
                               slice_columns(cx, hidden_.weight(), 0, hidden),
                               slice_columns(cx, hidden_.weight(), hidden, contexts), hidden_.bias()};
  const StepMemory source(cx, memory.keys[0], state, time);
  const FeedingOutput out = lstm_feeding(cx, layers_[0].known_gates(cx, words), first.vectors[extra_vector()], layers,
                                         weights, source_attention_.source(cx, source.keys, source.all_queries), time,
                                         {.between = config_.dropout_between, .out = config_.dropout_out});
  const Tensor last = nn::last_from_steps(cx, rows, time, rows.count());
  for (std::size_t i = 0; i < layers_.size(); ++i)
    set_layer_state(state, i, {gather_rows(cx, out.states[i].h, last), gather_rows(cx, out.states[i].c, last)});
  state.vectors[extra_vector()] = gather_rows(cx, out.fed_states, last);
  const Tensor features = permute_rows(cx, out.fed, in_rows, in_steps);
  if (lexical_ == 0) return {features, {}};
  const Tensor lexical = permute_rows(cx, contexts_of(cx, out.context).lexical, in_rows, in_steps);
  return {with_lexical(cx, features, lexical), {}};
}

}  // namespace dragoman::models
