#pragma once

#include <functional>
#include <span>
#include <string>

#include "train/options.h"
#include "train/state.h"

namespace dragoman::train {

// Runs the batches of one update forward and backward and accumulates their gradients in the model's flat buffer. A
// batch of more than at_once() tokens is split into parts. If memory still runs out, the update starts again with parts
// of half the size.
class GradientAccumulator {
 public:
  GradientAccumulator(Task& task, Workspace& workspace, const TrainOptions& options)
      : task_(task),
        workspace_(workspace),
        loss_(options.loss),
        seed_(options.seed),
        at_once_(static_cast<std::size_t>(options.at_once)) {}

  // Maximum number of tokens (both sides) per forward pass; 0: whole batches.
  std::size_t at_once() const { return at_once_; }
  void set_at_once(std::size_t tokens) { at_once_ = tokens; }

  // Computes the gradient of the mean loss over the labels of all `batches`, and stores the sums in `losses`. `state`
  // is the state before the update. `remark` is called if parts become smaller. Returns the number of labels. Throws if
  // a single sentence pair does not fit into memory.
  std::uint64_t accumulate(std::span<const data::Batch> batches, const TrainState& state, const LossTotals& losses,
                           const std::function<void(const std::string&)>& remark);

 private:
  std::uint64_t try_batches(std::span<const data::Batch> batches, std::uint64_t batches_before,
                            const LossTotals& losses);
  // Returns a remark.
  std::string make_parts_smaller(std::span<const data::Batch> batches, std::uint64_t update,
                                 const OutOfMemory& problem);

  Task& task_;
  Workspace& workspace_;
  LossSettings loss_;
  std::uint64_t seed_;
  std::size_t at_once_;
};

}  // namespace dragoman::train
