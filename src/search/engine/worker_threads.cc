#include "search/engine/worker_threads.h"

#include <system_error>

#include "base/error.h"

namespace dragoman::search {

void WorkerThreads::start(int count, const std::function<void(int)>& work, const std::function<void()>& stop) {
  threads_.reserve(static_cast<std::size_t>(count));
  try {
    for (int i = 0; i < count; ++i) threads_.emplace_back(work, i);
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size();
    stop();
    join();
    fail("only {} of {} threads could be started: {}", started, count, error.what());
  }
}

void WorkerThreads::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

int threads_or(int asked, int usual) {
  check(asked >= 0 && asked <= kMostThreads, "threads and workers must be between 0 and {}, got {}", kMostThreads,
        asked);
  return asked > 0 ? asked : usual;
}

}  // namespace dragoman::search
