#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace dragoman::serve {

// Threads for what is too long for the server's thread and too short to batch: reading requests, writing responses.
class TaskThreads : private boost::asio::thread_pool {
 public:
  using thread_pool::thread_pool;
  // Finishes all tasks.
  ~TaskThreads() { join(); }

  // Any thread may call it, also one of these. The task must not throw.
  template <class Task>
  void post(Task task) {
    boost::asio::post(get_executor(), std::move(task));
  }
};

}  // namespace dragoman::serve
