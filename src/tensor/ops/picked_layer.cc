#include "tensor/picked_layer.h"

#include <algorithm>
#include <limits>

#include "tensor/ops/door.h"

namespace dragoman {
namespace {

// Checks the arguments of an op with picked layers.
void enter_picked(const char* op, const Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                  std::span<const PickedRows> rows) {
  ops::enter(op, cx, {x, weight, bias});
  check(weight.shape().rank() == 2 && x.cols() == weight.shape()[1], "[{}] x {} does not fit weight {}", op, x.shape(),
        weight.shape());
  check(x.dtype() == DType::f32 && weight.packed() != nullptr && weight.device().on_host(),
        "[{}] expected f32 and a packed weight in the host's memory", op);
  Size covered = 0;
  for (const PickedRows& part : rows) covered += part.count;
  check(covered == x.rows(), "[{}] expected words for {} rows but got them for {}", op, x.rows(), covered);
}

// The layer of some rows as arguments of a kernel: a picked one or the whole.
struct PickedArguments {
  Size out;
  const void* packed;
  const float* bias;

  PickedArguments(const Tensor& weight, const Tensor& whole_bias, const PickedLayer* layer)
      : out(layer ? std::ssize(layer->words()) : weight.rows()),
        packed(layer ? layer->packed() : weight.packed()),
        bias(layer ? layer->bias() : static_cast<const float*>(whole_bias.ptr())) {}
};

}  // namespace

PickedLayer::PickedLayer(const Tensor& weight, const Tensor& bias, std::vector<std::int32_t> words)
    : words_(std::move(words)), packed_(nullptr, Release{&weight.device()}) {
  constexpr const char* op = "pick_columns";
  check(weight.shape().rank() == 2 && weight.dtype() == DType::f32 && weight.device().on_host() && weight.packed(),
        "[{}] expected a packed f32 weight in the host's memory but got {} of {}", op, weight.shape(),
        name_of(weight.dtype()));
  const Size all = weight.shape()[0], in = weight.shape()[1], count = std::ssize(words_);
  for (const std::int32_t word : words_) check(word >= 0 && word < all, "[{}] word {} is not one of {}", op, word, all);
  check(!bias.defined() || bias.count() == all, "[{}] bias {} does not fit weight {}", op, bias.shape(),
        weight.shape());
  if (bias.defined())
    for (const std::int32_t word : words_) bias_.push_back(bias.data<float>()[word]);
  const kernels::Kernels<float>& k = weight.device().kernels<float>();
  Size bytes = 0;
  k.pack_weight({.in = in, .out = count, .format = weight.packed_format(), .bytes = &bytes});
  packed_.reset(weight.device().allocate(static_cast<std::size_t>(std::max<Size>(bytes, 1))));
  k.pick_columns({.in = in,
                  .out = all,
                  .count = count,
                  .format = weight.packed_format(),
                  .weight = static_cast<const float*>(weight.raw()),
                  .packed = weight.packed(),
                  .columns = words_.data(),
                  .picked = packed_.get()});
}

Best top_scores(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias, Size count,
                std::span<const PickedRows> rows) {
  constexpr const char* op = "top_scores";
  enter_picked(op, cx, x, weight, bias, rows);
  const Best best{cx.empty(DType::f32, {x.rows()}), cx.empty(DType::f32, {x.rows(), count}),
                  cx.empty(DType::i32, {x.rows(), count})};
  const kernels::Kernels<float>& k = weight.device().kernels<float>();
  Size first = 0;
  for (const PickedRows& part : rows) {
    const PickedArguments layer(weight, bias, part.layer);
    std::int32_t* ids = best.columns.data<std::int32_t>() + first * count;
    k.top_scores({.rows = part.count,
                  .in = x.cols(),
                  .out = layer.out,
                  .best = count,
                  .format = weight.packed_format(),
                  .x = x.data<float>() + first * x.cols(),
                  .packed = layer.packed,
                  .bias = layer.bias,
                  .log_sum = best.log_sum.data<float>() + first,
                  .scores = best.values.data<float>() + first * count,
                  .ids = ids});
    if (part.layer)
      for (Size i = 0; i < part.count * count; ++i)
        if (ids[i] >= 0) ids[i] = part.layer->words()[static_cast<std::size_t>(ids[i])];
    first += part.count;
  }
  ops::leave(op, cx, {best.log_sum});
  return best;
}

Tensor picked_logits(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                     std::span<const PickedRows> rows) {
  constexpr const char* op = "picked_logits";
  enter_picked(op, cx, x, weight, bias, rows);
  const Size all = weight.shape()[0];
  const Tensor logits = cx.empty(DType::f32, {x.rows(), all});
  const kernels::Kernels<float>& k = weight.device().kernels<float>();
  Size first = 0;
  for (const PickedRows& part : rows) {
    const PickedArguments layer(weight, bias, part.layer);
    float* y = logits.data<float>() + first * all;
    const ops::Scratch some(cx, DType::f32, {part.layer ? part.count : 0, layer.out});
    k.linear_packed({.rows = part.count,
                     .in = x.cols(),
                     .out = layer.out,
                     .format = weight.packed_format(),
                     .x = x.data<float>() + first * x.cols(),
                     .packed = layer.packed,
                     .bias = layer.bias,
                     .y = part.layer ? some.tensor().data<float>() : y});
    if (part.layer) {
      std::fill_n(y, part.count * all, -std::numeric_limits<float>::infinity());
      const float* from = some.tensor().data<float>();
      for (Size r = 0; r < part.count; ++r)
        for (const std::int32_t word : part.layer->words()) y[r * all + word] = *from++;
    }
    first += part.count;
  }
  return logits;
}

}  // namespace dragoman
