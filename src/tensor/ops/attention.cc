#include <cmath>

#include "tensor/ops/calls.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

// The columns of a tensor that an op reads, and the number of rows.
struct Part {
  const Columns& columns;
  Size rows;

  Size last() const { return columns.first + columns.count; }
  bool shares_tensor(const Part& other) const { return columns.of.raw() == other.columns.of.raw(); }
  bool overlaps(const Part& other) const { return columns.first < other.last() && other.columns.first < last(); }
};

// Where to write the gradients of queries, keys and values, which may be columns of one tensor. Gradients that together
// cover their tensor may overwrite it; all others are accumulated, starting from zeros.
struct Sinks {
  Sink queries, keys, values;

  Sinks(const Context& cx, const Part& q, const Part& k, const Part& v) {
    const auto fills = [&](const Part& part) {
      Size columns = 0;
      for (const Part* other : {&q, &k, &v}) {
        if (!part.shares_tensor(*other)) continue;
        if (other != &part && part.overlaps(*other)) return false;
        columns += other->columns.count;
      }
      return columns == part.columns.of.cols() && part.rows == part.columns.of.rows();
    };
    const auto sink_of = [&](const Part& part) -> Sink {
      if (!part.columns.of.tracked()) return {};
      if (fills(part)) return cx.sink(part.columns.of);
      return {cx.gradient(part.columns.of), true};
    };
    queries = sink_of(q);
    keys = k.shares_tensor(q) ? queries : sink_of(k);
    values = v.shares_tensor(q) ? queries : v.shares_tensor(k) ? keys : sink_of(v);
  }
};

template <class T>
T* first_column(const Tensor& tensor, const Columns& columns) {
  return tensor.defined() ? tensor.data<T>() + columns.first : nullptr;
}

void check_columns(const char* op, const char* what, const Columns& columns, Size rows, Size heads) {
  check(columns.of.rows() >= rows && columns.first + columns.count <= columns.of.cols() && columns.count % heads == 0,
        "[{}] {} {} (columns {} to {}) do not fit: expected at least {} rows and columns that divide into {} heads", op,
        what, columns.of.shape(), columns.first, columns.first + columns.count, rows, heads);
}

}  // namespace

ops::AttentionCall ops::attention_call(Context& cx, const Columns& q, const Columns& k, const Columns& v,
                                       const Segments& queries, const Segments& keys, const AttentionOptions& options) {
  constexpr const char* op = "attention";
  ops::enter(op, cx, {q.of});
  ops::enter(op, cx, {k.of, v.of});
  const bool narrow = k.of.dtype() == DType::bf16 && cx.device().on_host();
  check(narrow ? !ops::any_tracked({q.of}) : k.of.dtype() == q.of.dtype(),
        "[{}] queries of {} cannot read keys of {}{}", op, name_of(q.of.dtype()), name_of(k.of.dtype()),
        narrow ? " with gradients" : "");
  const Size heads = options.heads;
  check(heads >= 1, "[{}] expected at least one head but got {}", op, heads);
  check(queries.count() == keys.count(), "[{}] queries have {} sentences but keys have {}", op, queries.count(),
        keys.count());
  check_columns(op, "queries", q, queries.total(), heads);
  const Tensor key_rows = options.key_rows;
  check(!key_rows.defined() || key_rows.count() == keys.total(), "[{}] got {} key rows for {} keys", op,
        key_rows.count(), keys.total());
  check(!key_rows.defined() || !ops::any_tracked({q.of, k.of, v.of}), "[{}] key_rows cannot be used with gradients",
        op);
  check_columns(op, "keys", k, key_rows.defined() ? 0 : keys.total(), heads);
  check_columns(op, "values", v, key_rows.defined() ? 0 : keys.total(), heads);
  check(q.count == k.count, "[{}] queries {} and keys {} differ in size: {} and {} columns", op, q.of.shape(),
        k.of.shape(), q.count, k.count);

  const DType type = q.of.dtype();
  AttentionCall call{q, k, v, queries, keys, options, cx.next_dropout(options.dropout), {}, {}, {}};
  const Size head_size = k.count / heads;
  if (options.scale == 0) call.options.scale = 1 / std::sqrt(static_cast<double>(head_size));
  call.out = ops::result(cx, type, {queries.total(), v.count}, {q.of, k.of, v.of});
  if (call.out.tracked() || !cx.device().on_host()) call.log_sum = cx.empty(stat_of(type), {queries.total(), heads});
  if (options.weights) {
    Size pairs = 0;
    for (Size s = 0; s < queries.count(); ++s) pairs += queries.length(s) * keys.length(s);
    call.weights = cx.empty(type, {heads * pairs});
  }
  return call;
}

