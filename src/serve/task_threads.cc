#include "serve/task_threads.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace dragoman::serve {

class TaskThreads::Implementation {
 public:
  explicit Implementation(int count) : pool(static_cast<std::size_t>(count)) {}

  boost::asio::thread_pool pool;
};

TaskThreads::TaskThreads(int count) : implementation_(std::make_unique<Implementation>(count)) {}

TaskThreads::~TaskThreads() { implementation_->pool.join(); }

void TaskThreads::post(std::function<void()> task) { boost::asio::post(implementation_->pool, std::move(task)); }

}  // namespace dragoman::serve
