#pragma once

#include <functional>
#include <memory>

namespace dragoman::serve {

// Threads for what is too long for the server's thread and too short to batch: reading requests, writing responses.
class TaskThreads {
 public:
  explicit TaskThreads(int count);
  // Finishes all tasks.
  ~TaskThreads();
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;

  // Any thread may call it, also one of these. The task must not throw.
  void post(std::function<void()> task);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dragoman::serve
