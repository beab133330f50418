#include "base/threads.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/never_destroyed.h"

namespace dragoman::threads {
namespace {

// Maximum number of threads that loops of this thread may use.
thread_local int limit = std::numeric_limits<int>::max();

// How often a waiting thread polls before it sleeps: some tens of microseconds in total. A training step runs hundreds
// of short loops in a row, and many of them take less time than waking a thread through the kernel.
constexpr int kSpins = 2000;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // stalls longer than `yield`, which is a no-op on most cores
#endif
}

// A thread pool that runs one loop at a time. The caller takes part, so a pool of n threads has n - 1 workers.
class Pool {
 public:
  explicit Pool(int count) {
    workers_.reserve(static_cast<std::size_t>(count));
    try {
      for (int i = 1; i < count; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (const std::system_error& error) {
      const int started = this->count();
      stop();
      fail("only {} of {} threads could be started: {}", started, count, error.what());
    }
  }

  ~Pool() { stop(); }

  int count() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs body(context, i, i + 1) for every piece i in [0, pieces), handed out in order. At most min(most, pieces)
  // threads take part; the caller does not wait for the others.
  void run(std::int64_t pieces, int most, detail::Body body, void* context) {
    const int helpers = static_cast<int>(std::min<std::int64_t>(pieces, std::min(most, count()))) - 1;
    body_ = body;
    context_ = context;
    pieces_ = pieces;
    next_.store(0, std::memory_order_relaxed);
    busy_.store(helpers, std::memory_order_relaxed);
    failure_ = nullptr;
    {
      std::lock_guard lock(mutex_);
      call(helpers + 1);
    }
    if (sleepers_.load(std::memory_order_seq_cst) > 0) wake_.notify_all();
    take_pieces();
    for (int spin = 0; busy_.load(std::memory_order_acquire) > 0; ++spin) {
      if (spin < kSpins)
        pause_briefly();
      else
        std::this_thread::yield();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void stop() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
      call(count());
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  void take_pieces() {
    const int before = std::exchange(limit, 1);
    for (std::int64_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < pieces_;) {
      try {
        body_(context_, i, i + 1);
      } catch (...) {
        std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
    }
    limit = before;
  }

  // A call is published as one number: the low bits hold the number of participating threads, the high bits a counter
  // that distinguishes successive calls.
  static constexpr std::uint64_t kParticipants = 1 << 16;
  void call(int participants) {
    const std::uint64_t before = call_.load(std::memory_order_relaxed);
    call_.store((before / kParticipants + 1) * kParticipants + static_cast<std::uint64_t>(participants),
                std::memory_order_release);
  }

  void work(int index) {
    std::uint64_t seen = 0;
    for (;;) {
      for (int spin = 0; call_.load(std::memory_order_acquire) == seen && spin < kSpins; ++spin) pause_briefly();
      if (call_.load(std::memory_order_acquire) == seen) {
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return call_.load(std::memory_order_acquire) != seen; });
        lock.unlock();
        sleepers_.fetch_sub(1, std::memory_order_seq_cst);
      }
      seen = call_.load(std::memory_order_acquire);
      // A thread that does not take part must not read anything else: the caller may already be writing the next loop.
      if (static_cast<std::uint64_t>(index) >= seen % kParticipants) continue;
      if (stopping_) return;
      take_pieces();
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<std::uint64_t> call_{0};
  std::atomic<int> sleepers_{0}, busy_{0};
  std::atomic<std::int64_t> next_{0};
  detail::Body body_ = nullptr;
  void* context_ = nullptr;
  std::int64_t pieces_ = 0;
  std::exception_ptr failure_;
  bool stopping_ = false;
};

// The pool and its lock. Only one loop of the process at a time is parallel; a concurrent second loop runs on its
// caller's thread alone.
struct Shared {
  std::mutex in_use;
  std::atomic<int> count{available()};
  std::unique_ptr<Pool> pool;
  Pool* abandoned = nullptr;  // of the process that this one was forked from

  Pool& ready() {
    const int wanted = count.load();
    if (!pool || pool->count() != wanted) {
      pool.reset();
      pool = std::make_unique<Pool>(wanted);
    }
    return *pool;
  }
  // A process that was made by fork() has the thread that called it and no other. The next loop starts workers of its
  // own; the old pool can neither be used nor joined.
  void forget() {
    abandoned = pool.release();
    new (&in_use) std::mutex;  // a thread that is gone may have held it
  }
};

// Its workers are never joined: a Translator that is a static object may be in the middle of a loop when exit()
// destroys static objects, and would wait for workers that have left.
Shared& shared() {
  static NeverDestroyed<Shared> instance;
  static const int prepared = pthread_atfork(nullptr, nullptr, [] { instance->forget(); });
  static_cast<void>(prepared);
  return *instance;
}

}  // namespace

int available() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return std::max(1, CPU_COUNT(&mask));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int count() { return std::min(limit, shared().count.load()); }

void set_count(int count) {
  check(count >= 0 && count <= 1024, "[threads] expected a number from 0 (all cores) to 1024 but got {}", count);
  shared().count = count == 0 ? available() : count;
}

LimitScope::LimitScope(int most) : before_(std::exchange(limit, std::min(limit, most))) {}
LimitScope::~LimitScope() { limit = before_; }

namespace detail {

void run(std::int64_t count, std::int64_t grain, Body body, void* context) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t units = (count + grain - 1) / grain;
  const std::int64_t pieces = std::min<std::int64_t>(units, threads::count());
  std::unique_lock lock(shared().in_use, std::defer_lock);
  if (pieces == 1 || !lock.try_lock()) return body(context, 0, count);
  struct Split {
    Body body;
    void* context;
    std::int64_t count, grain, units, pieces;
  } split{body, context, count, grain, units, pieces};
  shared().ready().run(
      pieces, static_cast<int>(pieces),
      [](void* raw, std::int64_t piece, std::int64_t) {
        const Split& s = *static_cast<Split*>(raw);
        const std::int64_t begin = s.units * piece / s.pieces * s.grain;
        const std::int64_t end = std::min(s.count, s.units * (piece + 1) / s.pieces * s.grain);
        s.body(s.context, begin, end);
      },
      &split);
}

void run_each(std::int64_t count, Body body, void* context) {
  if (count <= 0) return;
  const int most = threads::count();
  std::unique_lock lock(shared().in_use, std::defer_lock);
  if (count == 1 || most == 1 || !lock.try_lock()) return body(context, 0, count);
  shared().ready().run(count, most, body, context);
}

}  // namespace detail
}  // namespace dragoman::threads
