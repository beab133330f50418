#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

// One thread pool for the whole process. split() and each() run a loop on it; a loop that is started inside another
// loop or inside a SerialScope runs on the calling thread.
namespace dragoman::threads {

// Number of threads that loops may use, including the caller's.
int count();
// 0 means one thread per available core (the process's affinity mask).
void set_count(int count);
// Cores this process may run on.
int available();

// During its lifetime, loops of this thread use at most `most` threads.
class LimitScope {
 public:
  explicit LimitScope(int most);
  ~LimitScope();
  LimitScope(const LimitScope&) = delete;
  LimitScope& operator=(const LimitScope&) = delete;

 private:
  int before_;
};

// During its lifetime, loops of this thread run on this thread alone. Held by workers that each process their own
// batch.
class SerialScope : public LimitScope {
 public:
  SerialScope() : LimitScope(1) {}
};

namespace detail {
using Body = void (*)(void* context, std::int64_t begin, std::int64_t end);
void run(std::int64_t count, std::int64_t grain, Body body, void* context);
void run_each(std::int64_t count, Body body, void* context);
}  // namespace detail

// Calls body(begin, end) for consecutive pieces that cover [0, count). Pieces are at least `grain` long (except the
// last); their boundaries are multiples of `grain` and depend only on count, grain and the number of threads. Allocates
// nothing. An exception in a piece is rethrown to the caller after all pieces have ended.
template <class F>
void split(std::int64_t count, std::int64_t grain, F&& body) {
  using Function = std::remove_reference_t<F>;
  detail::run(
      count, grain,
      [](void* context, std::int64_t begin, std::int64_t end) { (*static_cast<Function*>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

// Calls body(i) for every i in [0, count) with dynamic scheduling: free threads take the next i. For uneven work.
template <class F>
void each(std::int64_t count, F&& body) {
  using Function = std::remove_reference_t<F>;
  detail::run_each(
      count,
      [](void* context, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) (*static_cast<Function*>(context))(i);
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace dragoman::threads
