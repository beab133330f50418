#include "tensor/picked_layer.h"

#include <algorithm>
#include <cmath>
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

constexpr float kNever = -std::numeric_limits<float>::infinity();

// A layer as arguments of a kernel: a picked one or the whole.
struct LayerArguments {
  Size out;
  const void* packed;
  const float* bias;

  LayerArguments(const Tensor& weight, const Tensor& whole_bias, const PickedLayer* layer)
      : out(layer ? std::ssize(layer->words()) : weight.rows()),
        packed(layer ? layer->packed() : weight.packed()),
        bias(layer ? layer->bias() : static_cast<const float*>(whole_bias.ptr())) {}
};

// Calls own(first row, rows, layer) for the layers of the parts, where null means all words, and common(first row,
// rows, layer) for those that adjacent parts have in common.
template <class Own, class Common>
void each_layer(std::span<const PickedRows> rows, Own&& own, Common&& common) {
  Size first = 0;
  for (const PickedRows& part : rows) {
    if (part.layer || !part.common) own(first, part.count, part.layer);
    first += part.count;
  }
  first = 0;
  for (std::size_t i = 0; i < rows.size();) {
    const PickedLayer* const layer = rows[i].common;
    Size count = 0;
    for (; i < rows.size() && rows[i].common == layer; ++i) count += rows[i].count;
    if (layer) common(first, count, *layer);
    first += count;
  }
}

// The best words of a row, from the best one down, and the log-sum-exp of all its words.
struct BestOfRow {
  float& log_sum;
  std::span<float> scores;
  std::span<std::int32_t> ids;

  BestOfRow(const Best& best, Size row)
      : log_sum(best.log_sum.data<float>()[row]),
        scores(best.values.data<float>() + row * best.values.cols(), static_cast<std::size_t>(best.values.cols())),
        ids(best.columns.data<std::int32_t>() + row * best.values.cols(), scores.size()) {}

  // Takes in other words.
  void add(const BestOfRow& other) {
    const float larger = std::max(log_sum, other.log_sum), smaller = std::min(log_sum, other.log_sum);
    if (smaller != kNever)
      log_sum = larger + std::log1p(std::exp(smaller - larger));
    else
      log_sum = larger;
    const std::vector<float> own_scores(scores.begin(), scores.end());
    const std::vector<std::int32_t> own_ids(ids.begin(), ids.end());
    for (std::size_t i = 0, a = 0, b = 0; i < scores.size(); ++i) {
      const bool takes_own =
          own_scores[a] != other.scores[b] ? own_scores[a] > other.scores[b] : own_ids[a] < other.ids[b];
      scores[i] = takes_own ? own_scores[a] : other.scores[b];
      ids[i] = takes_own ? own_ids[a++] : other.ids[b++];
    }
  }
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
  const auto empty = [&](Size size) {
    return Best{cx.empty(DType::f32, {size}), cx.empty(DType::f32, {size, count}), cx.empty(DType::i32, {size, count})};
  };
  const auto score = [&](Size first, Size size, const PickedLayer* layer, const Best& best, Size at) {
    const LayerArguments arguments(weight, bias, layer);
    std::int32_t* ids = best.columns.data<std::int32_t>() + at * count;
    weight.device().kernels<float>().top_scores({.rows = size,
                                                 .in = x.cols(),
                                                 .out = arguments.out,
                                                 .best = count,
                                                 .format = weight.packed_format(),
                                                 .x = x.data<float>() + first * x.cols(),
                                                 .packed = arguments.packed,
                                                 .bias = arguments.bias,
                                                 .log_sum = best.log_sum.data<float>() + at,
                                                 .scores = best.values.data<float>() + at * count,
                                                 .ids = ids});
    if (layer)
      for (Size i = 0; i < size * count; ++i)
        if (ids[i] >= 0) ids[i] = layer->words()[static_cast<std::size_t>(ids[i])];
  };
  const Best best = empty(x.rows());
  std::fill_n(best.log_sum.data<float>(), x.rows(), kNever);
  std::fill_n(best.values.data<float>(), x.rows() * count, kNever);
  std::fill_n(best.columns.data<std::int32_t>(), x.rows() * count, -1);
  each_layer(
      rows, [&](Size first, Size size, const PickedLayer* layer) { score(first, size, layer, best, first); },
      [&](Size first, Size size, const PickedLayer& layer) {
        const Best common = empty(size);
        score(first, size, &layer, common, 0);
        for (Size r = 0; r < size; ++r) BestOfRow(best, first + r).add(BestOfRow(common, r));
      });
  ops::leave(op, cx, {best.log_sum});
  return best;
}

Tensor picked_logits(Context& cx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                     std::span<const PickedRows> rows) {
  constexpr const char* op = "picked_logits";
  enter_picked(op, cx, x, weight, bias, rows);
  const Size all = weight.shape()[0];
  const Tensor logits = cx.empty(DType::f32, {x.rows(), all});
  std::fill_n(logits.data<float>(), x.rows() * all, kNever);
  const auto multiply = [&](Size first, Size size, const PickedLayer* layer) {
    const LayerArguments arguments(weight, bias, layer);
    float* y = logits.data<float>() + first * all;
    const ops::Scratch some(cx, DType::f32, {layer ? size : 0, arguments.out});
    weight.device().kernels<float>().linear_packed({.rows = size,
                                                    .in = x.cols(),
                                                    .out = arguments.out,
                                                    .format = weight.packed_format(),
                                                    .x = x.data<float>() + first * x.cols(),
                                                    .packed = arguments.packed,
                                                    .bias = arguments.bias,
                                                    .y = layer ? some.tensor().data<float>() : y});
    if (!layer) return;
    const float* from = some.tensor().data<float>();
    for (Size r = 0; r < size; ++r)
      for (const std::int32_t word : layer->words()) y[r * all + word] = *from++;
  };
  each_layer(rows, multiply, [&](Size first, Size size, const PickedLayer& layer) { multiply(first, size, &layer); });
  return logits;
}

}  // namespace dragoman
