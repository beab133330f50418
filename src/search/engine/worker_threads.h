#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace dragoman::search {

// Maximum number of threads of one engine.
constexpr int kMostThreads = 1024;

// Threads that the destructor joins.
class WorkerThreads {
 public:
  WorkerThreads() = default;
  ~WorkerThreads() { join(); }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // Starts `count` threads that run work(0) to work(count - 1). If a thread cannot be started, calls `stop`, which must
  // end the running ones, joins them and throws Error.
  void start(int count, const std::function<void(int)>& work, const std::function<void()>& stop);
  void join();
  int count() const { return static_cast<int>(threads_.size()); }

 private:
  std::vector<std::thread> threads_;
};

// `asked`, or `usual` if that is 0. Throws Error if it is negative or more than kMostThreads.
int threads_or(int asked, int usual);

}  // namespace dragoman::search
