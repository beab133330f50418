#include <cstring>

#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

void scatter(Context& cx, const Tensor& index, const Tensor& table, double scale, const Tensor& dy) {
  if (!table.tracked()) return;
  const ops::StatSink dtable(cx, table);
  const ops::Scratch workspace(cx, DType::i32, {2 * index.count()});
  cx.run(table.dtype(), [&](const auto& k) {
    k.scatter_rows({.rows = index.count(),
                    .cols = table.cols(),
                    .table_rows = table.rows(),
                    .index = index.ptr(),
                    .scale = scale,
                    .dy = dy.ptr(),
                    .dtable = dtable.ptr(),
                    .workspace = workspace.ptr()});
  });
}

struct Block {
  Size rows, cols;
  Size from, from_stride, to, to_stride;
};

void copy_block(const Context& cx, const Block& block, const Tensor& from, const Tensor& to, bool accumulate) {
  cx.run(from.dtype(), [&]<class T>(const kernels::Kernels<T>& k) {
    k.copy_block({.rows = block.rows,
                  .cols = block.cols,
                  .from = from.data<T>() + block.from,
                  .from_stride = block.from_stride,
                  .to = to.data<T>() + block.to,
                  .to_stride = block.to_stride,
                  .accumulate = accumulate});
  });
}

Block reversed(const Block& b) { return {b.rows, b.cols, b.to, b.to_stride, b.from, b.from_stride}; }

// A slice may cover only a part of x, so its gradient is accumulated, starting from zeros.
Tensor slice(Context& cx, const char* op, const Tensor& x, Shape shape, const Block& block) {
  const Tensor y = ops::result(cx, x.dtype(), shape, {x});
  copy_block(cx, block, x, y, false);
  if (y.tracked()) y.gradient()->wide = x.gradient()->wide;  // a slice of a weight counts as a weight
  if (y.tracked())
    cx.record(op, {y}, [block, x, y](Context& back) {
      copy_block(back, reversed(block), back.gradient(y), back.gradient(x), true);
    });
  return y;
}

// The block of `whole` that `part` fills; `at` is its first row or column.
Block place(const Tensor& part, const Tensor& whole, bool by_rows, Size at) {
  const Size cols = part.cols();
  return {part.rows(), cols, 0, cols, by_rows ? at * cols : at, whole.cols()};
}

Tensor concat(Context& cx, const char* op, std::span<const Tensor> parts, bool by_rows) {
  check(!parts.empty(), "[{}] expected at least one part", op);
  const auto along = [by_rows](const Tensor& t) { return by_rows ? t.rows() : t.cols(); };
  const auto across = [by_rows](const Tensor& t) { return by_rows ? t.cols() : t.rows(); };
  const std::span<Tensor> kept = cx.host_array<Tensor>(std::ssize(parts));
  Size total = 0;
  bool tracked = false, wide = true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ops::enter(op, cx, {parts[0], parts[i]});
    check(across(parts[i]) == across(parts[0]), "[{}] {} and {} do not fit together", op, parts[0].shape(),
          parts[i].shape());
    total += along(parts[i]);
    tracked |= parts[i].tracked();
    wide = wide && (!parts[i].tracked() || parts[i].gradient()->wide);
    kept[i] = parts[i];
  }
  Tensor y = cx.empty(parts[0].dtype(), by_rows ? Shape{total, parts[0].cols()} : Shape{parts[0].rows(), total});
  if (tracked) y = cx.track(y);
  Size at = 0;
  for (const Tensor& part : parts) {
    copy_block(cx, place(part, y, by_rows, at), part, y, false);
    at += along(part);
  }
  if (!y.tracked()) return y;
  y.gradient()->wide = wide;  // concatenated weights count as a weight
  cx.record(op, {y}, [kept, y, by_rows](Context& back) {
    const Tensor dy = back.gradient(y);
    Size first = 0;
    for (const Tensor& part : kept) {
      if (part.tracked() && part.gradient_type() != dy.dtype()) {  // a weight concatenated with activations
        const ops::SinkAs room(back, part, dy.dtype());
        copy_block(back, reversed(place(part, y, by_rows, first)), dy, room.tensor(), true);
      } else if (const Sink sink = back.sink(part)) {
        copy_block(back, reversed(place(part, y, by_rows, first)), dy, sink.tensor, sink.accumulate);
      }
      first += by_rows ? part.rows() : part.cols();
    }
  });
  return y;
}

// Copies rows of any type on the host.
void copy_rows(const Tensor& x, const Tensor& index, const Tensor& into) {
  const auto size = static_cast<std::size_t>(x.cols() * size_of(x.dtype()));
  const auto* from = static_cast<const char*>(x.raw());
  auto* to = static_cast<char*>(into.raw());
  const std::int32_t* rows = index.ptr();
  for (Size i = 0; i < index.count(); ++i, to += size)
    std::memcpy(to, from + static_cast<std::size_t>(rows[i]) * size, size);
}

}  // namespace

