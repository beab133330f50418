#include "train/optimiser.h"

#include <algorithm>

#include "train/flat.h"

namespace dragoman::train {
namespace {

constexpr Size kSpare = Size{1} << 20;  // elements that are swapped at a time

}  // namespace

Optimiser::Optimiser(const OptimiserOptions& options, const MasterWeights& weights)
    : options_(options), weights_(weights) {
  for (const Range& range : find_ranges(weights.parameters(), options.weight_decay > 0))
    for (const Piece& piece : weights.share().within(range.piece.first, range.piece.first + range.piece.count))
      ranges_.push_back({piece, range.decays});
  const bool adam = options.kind != OptimiserKind::sgd;
  const Tensor whole = weights.parameters().weights();
  if (adam || options.momentum > 0) first_ = Buffer(whole.device(), whole.dtype(), weights.share().count());
  if (adam) second_ = Buffer(whole.device(), whole.dtype(), weights.share().count());
}

std::vector<Optimiser::Range> Optimiser::find_ranges(const nn::Parameters& parameters, bool decay) {
  std::vector<Range> ranges;
  const auto& entries = parameters.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].trainable) continue;
    // The range includes the padding up to the next parameter, so that adjacent ranges merge.
    const Size end = i + 1 < entries.size() ? entries[i + 1].offset : parameters.weights().count();
    const bool decays = decay && entries[i].shape.rank() > 1;
    if (!ranges.empty() && ranges.back().piece.first + ranges.back().piece.count == entries[i].offset &&
        ranges.back().decays == decays)
      ranges.back().piece.count = end - ranges.back().piece.first;
    else
      ranges.push_back({{entries[i].offset, end - entries[i].offset, 0}, decays});
  }
  check(!ranges.empty(), "every parameter is frozen: there is nothing to train");
  return ranges;
}

void Optimiser::step(double rate, std::uint64_t update, const Tensor& squares) {
  for (const Range& range : ranges_) step_range(range, rate, update, {squares, options_.clip});
}

void Optimiser::step_range(const Range& range, double rate, std::uint64_t update, const Clip& clip) {
  const auto of = [&](const Tensor& flat) { return slice(flat, range.piece.first, range.piece.count); };
  const auto own = [&](const Buffer& moments) { return slice(moments.tensor(), range.piece.local, range.piece.count); };
  const Tensor weights = weights_.part(range.piece), gradients = of(weights_.parameters().gradients()),
               copy = of(weights_.parameters().copy());
  const double decay = range.decays ? options_.weight_decay : 0;
  if (options_.kind == OptimiserKind::sgd)
    return sgd_step(weights, gradients, own(first_), {options_.momentum, decay}, rate, clip, copy);
  const AdamSettings settings{options_.beta1, options_.beta2, options_.epsilon, decay,
                              options_.kind == OptimiserKind::adamw};
  adam_step(weights, gradients, {own(first_), own(second_)}, settings, rate, static_cast<Size>(update), clip, copy);
}

std::vector<std::pair<std::string, Tensor>> Optimiser::state() const {
  std::vector<std::pair<std::string, Tensor>> tensors;
  if (first_.defined()) tensors.emplace_back("first", first_.tensor());
  if (second_.defined()) tensors.emplace_back("second", second_.tensor());
  return tensors;
}

MovingAverage::MovingAverage(double memory, const MasterWeights& weights)
    : memory_(memory),
      weights_(weights),
      average_(weights.parameters().weights().device(), weights.parameters().weights().dtype(),
               weights.share().count()),
      spare_(average_.tensor().device(), average_.tensor().dtype(), std::min(kSpare, weights.share().count())) {
  for (const Piece& piece : weights_.share().pieces()) copy(part(piece), weights_.part(piece));
}

void MovingAverage::update(std::uint64_t update) {
  const auto count = static_cast<double>(update);
  const double memory = std::min(memory_, (1 + count) / (10 + count));
  for (const Piece& piece : weights_.share().pieces())
    combine(part(piece), memory, part(piece), 1 - memory, weights_.part(piece));
}

void MovingAverage::swap() {
  for (const Piece& piece : weights_.share().pieces())
    for (Size at = 0; at < piece.count; at += kSpare) {
      const Size count = std::min(kSpare, piece.count - at);
      const Tensor mean = slice(part(piece), at, count), weights = slice(weights_.part(piece), at, count),
                   spare = slice(spare_.tensor(), 0, count);
      copy(spare, weights);
      copy(weights, mean);
      copy(mean, spare);
    }
  weights_.refresh();
}

}  // namespace dragoman::train
