#pragma once

#include <functional>
#include <span>
#include <string>

#include "train/gradient_reduction.h"
#include "train/options.h"
#include "train/state.h"
#include "train/tree_sum.h"

namespace dragoman::train {

// Runs the batches of one update forward and backward and accumulates their gradients in the model's flat buffer. A
// batch of more than at_once() tokens is split. If memory still runs out, the update starts again with pieces of half
// the size.
//
// Of a team, a rank computes one or several parts of an update. Each part is accumulated from zero, and the parts are
// added as a tree, so that their sum does not depend on which rank computes which of them. A rank with one part sends
// gradients to the others while it still computes those of its last batch.
class GradientAccumulator {
 public:
  GradientAccumulator(Task& task, Workspace& workspace, const TrainOptions& options, const Sharding& sharding)
      : task_(task),
        workspace_(workspace),
        team_(sharding.team()),
        sum_(task.parameters().gradients(), team_.width()),
        reduction_(sharding, task.parameters().gradients()),
        loss_(options.loss),
        seed_(options.seed),
        at_once_(static_cast<std::size_t>(options.at_once)) {}

  // Maximum number of tokens (both sides) per forward pass; 0: whole batches.
  std::size_t at_once() const { return at_once_; }
  void set_at_once(std::size_t tokens) { at_once_ = tokens; }
  // Memory beside the gradients themselves.
  std::size_t bytes() const { return sum_.bytes(); }

  // One rank's share of an update.
  struct Work {
    // Step by step; in each step one batch of every part. Some may be empty.
    std::span<const data::Batch> batches;
    std::uint64_t labels = 0;            // of the whole update, over all ranks
    std::span<const LossTotals> losses;  // of each part
  };
  // The number of labels in the batches.
  static std::uint64_t count_labels(std::span<const data::Batch> batches);

  // Computes the gradient of the mean loss over the labels of an update, of which this rank gets its share, and stores
  // the sums of the losses. Called by all ranks. `state` is the state before the update. `remark` is called if pieces
  // become smaller. Throws if a single sentence pair does not fit into memory.
  void accumulate(const Work& work, const TrainState& state, const std::function<void(const std::string&)>& remark);
  // Of the sums between ranks, since the last call.
  GradientReduction::Times take_times() { return reduction_.take_times(); }

 private:
  void try_parts(const Work& work, std::uint64_t batches_before);
  // `is_last`: the gradients are final after this batch.
  void learn(const data::Batch& batch, std::uint64_t stream, double scale, const LossTotals& losses, bool is_last);
  // Returns a remark.
  std::string make_pieces_smaller(std::span<const data::Batch> batches, std::uint64_t update,
                                  const OutOfMemory& problem);

  Task& task_;
  Workspace& workspace_;
  Team team_;
  TreeSum sum_;
  GradientReduction reduction_;
  LossSettings loss_;
  std::uint64_t seed_;
  std::size_t at_once_;
};

}  // namespace dragoman::train
