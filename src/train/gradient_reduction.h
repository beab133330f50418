#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tensor/tape.h"
#include "train/sharding.h"

namespace dragoman::train {

// Sums the gradients of all ranks, bucket by bucket, while backward still computes. A thread of its own makes all calls
// to the communicator, on a GPU with a stream of its own.
//
// A gradient is final once backward has run the first op of the forward pass that uses its parameter, because backward
// visits the ops in reverse. A bucket is handed to the thread as soon as all its gradients are final and all buckets
// before it have been handed over: the order is the same on all ranks. It is that in which backward on rank 0 finished
// the buckets of the previous update.
class GradientReduction final : public GradientWatch {
 public:
  // Seconds of the sums since the last call of take_times(), as the host sees them.
  struct Times {
    double exposed = 0;     // after backward
    double overlapped = 0;  // while backward computed
  };

  GradientReduction(const Sharding& sharding, const Tensor& gradients);
  // Tells the other ranks that this one has failed if they still wait for its buckets.
  ~GradientReduction() override;
  GradientReduction(const GradientReduction&) = delete;
  GradientReduction& operator=(const GradientReduction&) = delete;

  // The next forward and backward pass on `tape` is the last one of an update and makes the gradients final.
  void watch(Tape& tape);
  // Sends the rest of the buckets and waits until all are summed. `succeeded` says whether this rank has computed all
  // its gradients; if one of the ranks has not, all of them get false and compute the update again. A rank that has
  // sent nothing yet tries again alone.
  bool finish(bool succeeded);
  Times take_times() { return std::exchange(times_, {}); }

  void on_use(const Tensor& parameter, std::size_t node) override;
  void on_contribution(const Tensor& parameter) override;
  void on_backward(std::size_t node) override;

 private:
  struct Bucket {
    std::size_t first_use = 0;  // node of the tape
    bool is_sent = false;
    std::unique_ptr<Milestone> is_final;
  };

  template <class F>
  void each_bucket_of(const Tensor& parameter, F&& f);
  bool has_peers() const { return thread_.joinable(); }
  // Hands the next bucket to the thread.
  void send_next();
  void work();
  void wait_for_thread();
  // Of the thread, in this update so far.
  double busy_seconds();
  // The buckets in the order in which backward finishes them.
  std::vector<Size> order_of_backward() const;

  const Sharding& sharding_;
  Tensor gradients_;
  std::vector<Bucket> buckets_;
  std::vector<Size> order_;
  std::unique_ptr<Milestone> is_reduced_;
  Times times_;

  std::mutex mutex_;  // guards what follows; only the thread that computes changes sent_
  std::condition_variable changed_;
  std::size_t sent_ = 0, reduced_ = 0;  // buckets, in order
  double busy_ = 0;                     // seconds of the thread, in buckets that are reduced
  std::chrono::steady_clock::time_point bucket_begin_;
  std::exception_ptr problem_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace dragoman::train
