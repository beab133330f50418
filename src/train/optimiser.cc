#include "train/optimiser.h"

#include <algorithm>

namespace dragoman::train {
namespace {

// Elements [first, first + count) of a flat tensor.
Tensor part(const Tensor& flat, Size first, Size count) {
  if (!flat.defined()) return {};
  return {static_cast<char*>(flat.raw()) + first * size_of(flat.dtype()), flat.dtype(), {count}, flat.device()};
}

// to = alpha * a + beta * b.
void combine(const Tensor& to, double alpha, const Tensor& a, double beta, const Tensor& b) {
  const auto arguments = [&]<class T>(const kernels::Kernels<T>& k) {
    k.combine({.count = to.count(), .alpha = alpha, .beta = beta, .a = a.ptr(), .b = b.ptr(), .y = to.ptr()});
  };
  if (to.dtype() == DType::f64)
    arguments(to.device().kernels<double>());
  else
    arguments(to.device().kernels<float>());
}

void copy(const Tensor& to, const Tensor& from) { combine(to, 1, from, 0, {}); }

}  // namespace

Optimiser::Optimiser(const OptimiserOptions& options, const nn::Parameters& parameters)
    : options_(options),
      weights_(parameters.weights()),
      gradients_(parameters.gradients()),
      copy_(parameters.copy()),
      ranges_(find_ranges(parameters, options.weight_decay > 0)) {
  const bool adam = options.kind != OptimiserKind::sgd;
  if (adam || options.momentum > 0) first_ = Buffer(weights_.device(), weights_.dtype(), weights_.count());
  if (adam) second_ = Buffer(weights_.device(), weights_.dtype(), weights_.count());
}

std::vector<Optimiser::Range> Optimiser::find_ranges(const nn::Parameters& parameters, bool decay) {
  std::vector<Range> ranges;
  const auto& entries = parameters.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].trainable) continue;
    // The range includes the padding up to the next parameter, so that adjacent ranges merge.
    const Size end = i + 1 < entries.size() ? entries[i + 1].offset : parameters.weights().count();
    const bool decays = decay && entries[i].shape.rank() > 1;
    if (!ranges.empty() && ranges.back().first + ranges.back().count == entries[i].offset &&
        ranges.back().decays == decays)
      ranges.back().count = end - ranges.back().first;
    else
      ranges.push_back({entries[i].offset, end - entries[i].offset, decays});
  }
  check(!ranges.empty(), "every parameter is frozen: there is nothing to train");
  return ranges;
}

void Optimiser::step(double rate, std::uint64_t update, const Tensor& squares) {
  for (const Range& range : ranges_) step_range(range, rate, update, {squares, options_.clip});
}

void Optimiser::step_range(const Range& range, double rate, std::uint64_t update, const Clip& clip) {
  const auto of = [&](const Tensor& flat) { return part(flat, range.first, range.count); };
  const double decay = range.decays ? options_.weight_decay : 0;
  if (options_.kind == OptimiserKind::sgd)
    return sgd_step(of(weights_), of(gradients_), of(first_.tensor()), {options_.momentum, decay}, rate, clip,
                    of(copy_));
  const AdamSettings settings{options_.beta1, options_.beta2, options_.epsilon, decay,
                              options_.kind == OptimiserKind::adamw};
  adam_step(of(weights_), of(gradients_), {of(first_.tensor()), of(second_.tensor())}, settings, rate,
            static_cast<Size>(update), clip, of(copy_));
}

std::vector<std::pair<std::string, Tensor>> Optimiser::state() const {
  std::vector<std::pair<std::string, Tensor>> tensors;
  if (first_.defined()) tensors.emplace_back("first", first_.tensor());
  if (second_.defined()) tensors.emplace_back("second", second_.tensor());
  return tensors;
}

MovingAverage::MovingAverage(double memory, const Tensor& weights, const Tensor& copy_of_weights)
    : memory_(memory),
      weights_(weights),
      copy_(copy_of_weights),
      average_(weights.device(), weights.dtype(), weights.count()),
      spare_(weights.device(), weights.dtype(), weights.count()) {
  copy(average_.tensor(), weights_);
}

void MovingAverage::update(std::uint64_t update) {
  const auto count = static_cast<double>(update);
  const double memory = std::min(memory_, (1 + count) / (10 + count));
  combine(average_.tensor(), memory, average_.tensor(), 1 - memory, weights_);
}

void MovingAverage::swap() {
  copy(spare_.tensor(), weights_);
  copy(weights_, average_.tensor());
  copy(average_.tensor(), spare_.tensor());
  if (!copy_.defined()) return;
  copy_.device().kernels<float>().to_bf16({.count = weights_.count(), .x = weights_.ptr(), .y = copy_.ptr()});
}

}  // namespace dragoman::train
