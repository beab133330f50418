#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/file_lock.h"
#include "recipe/plan.h"

namespace dragoman::recipe {

// Hands out the systems of a recipe to the threads of this runner. Systems that other runners have locked are left to
// them. Thread-safe.
class SystemQueue {
 public:
  // The jobs must outlive the queue; systems come after those they need.
  explicit SystemQueue(const std::vector<Job>& jobs);

  enum class State { waiting, running, elsewhere, finished, failed, blocked };

  struct Claim {
    const Job* job;
    FileLock lock;
  };
  // A system that can run now. Nothing if there is none; `later` then says whether one may become free.
  std::optional<Claim> next(bool& later);
  void finish(const Job& job, State state);

  // Looks again at systems that run elsewhere.
  State state(const std::string& name);
  std::vector<std::string> with_state(State state);

 private:
  void look(const Job& job);

  std::mutex mutex_;
  const std::vector<Job>& jobs_;
  std::map<std::string, State> states_;
};

}  // namespace dragoman::recipe
