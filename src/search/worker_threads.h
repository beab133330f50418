#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace dragoman::search {

// The most threads of one engine.
constexpr int kMostThreads = 1024;

// Threads that are joined at the end of this object's life.
class WorkerThreads {
 public:
  WorkerThreads() = default;
  ~WorkerThreads() { join(); }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // Starts `count` threads that run work(0) to work(count - 1). If the system refuses one of them, calls `stop`, which
  // must make those that run end, joins them and throws Error.
  void start(int count, const std::function<void(int)>& work, const std::function<void()>& stop);
  void join();
  int count() const { return static_cast<int>(threads_.size()); }

 private:
  std::vector<std::thread> threads_;
};

// `asked`, or `usual` if that is 0. Throws Error if it is negative or more than kMostThreads.
int threads_or(int asked, int usual);

}  // namespace dragoman::search
