#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <memory>

#include "train/agreement.h"
#include "train/buffer.h"
#include "train/task.h"
#include "train/units.h"

namespace dragoman::train {

// What the first rank of a team does in an update, in seconds as the host sees them (on a GPU, the time to enqueue),
// and the bytes that every rank sends to others.
struct Traffic {
  double compute = 0;     // gradients of its batches
  double reduce = 0;      // the sum of gradients after that, with the wait for the slowest rank
  double overlapped = 0;  // the sum of gradients during that, on a thread of its own
  double gather = 0;      // the new weights
  std::uint64_t bytes = 0;

  Traffic& operator+=(const Traffic& other) {
    compute += other.compute;
    reduce += other.reduce;
    overlapped += other.overlapped;
    gather += other.gather;
    bytes += other.bytes;
    return *this;
  }
  // The mean of a sum over some updates.
  Traffic per_update(std::uint64_t updates) const {
    if (updates == 0) return {};
    const auto count = static_cast<double>(updates);
    return {compute / count, reduce / count, overlapped / count, gather / count, bytes / updates};
  }
};

// An update enqueued on the device whose losses the host has not read yet.
struct PendingUpdate {
  Position position;  // after the update
  double rate = 0;
  std::uint64_t tokens = 0;
  std::chrono::steady_clock::time_point start;
  Waiting waiting{};
  Traffic traffic{};
};

// An update whose losses have arrived on the host.
struct FinishedUpdate {
  Position position;
  double rate = 0;
  LossSums sums;
  double gradient_norm = 0;
  double seconds = 0;  // time of the update; if two overlap, since the previous one finished
  Waiting waiting{};
  Traffic traffic{};
};

// Copies the losses and the gradient norm of updates to the host asynchronously: while one update is being enqueued,
// the totals of the previous one are still in transfer. On the CPU an update is finished at once.
class UpdatePipeline {
 public:
  explicit UpdatePipeline(const Device& device);

  // Number of updates that may be pending while the next one is enqueued.
  std::size_t depth() const { return depth_; }

  // Memory on the device for the totals of the update being enqueued; push() sends them to the host.
  LossTotals losses() const;
  Tensor gradient_squares() const;

  void push(const PendingUpdate& update);
  std::size_t pending() const { return pending_.size(); }
  // Waits for the oldest pending update.
  FinishedUpdate pop();
  // Drops the pending updates.
  void clear() { pending_.clear(); }

 private:
  Delivery& delivery(const Position& position) { return *deliveries_[position.updates % deliveries_.size()]; }

  std::size_t depth_;
  Buffer totals_;                                        // f64: loss, negative log-likelihood, squares of the gradients
  std::array<std::unique_ptr<Delivery>, 2> deliveries_;  // used in turn
  std::deque<PendingUpdate> pending_;                    // oldest first
  std::chrono::steady_clock::time_point last_pop_;
};

}  // namespace dragoman::train
