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

// Prepares batches in a background thread, at most `ahead` of them. Returns exactly the batches of the Batcher. An
// error during preparation is thrown by the call of next() that would have returned the batch.
class Prefetcher {
 public:
  explicit Prefetcher(Batcher batcher, std::size_t ahead = 16);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // Swaps in the next batch; the memory of the old one is reused.
  void next(Batch& batch);
  // Sets the batch that next() returns; throws like Batcher::seek.
  void seek(std::uint64_t epoch, std::uint64_t step);

 private:
  void start();
  void stop();
  void work();

  Batcher batcher_;  // owned by the worker while it runs
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
