#include "data/prefetcher.h"

#include <algorithm>

namespace dragoman::data {

Prefetcher::Prefetcher(Batcher batcher, std::size_t ahead)
    : batcher_(std::move(batcher)), ahead_(std::max<std::size_t>(1, ahead)) {
  start();
}

Prefetcher::~Prefetcher() { stop(); }

void Prefetcher::start() {
  stopping_ = false;
  failure_ = nullptr;
  worker_ = std::thread([this] { work(); });
}

void Prefetcher::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  worker_.join();
  ready_.clear();
}

void Prefetcher::work() {
  Batch batch;
  for (;;) {
    try {
      batcher_.next(batch);
    } catch (...) {
      std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
      return;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopping_ || ready_.size() < ahead_; });
    if (stopping_) return;
    ready_.push_back(std::move(batch));
    batch = Batch();
    if (!used_.empty()) {
      batch = std::move(used_.back());
      used_.pop_back();
    }
    lock.unlock();
    changed_.notify_all();
  }
}

void Prefetcher::next(Batch& batch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || failure_; });
  if (ready_.empty()) std::rethrow_exception(failure_);
  std::swap(batch, ready_.front());
  used_.push_back(std::move(ready_.front()));
  ready_.pop_front();
  if (used_.size() > ahead_) used_.pop_back();
  lock.unlock();
  changed_.notify_all();
}

void Prefetcher::seek(std::uint64_t epoch, std::uint64_t step) {
  stop();
  try {
    batcher_.seek(epoch, step);
  } catch (...) {
    start();
    throw;
  }
  start();
}

}  // namespace dragoman::data
