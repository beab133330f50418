#include "train/optimiser.h"

#include <algorithm>

#include "train/flat.h"

namespace dragoman::train {

Optimiser::Optimiser(const OptimiserOptions& options, const nn::Parameters& parameters, const Share* share)
    : options_(options),
      weights_(parameters.weights()),
      gradients_(parameters.gradients()),
      copy_(parameters.copy()),
      share_(share != nullptr ? *share : Share(weights_.count())) {
  for (const Range& range : find_ranges(parameters, options.weight_decay > 0)) add_own_parts(range);
  const bool adam = options.kind != OptimiserKind::sgd;
  if (adam || options.momentum > 0) first_ = Buffer(weights_.device(), weights_.dtype(), share_.count());
  if (adam) second_ = Buffer(weights_.device(), weights_.dtype(), share_.count());
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
      ranges.push_back({entries[i].offset, end - entries[i].offset, decays, 0});
  }
  check(!ranges.empty(), "every parameter is frozen: there is nothing to train");
  return ranges;
}

void Optimiser::add_own_parts(const Range& range) {
  for (const Piece& piece : share_.pieces()) {
    const Size first = std::max(range.first, piece.first);
    const Size end = std::min(range.first + range.count, piece.first + piece.count);
    if (first < end) ranges_.push_back({first, end - first, range.decays, piece.local + first - piece.first});
  }
}

void Optimiser::step(double rate, std::uint64_t update, const Tensor& squares) {
  for (const Range& range : ranges_) step_range(range, rate, update, {squares, options_.clip});
}

void Optimiser::step_range(const Range& range, double rate, std::uint64_t update, const Clip& clip) {
  const auto of = [&](const Tensor& flat) { return slice(flat, range.first, range.count); };
  const auto own = [&](const Buffer& moments) { return slice(moments.tensor(), range.local, range.count); };
  const double decay = range.decays ? options_.weight_decay : 0;
  if (options_.kind == OptimiserKind::sgd)
    return sgd_step(of(weights_), of(gradients_), own(first_), {options_.momentum, decay}, rate, clip, of(copy_));
  const AdamSettings settings{options_.beta1, options_.beta2, options_.epsilon, decay,
                              options_.kind == OptimiserKind::adamw};
  adam_step(of(weights_), of(gradients_), {own(first_), own(second_)}, settings, rate, static_cast<Size>(update), clip,
            of(copy_));
}

std::vector<std::pair<std::string, Tensor>> Optimiser::state() const {
  std::vector<std::pair<std::string, Tensor>> tensors;
  if (first_.defined()) tensors.emplace_back("first", first_.tensor());
  if (second_.defined()) tensors.emplace_back("second", second_.tensor());
  return tensors;
}

MovingAverage::MovingAverage(double memory, const Tensor& weights, const Tensor& copy_of_weights, const Share* share)
    : memory_(memory),
      weights_(weights),
      copy_(copy_of_weights),
      share_(share != nullptr ? *share : Share(weights.count())),
      average_(weights.device(), weights.dtype(), weights.count()),
      spare_(weights.device(), weights.dtype(), weights.count()) {
  copy(average_.tensor(), weights_);
}

void MovingAverage::update(std::uint64_t update) {
  const auto count = static_cast<double>(update);
  const double memory = std::min(memory_, (1 + count) / (10 + count));
  for (const Piece& piece : share_.pieces()) {
    const Tensor own = slice(average_.tensor(), piece.first, piece.count);
    combine(own, memory, own, 1 - memory, slice(weights_, piece.first, piece.count));
  }
}

void MovingAverage::swap() {
  copy(spare_.tensor(), weights_);
  copy(weights_, average_.tensor());
  copy(average_.tensor(), spare_.tensor());
  if (!copy_.defined()) return;
  copy_.device().kernels<float>().to_bf16({.count = weights_.count(), .x = weights_.ptr(), .y = copy_.ptr()});
}

}  // namespace dragoman::train