Attended attention(Context& cx, const Columns& q, const Columns& k, const Columns& v, const Segments& queries,
                   const Segments& keys, const AttentionOptions& options) {
  constexpr const char* op = "attention";
  const ops::AttentionCall call = ops::attention_call(cx, q, k, v, queries, keys, options);
  const Tensor out = call.out;
  const Attended attended{out, call.weights};
  cx.run(out.dtype(), [&]<class T>(const kernels::Kernels<T>& kernels) { kernels.attention(call.arguments<T>()); });
  ops::leave(op, cx, {out});
  if (!out.tracked()) return attended;
  cx.record(op, {out}, [call](Context& back) {
    const Tensor dout = back.gradient(call.out);
    const Size asked = call.keys.total();
    const Sinks sinks(back, {call.q, call.queries.total()}, {call.k, asked}, {call.v, asked});
    const Sink &dq = sinks.queries, &dk = sinks.keys, &dv = sinks.values;
    back.run(dout.dtype(), [&]<class T>(const kernels::Kernels<T>& kernels) {
      kernels::Attention<T> forward = call.arguments<T>();
      forward.weights = nullptr;
      kernels.attention_backward({.forward = forward,
                                  .dout = dout.ptr(),
                                  .dq = first_column<T>(dq.tensor, call.q),
                                  .dk = first_column<T>(dk.tensor, call.k),
                                  .dv = first_column<T>(dv.tensor, call.v),
                                  .dq_stride = forward.q_stride,
                                  .dk_stride = forward.k_stride,
                                  .dv_stride = forward.v_stride,
                                  .accumulate_dq = dq.accumulate,
                                  .accumulate_dk = dk.accumulate,
                                  .accumulate_dv = dv.accumulate});
    });
  });
  return attended;
}

Tensor additive_scores(Context& cx, const Tensor& q, const Tensor& k, const Tensor& v, const PairLayout& pairs,
                       bool causal) {
  constexpr const char* op = "additive_scores";
  ops::enter(op, cx, {q, k, v});
  check(q.cols() == k.cols() && v.count() == q.cols(), "[{}] queries {}, keys {} and v {} differ in size", op,
        q.shape(), k.shape(), v.shape());
  check(q.rows() == pairs.queries.total() && k.rows() == pairs.keys.total(),
        "[{}] queries {} and keys {} do not fit: expected {} and {} rows", op, q.shape(), k.shape(),
        pairs.queries.total(), pairs.keys.total());
  const Tensor scores = ops::result(cx, q.dtype(), {pairs.count}, {q, k, v});
  const Segments queries = pairs.queries, keys = pairs.keys;
  const auto arguments = [=]<class T>(const kernels::Kernels<T>&) {
    return kernels::AdditiveScores<T>{.sentences = queries.count(),
                                      .size = q.cols(),
                                      .causal = causal,
                                      .queries = queries.total(),
                                      .keys = keys.total(),
                                      .query_offsets = queries.offsets().ptr(),
                                      .key_offsets = keys.offsets().ptr(),
                                      .q = q.ptr(),
                                      .k = k.ptr(),
                                      .v = v.ptr(),
                                      .scores = scores.ptr()};
  };
  cx.run(q.dtype(), [&](const auto& kernels) { kernels.additive_scores(arguments(kernels)); });
  ops::leave(op, cx, {scores});
  if (!scores.tracked()) return scores;
  cx.record(op, {scores}, [arguments, q, k, v, scores](Context& back) {
    const Tensor dscores = back.gradient(scores);
    const Sink dq = back.sink(q), dk = back.sink(k);
    const ops::StatSink dv(back, v);
    back.run(q.dtype(), [&](const auto& kernels) {
      kernels.additive_scores_backward({.forward = arguments(kernels),
                                        .dscores = dscores.ptr(),
                                        .dq = dq.ptr(),
                                        .dk = dk.ptr(),
                                        .accumulate_dq = dq.accumulate,
                                        .accumulate_dk = dk.accumulate,
                                        .dv = dv.ptr()});
    });
  });
  return scores;
}

}  // namespace dragoman
