#pragma once

#include <utility>
#include <vector>

#include "train/master_weights.h"
#include "train/optimiser_options.h"

namespace dragoman::train {

// Adam, AdamW or SGD over the flat parameter buffer of a model. Frozen parameters do not change.
class Optimiser {
 public:
  // Updates the weights of their share. They must outlive the optimiser.
  Optimiser(const OptimiserOptions& options, const MasterWeights& weights);

  // One update with the gradients in the buffer. `update` counts from 1; `squares` is the sum of squared gradients.
  void step(double rate, std::uint64_t update, const Tensor& squares);

  // The state that the next update depends on, apart from the weights: named flat tensors, of the share only.
  std::vector<std::pair<std::string, Tensor>> state() const;

 private:
  // Adjacent parameters with the same settings, updated by one kernel call.
  struct Range {
    Piece piece;
    bool decays = false;
  };
  static std::vector<Range> find_ranges(const nn::Parameters& parameters, bool decay);
  void step_range(const Range& range, double rate, std::uint64_t update, const Clip& clip);

  OptimiserOptions options_;
  const MasterWeights& weights_;
  std::vector<Range> ranges_;  // of the share
  Buffer first_, second_;      // Adam: the two moments; SGD: the velocity; second_ is empty
};

// An exponential moving average (EMA) of the weights. Its decay rate starts low, so that the initial weights lose their
// influence quickly.
class MovingAverage {
 public:
  // Of the weights of their share. They must outlive the average.
  MovingAverage(double memory, const MasterWeights& weights);

  void update(std::uint64_t update);
  // Swaps the average and the weights of the share; a second call restores both. Ranks must gather the weights after
  // it.
  void swap();
  const Tensor& tensor() const { return average_.tensor(); }
  // The average of a piece of the share.
  Tensor part(const Piece& piece) const { return slice(average_.tensor(), piece.local, piece.count); }
  std::size_t bytes() const { return average_.tensor().bytes() + spare_.tensor().bytes(); }

 private:
  double memory_;
  const MasterWeights& weights_;
  Buffer average_, spare_;
};

}  // namespace dragoman::train