Tensor embedding(Context& cx, const Tensor& ids, const Tensor& table, const EmbeddingOptions& options) {
  constexpr const char* op = "embedding";
  const Tensor& positions = options.positions;
  const Tensor& position_ids = options.position_ids;
  ops::enter(op, cx, {ids, table, positions, position_ids});
  ops::check_ids(op, ids, table.rows());
  check(positions.defined() == position_ids.defined(), "[{}] positions and position_ids must be given together", op);
  if (positions.defined()) {
    check(positions.cols() == table.cols() && position_ids.count() == ids.count(),
          "[{}] positions {} with ids {} do not fit table {} with ids {}", op, positions.shape(), position_ids.shape(),
          table.shape(), ids.shape());
    ops::check_ids(op, position_ids, positions.rows());
  }
  const double scale = options.scale;
  const Tensor y = ops::result(cx, table.dtype(), {ids.count(), table.cols()}, {table, positions});
  const bool unpacks = table.packed_only();
  const Tensor used = unpacks ? unpacked_rows(cx, table, ids) : table;
  const Tensor index = unpacks ? ops::counted(cx, ids.count()) : ids;
  cx.run(table.dtype(), [&](const auto& k) {
    k.gather_rows({.rows = ids.count(),
                   .cols = table.cols(),
                   .index = index.ptr(),
                   .table = used.ptr(),
                   .scale = scale,
                   .position = position_ids.ptr(),
                   .positions = positions.ptr(),
                   .y = y.ptr()});
  });
  ops::leave(op, cx, {y});
  if (y.tracked())
    cx.record(op, {y}, [ids, table, positions, position_ids, y, scale](Context& back) {
      const Tensor dy = back.gradient(y);
      scatter(back, ids, table, scale, dy);
      if (positions.defined()) scatter(back, position_ids, positions, 1, dy);
    });
  return y;
}

Tensor gather_rows(Context& cx, const Tensor& x, const Tensor& index) { return embedding(cx, index, x); }

void gather_rows(Context& cx, const Tensor& x, const Tensor& index, const Tensor& into) {
  constexpr const char* op = "gather_rows";
  ops::enter(op, cx, {x, index, into});
  ops::check_ids(op, index, x.rows());
  check(into.dtype() == x.dtype() && into.rows() == index.count() && into.cols() == x.cols(),
        "[{}] {} rows of {} do not fit into {}", op, index.count(), x.shape(), into.shape());
  check(!cx.recording() || !ops::any_tracked({x}), "[{}] rows written to given memory cannot have gradients", op);
  if (cx.device().on_host()) return copy_rows(x, index, into);
  cx.run(x.dtype(), [&](const auto& k) {
    k.gather_rows({.rows = index.count(), .cols = x.cols(), .index = index.ptr(), .table = x.ptr(), .y = into.ptr()});
  });
}

// Backward applies the inverse permutation.
Tensor permute_rows(Context& cx, const Tensor& x, const Tensor& index, const Tensor& inverse) {
  constexpr const char* op = "permute_rows";
  ops::enter(op, cx, {x, index, inverse});
  ops::check_ids(op, index, x.rows());
  ops::check_ids(op, inverse, x.rows());
  check(index.count() == x.rows() && inverse.count() == x.rows(),
        "[{}] {} and {} are not permutations of the rows of {}", op, index.shape(), inverse.shape(), x.shape());
  const auto take = [](const Context& at, const Tensor& from, const Tensor& rows, const Tensor& to) {
    at.run(from.dtype(), [&](const auto& k) {
      k.gather_rows(
          {.rows = rows.count(), .cols = from.cols(), .index = rows.ptr(), .table = from.ptr(), .y = to.ptr()});
    });
  };
  const Tensor y = ops::result(cx, x.dtype(), x.shape(), {x});
  take(cx, x, index, y);
  ops::leave(op, cx, {y});
  if (y.tracked())
    cx.record(op, {y}, [x, y, inverse, take](Context& back) {
      const Tensor dy = back.gradient(y);
      const Sink dx = back.sink(x);
      if (!dx.accumulate) return take(back, dy, inverse, dx.tensor);
      const ops::Scratch more(back, dy.dtype(), dy.shape());
      take(back, dy, inverse, more.tensor());
      back.run(dy.dtype(),
               [&](const auto& k) { k.combine({.count = dy.count(), .a = dx.ptr(), .b = more.ptr(), .y = dx.ptr()}); });
    });
  return y;
}

Tensor slice_rows(Context& cx, const Tensor& x, Size first, Size count) {
  constexpr const char* op = "slice_rows";
  ops::enter(op, cx, {x});
  check(first >= 0 && count >= 0 && first + count <= x.rows(), "[{}] rows {} to {} are not within {}", op, first,
        first + count, x.shape());
  const Size d = x.cols();
  return slice(cx, op, x, {count, d}, {count, d, first * d, d, 0, d});
}

Tensor slice_columns(Context& cx, const Tensor& x, Size first, Size count) {
  constexpr const char* op = "slice_columns";
  ops::enter(op, cx, {x});
  check(first >= 0 && count >= 0 && first + count <= x.cols(), "[{}] columns {} to {} are not within {}", op, first,
        first + count, x.shape());
  return slice(cx, op, x, {x.rows(), count}, {x.rows(), count, first, x.cols(), 0, count});
}

Tensor concat_rows(Context& cx, std::span<const Tensor> parts) { return concat(cx, "concat_rows", parts, true); }

Tensor concat_columns(Context& cx, std::span<const Tensor> parts) { return concat(cx, "concat_columns", parts, false); }

}  // namespace dragoman
