#include "nn/attention/attention.h"

#include <algorithm>
#include <cmath>

#include "nn/attention/attention_record.h"

namespace dragoman::nn {
namespace {

void refuse_nonsense(const AttentionPlace& place, const AttentionConfig& config) {
  const std::string& name = place.name;
  check(config.linformer == 0 || !place.causal,
        "{}: linformer under a causal mask would leak the future, since every projected row mixes all positions; "
        "use linformer 0 here",
        name);
  check((config.key_size == 0) == (config.value_size == 0),
        "{}: key-size and value-size must be given together, got {} and {}", name, config.key_size, config.value_size);
  check(config.heads == 1 || place.projected,
        "{}: {} heads need projections of their own, which attention over bare states does not have; use heads 1", name,
        config.heads);
  check(!place.projected || config.key_size == 0,
        "{}: projected attention already has separate keys and values; use key-size 0", name);
  check(!place.projected || config.head_size > 0 || place.query % config.heads == 0,
        "{}: size {} does not divide into {} heads", name, place.query, config.heads);
  check(place.projected || config.head_size == 0, "{}: only projected attention has a head-size; use 0", name);
  check(!place.rotary || (config.score != Score::additive && config.linformer == 0),
        "{}: rotary positions need a score that is a dot product, and all keys (no linformer)", name);
}

// Reorders weights from head-major ([nq, nk] per sentence) to sentence-major ([heads, nq, nk] per sentence).
Tensor arrange_weights(Context& cx, const std::vector<Tensor>& heads, const PairLayout& pairs) {
  if (heads.size() == 1) return heads[0].detached().reshaped({pairs.count});
  const Segments& queries = pairs.queries;
  std::vector<std::int32_t> index;
  for (Size s = 0; s < queries.count(); ++s)
    for (Size h = 0; h < std::ssize(heads); ++h) {
      const Size first = pairs.host_starts[queries.begin(s)], count = queries.length(s) * pairs.keys.length(s);
      for (Size i = 0; i < count; ++i) index.push_back(static_cast<std::int32_t>(h * pairs.count + first + i));
    }
  const Tensor order = cx.from_host<std::int32_t>(index, {std::ssize(index)});
  return gather_rows(cx, concat_rows(cx, heads), order).detached().reshaped({std::ssize(index)});
}

// Rows [first, first + count) of a layer as a separate layer.
Linear rows_of(Parameters& list, const Parameter& weight, const Parameter& bias, Size first, Size count) {
  return Linear(list.rows(weight, first, count), bias.defined() ? list.rows(bias, first, count) : Parameter());
}

Tensor whole(Context& cx, const Columns& columns) {
  return columns.count == columns.of.cols() ? columns.of : slice_columns(cx, columns.of, columns.first, columns.count);
}

Tensor whole(RowProgram& program, const Columns& columns) {
  return columns.count == columns.of.cols() ? columns.of : whole(program.run(), columns);
}

// Copies the rows of `keys` to contiguous memory, for scores that are computed pair by pair.
Tensor contiguous(Context& cx, const Columns& columns, const Keys& keys) {
  const Size count = keys.rows.total();
  Columns used = columns;
  if (keys.index.defined())
    used.of = gather_rows(cx, columns.of, keys.index);
  else if (columns.of.rows() != count)
    used.of = slice_rows(cx, columns.of, 0, count);
  return whole(cx, used);
}

}  // namespace

Attention::Attention(Parameters& list, const AttentionPlace& place, const AttentionConfig& config)
    : config_(config), place_(place) {
  refuse_nonsense(place, config);
  const std::string& name = place.name;
  Size query = place.query, key = place.memory, value = place.values > 0 ? place.values : place.memory;
  const bool mixes = config.linformer > 0;
  // The weight has rows for keys, then for values, starting at `row`.
  const auto split = [&](const Parameter& weight, const Parameter& bias, Size row) {
    if (mixes) {
      key_ = rows_of(list, weight, bias, row, key);
      value_ = rows_of(list, weight, bias, row + key, value);
    } else {
      key_value_ = rows_of(list, weight, bias, row, key + value);
      key_columns_ = key;
    }
  };
  if (place.projected) {
    // One matrix, as in PyTorch's MultiheadAttention: rows for queries, then keys, then values.
    const Size d = place.query;
    check(place.memory == d && place.values == 0, "{}: projected attention needs equal sizes, got {} and {}", name, d,
          place.memory);
    query = key = value = config.head_size > 0 ? Size{config.head_size} * config.heads : d;
    const Parameter weight = list.add(name + ".in_proj_weight", {3 * query, d}, Init::glorot());
    const Parameter bias = list.add(name + ".in_proj_bias", {3 * query}, Init::zeros());
    if (place.self && !mixes) {
      own_ = Linear(weight, bias);
      key_columns_ = key;
    } else {
      query_ = rows_of(list, weight, bias, 0, query);
      split(weight, bias, query);
    }
    if (place.out_proj) out_ = Linear(list, name + ".out_proj", value, d);
  } else if (config.key_size > 0) {
    check(place.values == 0, "{}: key-size computes the values from the states, so separate values cannot be used",
          name);
    key = config.key_size;
    value = config.value_size;
    split(list.add(name + ".key_value.weight", {key + value, place.memory}, Init::glorot()), {}, 0);
  }
  add_score(list, query, key);
  if (mixes) {
    const Shape shape{config.linformer, config.linformer_length};
    const double bound = 1 / std::sqrt(static_cast<double>(config.linformer));
    length_keys_ = list.add(name + ".linformer_keys", shape, Init::normal(bound));
    length_values_ = list.add(name + ".linformer_values", shape, Init::normal(bound));
  }
  out_size_ = out_.defined() ? place.query : value;
}

void Attention::add_score(Parameters& list, Size query, Size key) {
  const std::string& name = place_.name;
  switch (config_.score) {
    case Score::dot:
    case Score::scaled_dot:
      check(query == key, "{}: {} compares vectors of one size, but queries have {} and keys {}; use multiplicative",
            name, name_of(config_.score), query, key);
      break;
    case Score::multiplicative: query_score_ = Linear(list, name + ".score", query, key, false, Init::fan_in()); break;
    case Score::reduced_rank:
      query_score_ =
          Linear(list, name + ".score_query", query, Size{config_.rank} * config_.heads, false, Init::fan_in());
      key_score_ = Linear(list, name + ".score_key", key, Size{config_.rank} * config_.heads, false, Init::fan_in());
      break;
    case Score::additive: {
      const Size hidden = config_.inner > 0 ? Size{config_.inner} * config_.heads : place_.query;
      query_score_ = Linear(list, name + ".score_query", query, hidden, false, Init::fan_in());
      key_score_ = Linear(list, name + ".score_key", key, hidden, true, Init::fan_in());
      additive_v_ = list.add(name + ".score_v", {hidden}, Init::uniform(1 / std::sqrt(static_cast<double>(hidden))));
      break;
    }
  }
}

Keys Attention::prepare(RowProgram& program, const Tensor& memory, const Segments& rows, const Tensor& positions,
                        const Tensor& into) const {
  if (!own_.defined()) return make(program.run(), {memory, memory, rows, {}, {}, true}, positions);
  const Tensor all = own_(program, memory, into);
  const Size d = key_columns_;
  Keys result{.keys = {all, d, d}, .values = {all, 2 * d, d}, .rows = rows, .queries = {all, 0, d}, .one_tensor = true};
  if (own_size() == 0) finish(program.run(), result, positions);
  return result;
}

Keys Attention::prepare(Context& cx, const Tensor& memory, const Segments& rows) const {
  RowProgram program(cx);
  const Keys result = prepare(program, memory, rows);
  program.run();
  return result;
}

Keys Attention::prepare(Context& cx, const Tensor& memory, const Tensor& values, const Segments& rows,
                        const Tensor& positions) const {
  return make(cx, {memory, values, rows}, positions);
}

Keys Attention::make(Context& cx, const Keys& memory, const Tensor& positions) const {
  Keys result = config_.linformer > 0 ? mix(cx, memory) : memory;
  if (key_.defined()) {
    result.keys = key_(cx, result.keys.of);
    result.values = value_(cx, result.values.of);
    result.one_tensor = false;
  }
  if (key_value_.defined()) {
    const Tensor both = key_value_(cx, memory.keys.of);
    result.keys = {both, 0, key_columns_};
    result.values = {both, key_columns_, both.cols() - key_columns_};
    result.one_tensor = true;
  }
  finish(cx, result, positions);
  return result;
}

// Linformer (Wang et al. 2020): E X and F X replace the memory X before keys and values are projected. For a weight W,
// E (X W^T) = (E X) W^T, but the right-hand side multiplies k rows per sentence instead of n. Biases are added after
// the projection, where they have the same effect as in exact attention: a bias common to all keys cancels in the
// softmax, and that of the values is added once, since the weights sum to one.
Keys Attention::mix(Context& cx, const Keys& memory) const {
  const Segments& rows = memory.rows;
  check(rows.longest() <= config_.linformer_length,
        "{}: an input of {} tokens is longer than the {} this linformer was made for", place_.name, rows.longest(),
        config_.linformer_length);
  const std::span<std::int32_t> lengths = cx.host_array<std::int32_t>(rows.count());
  std::fill(lengths.begin(), lengths.end(), config_.linformer);
  const Segments mixed = Segments::from_lengths(cx, lengths);
  if (!memory.one_tensor)
    return {.keys = project_length(cx, {length_keys_}, memory.keys.of, rows).first,
            .values = project_length(cx, {length_values_}, memory.values.of, rows).first,
            .rows = mixed};
  const Mixtures both = project_length(cx, {length_keys_, length_values_}, memory.keys.of, rows);
  return {.keys = both.first, .values = both.second, .rows = mixed};
}

Size Attention::own_size() const {
  const bool as_they_are = !key_score_.defined() && !place_.rotary;
  return own_.defined() && as_they_are && !keeps_bf16() ? 3 * key_columns_ : 0;
}

// Only the CPU packs weights in a narrow format, and scores that are computed pair by pair need f32.
bool Attention::keeps_bf16() const {
  const bool by_pairs = config_.score == Score::additive || place_.biased;
  return out_.defined() && !by_pairs && out_.weight().packed_format() != WeightFormat::same;
}

Keys Attention::kept(Context& cx, const Keys& keys) const {
  if (!keeps_bf16()) return keys;
  Keys narrow = keys;
  const Columns &k = keys.keys, &v = keys.values;
  if (keys.one_tensor) {  // the values follow the keys
    const Tensor both = to_bf16(cx, {k.of, k.first, k.count + v.count});
    narrow.keys = {both, 0, k.count};
    narrow.values = {both, k.count, v.count};
  } else {
    narrow.keys = to_bf16(cx, k);
    narrow.values = to_bf16(cx, v);
  }
  return narrow;
}

void Attention::finish(Context& cx, Keys& keys, const Tensor& positions) const {
  if (key_score_.defined()) keys.keys = key_score_(cx, whole(cx, keys.keys));
  if (place_.rotary) keys.keys = rotate(cx, keys.keys, config_.heads, positions);
  if (key_score_.defined() || place_.rotary) keys.one_tensor = false;
}

Attended Attention::attend(Context& cx, const Tensor& x, const Segments& queries, const Keys& keys,
                           const Ask& ask) const {
  RowProgram program(cx);
  const Attended attended = attend(program, x, queries, keys, ask);
  program.run();
  return attended;
}

Attended Attention::attend(RowProgram& program, const Tensor& x, const Segments& queries, const Keys& keys,
                           const Ask& ask) const {
  Columns q = keys.queries;
  // Queries may read keys of other rows, unless the past is in the KV cache and each hypothesis has one new token.
  if (q.of.defined() && !(keys.index.defined() && queries.longest() <= 1)) program.run();
  if (!q.of.defined()) q = query_.defined() ? query_(program, x) : x;
  if (query_score_.defined()) q = query_score_(program, whole(program, q));
  if (place_.rotary) q = rotate(program.run(), q, config_.heads, ask.positions);
  AttentionRecord* const record = AttentionRecord::current();
  const bool wants_weights = ask.weights || record != nullptr;
  Attended attended;
  if (config_.score == Score::additive || ask.bias.defined()) {
    const Tensor asking = whole(program, q);
    attended = attend_by_pairs(program.run(), asking, queries, keys, ask.bias, wants_weights);
  } else {
    // 0 selects the default of the op, 1 / sqrt(size of a head).
    const double scale = config_.score == Score::scaled_dot ? 0 : 1;
    attended = program.attention(q, keys.keys, keys.values, queries, keys.rows,
                                 {.heads = config_.heads,
                                  .causal = place_.causal,
                                  .scale = scale,
                                  .dropout = config_.dropout,
                                  .weights = wants_weights,
                                  .key_rows = keys.index});
  }
  if (record) {
    program.run();
    record->add(place_, config_, attended.weights, queries, keys.rows);
  }
  if (out_.defined()) attended.out = out_(program, attended.out);
  return attended;
}

DotKeys Attention::dot_keys(Context& cx, const Keys& keys) const {
  Tensor k = whole(cx, keys.keys);
  const bool all_columns = keys.keys.count == keys.keys.of.cols() && keys.values.count == keys.values.of.cols();
  const double scale = config_.score == Score::scaled_dot ? 1 / std::sqrt(static_cast<double>(k.cols())) : 1;
  if (query_score_.defined()) k = linear(cx, k, query_score_.weight(), {}, {.transposed = false});
  return {.keys = k,
          .values = whole(cx, keys.values),
          .values_are_keys = keys.one_tensor && all_columns && !query_score_.defined(),
          .rows = keys.rows,
          .scale = scale};
}

Attended Attention::attend_by_pairs(Context& cx, const Tensor& q, const Segments& queries, const Keys& keys,
                                    const Tensor& bias, bool wants_weights) const {
  const Tensor k = contiguous(cx, keys.keys, keys), v = contiguous(cx, keys.values, keys);
  const PairLayout pairs = PairLayout::of(cx, queries, keys.rows);
  const Size heads = config_.heads, head = q.cols() / heads, value = v.cols() / heads;
  const double scale = config_.score == Score::scaled_dot ? 1 / std::sqrt(static_cast<double>(head)) : 1;
  std::vector<Tensor> outs, weights;
  for (Size h = 0; h < heads; ++h) {
    const auto columns = [&](const Tensor& x, Size size) {
      return heads == 1 ? x : slice_columns(cx, x, h * size, size);
    };
    const Tensor hq = columns(q, head), hk = columns(k, head);
    Tensor scores =
        config_.score == Score::additive
            ? additive_scores(cx, hq, hk, columns(additive_v_.tensor().reshaped({1, q.cols()}), head).reshaped({head}),
                              pairs, place_.causal)
            : segment_scores(cx, hq, hk, pairs, scale);
    if (bias.defined()) scores = add(cx, scores, columns(bias, 1).reshaped({pairs.count}));
    const Tensor head_weights = segment_softmax(cx, scores, pairs);
    outs.push_back(segment_mix(cx, dropout(cx, head_weights, config_.dropout), columns(v, value), pairs));
    weights.push_back(head_weights.reshaped({pairs.count, 1}));
  }
  Attended attended{heads == 1 ? outs[0] : concat_columns(cx, outs), {}};
  if (wants_weights) attended.weights = arrange_weights(cx, weights, pairs);
  return attended;
}

}  // namespace dragoman::nn
