#include "pending.h"

#include <chrono>

namespace dragoman::python {

search::Answer Pending::answer() const {
  return search::Answer([shared = shared_](TranslationResult result, const std::exception_ptr& error) {
    {
      const std::lock_guard lock(shared->mutex);
      shared->result = std::move(result);
      shared->error = error;
      shared->done = true;
    }
    shared->arrived.notify_all();
  });
}

bool Pending::done() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->done;
}

const TranslationResult& Pending::wait() {
  constexpr std::chrono::milliseconds kBetweenSignals(50);
  for (bool done = false; !done;) {
    {
      const Unlocked unlocked;
      std::unique_lock lock(shared_->mutex);
      done = shared_->arrived.wait_for(lock, kBetweenSignals, [this] { return shared_->done; });
    }
    if (!done) {
      try {
        check_signals();
      } catch (...) {
        cancel();
        throw;
      }
    }
  }
  if (shared_->error) std::rethrow_exception(shared_->error);
  return shared_->result;
}

}  // namespace dragoman::python
