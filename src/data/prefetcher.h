#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "data/batcher.h"

namespace dragoman::data {

// Prepares the batches of a Batcher ahead of time on a thread of its own, at most `ahead` of them. Gives exactly the
// batches the Batcher would. An error while preparing is thrown by the call of next() that would have got the batch.
class Prefetcher {
 public:
  explicit Prefetcher(Batcher batcher, std::size_t ahead = 16);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // Swaps the next batch in; the memory of the old one is used again.
  void next(Batch& batch);
  // The batch that next() gives after this; throws as Batcher::seek does.
  void seek(std::uint64_t epoch, std::uint64_t step);

 private:
  void start();
  void stop();
  void work();

  Batcher batcher_;  // the worker's while it runs
  std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> ready_;
  std::vector<Batch> used_;
  std::exception_ptr failure_;
  bool stopping_ = false;
  std::thread worker_;
};

}  // namespace dragoman::data
