#include <algorithm>

#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

// The weight remains to be set.
template <class T>
kernels::PackWeight<T> packing_of(const Tensor& weight) {
  check(weight.shape().rank() == 2, "[pack_weight] expected a weight of two sizes but got {}", weight.shape());
  return {.in = weight.shape()[1], .out = weight.shape()[0]};
}

template <class F>
void with_kernels(const Tensor& weight, F&& f) {
  switch (weight.dtype()) {
    case DType::f32: return f(weight.device().kernels<float>(), packing_of<float>(weight));
    case DType::f64: return f(weight.device().kernels<double>(), packing_of<double>(weight));
    case DType::bf16: return f(weight.device().kernels<kernels::bf16>(), packing_of<kernels::bf16>(weight));
    default: fail("[pack_weight] expected a weight of f32, f64 or bf16 but got {}", name_of(weight.dtype()));
  }
}

}  // namespace

std::size_t packed_bytes(const Tensor& weight, WeightFormat format) {
  Size bytes = 0;
  with_kernels(weight, [&](const auto& k, auto packing) {
    packing.format = format;
    packing.bytes = &bytes;
    k.pack_weight(packing);
  });
  return static_cast<std::size_t>(bytes);
}

void pack_weight(const Tensor& weight, void* packed, WeightFormat format) {
  check(format == WeightFormat::same || weight.device().on_host(),
        "[pack_weight] narrow formats are for the CPU; on a GPU a weight is packed as it is");
  with_kernels(weight, [&](const auto& k, auto packing) {
    packing.format = format;
    packing.weight = weight.ptr();
    packing.packed = packed;
    k.pack_weight(packing);
  });
}

void pack_weight(const Tensor& weight, void* packed, const std::int8_t* numbers, const float* scales) {
  check(weight.dtype() == DType::f32 && weight.device().on_host(), "[pack_weight] int8 is for the CPU and for f32");
  kernels::PackWeight<float> packing = packing_of<float>(weight);
  packing.format = WeightFormat::int8;
  packing.numbers = numbers;
  packing.scales = scales;
  packing.packed = packed;
  weight.device().kernels<float>().pack_weight(packing);
}

void pack_weight(const Tensor& weight, void* packed, const kernels::bf16* halves) {
  check(weight.dtype() == DType::f32 && weight.device().on_host(),
        "[pack_weight] rows of bf16 are for the CPU and for f32");
  kernels::PackWeight<float> packing = packing_of<float>(weight);
  packing.format = WeightFormat::bf16;
  packing.halves = halves;
  packing.packed = packed;
  weight.device().kernels<float>().pack_weight(packing);
}

Tensor packed_for_steps(Context& cx, const Tensor& weight, WeightFormat format) {
  const Tensor memory = cx.empty(DType::i8, {static_cast<Size>(packed_bytes(weight, format))});
  pack_weight(weight, memory.raw(), format);
  Tensor result = weight;
  result.set_packed(memory.raw(), format);
  return result;
}

Tensor packed_row(Context& cx, const Tensor& weight, Size row) {
  if (!weight.packed_only()) return packed_for_steps(cx, weight.row_view(row, 1), weight.packed_format());
  const auto index = static_cast<std::int32_t>(row);
  const Tensor column = cx.from_host<std::int32_t>({&index, 1}, {1});
  Tensor result(nullptr, weight.dtype(), {1, weight.cols()}, weight.device());
  const Tensor memory = cx.empty(DType::i8, {static_cast<Size>(packed_bytes(result, weight.packed_format()))});
  result.set_packed(memory.raw(), weight.packed_format());
  cx.run(weight.dtype(), [&](const auto& k) {
    k.pick_columns({.in = weight.cols(),
                    .out = weight.rows(),
                    .count = 1,
                    .format = weight.packed_format(),
                    .packed = weight.packed(),
                    .columns = column.ptr(),
                    .picked = memory.raw()});
  });
  return result;
}

Tensor unpacked_rows(Context& cx, const Tensor& weight, const Tensor& rows) {
  constexpr const char* op = "unpack_columns";
  ops::enter(op, cx, {weight, rows});
  ops::check_ids(op, rows, weight.rows());
  check(weight.packed() != nullptr, "[{}] expected a packed weight but got a plain one, {}", op, weight.shape());
  const Tensor y = cx.empty(weight.dtype(), {rows.count(), weight.cols()});
  cx.run(weight.dtype(), [&](const auto& k) {
    k.unpack_columns({.in = weight.cols(),
                      .out = weight.rows(),
                      .count = rows.count(),
                      .format = weight.packed_format(),
                      .packed = weight.packed(),
                      .columns = rows.ptr(),
                      .y = y.ptr()});
  });
  return y;
}

Tensor plain_weight(Context& cx, const Tensor& weight) {
  return weight.packed_only() ? unpacked_rows(cx, weight, ops::counted(cx, weight.rows())) : weight;
}

Best top_scores(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, Size count) {
  constexpr const char* op = "top_scores";
  ops::enter(op, cx, {x, weight, bias});
  check(weight.shape().rank() == 2 && x.cols() == weight.shape()[1], "[{}] x {} does not fit weight {}", op, x.shape(),
        weight.shape());
  const Size rows = x.rows(), words = weight.shape()[0];
  check(!bias.defined() || bias.count() == words, "[{}] bias {} does not fit weight {}: expected {} values", op,
        bias.shape(), weight.shape(), words);
  check(count >= 0, "[{}] expected to choose 0 columns or more but got {}", op, count);
  const Tensor packed = weight.packed() ? weight : packed_for_steps(cx, weight);
  const Best best{cx.empty(stat_of(x.dtype()), {rows}), cx.empty(stat_of(x.dtype()), {rows, count}),
                  cx.empty(DType::i32, {rows, count})};
  cx.run(x.dtype(), [&](const auto& k) {
    k.top_scores({.rows = rows,
                  .in = x.cols(),
                  .out = words,
                  .best = count,
                  .format = packed.packed_format(),
                  .x = x.ptr(),
                  .packed = packed.packed(),
                  .bias = bias.ptr(),
                  .log_sum = best.log_sum.ptr(),
                  .scores = best.values.ptr(),
                  .ids = best.columns.ptr()});
  });
  ops::leave(op, cx, {best.log_sum});
  return best;
}

}  // namespace dragoman
