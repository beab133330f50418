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

// The present loop of a pool, as one number, so that a worker joins it or not in one step.
class Call {
 public:
  explicit Call(std::uint64_t bits) : bits_(bits) {}

  std::uint64_t bits() const { return bits_; }
  std::uint64_t number() const { return bits_ / kNumber; }
  bool takes(int worker) const { return !(bits_ & kClosed) && worker < static_cast<int>(bits_ / kThread % kMost); }
  bool has_workers() const { return bits_ / kWorker % kMost != 0; }  // that have joined and not left

  Call next(int threads) const {
    return Call((number() + 1) * kNumber + static_cast<std::uint64_t>(threads) * kThread);
  }
  Call joined() const { return Call(bits_ + kWorker); }

  // 1 bit, 12 bits for the workers that have joined, 12 for the threads that may take part; the rest counts loops.
  static constexpr std::uint64_t kClosed = 1, kMost = 1 << 12;
  static constexpr std::uint64_t kWorker = 2, kThread = kWorker * kMost, kNumber = kThread * kMost;

 private:
  std::uint64_t bits_;
};

// A thread pool that runs one loop at a time. The caller takes part, so a pool of n threads has n - 1 workers. It waits
// for the workers that have joined, not for those that the system has not let run meanwhile: where other programs keep
// the cores busy, that may take longer than the loop.
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
  // threads take part.
  void run(std::int64_t pieces, int most, detail::Body body, void* context) {
    body_ = body;
    context_ = context;
    pieces_ = pieces;
    next_.store(0, std::memory_order_relaxed);
    failure_ = nullptr;
    call(static_cast<int>(std::min<std::int64_t>(pieces, std::min(most, count()))));
    if (sleepers_.load(std::memory_order_seq_cst) > 0) wake_.notify_all();
    take_pieces();
    call_.fetch_or(Call::kClosed, std::memory_order_relaxed);
    for (int spin = 0; present_call().has_workers(); ++spin) {
      if (spin < kSpins)
        pause_briefly();
      else
        std::this_thread::yield();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void stop() {
    stopping_ = true;
    call(count());
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

  Call present_call() const { return Call(call_.load(std::memory_order_acquire)); }
  void call(int threads) {
    std::lock_guard lock(mutex_);
    call_.store(present_call().next(threads).bits(), std::memory_order_release);
  }

  // Unless a worker has joined, it must not read anything else: the caller may already be writing the next loop.
  bool join(Call& call, int worker) {
    std::uint64_t seen = call.bits();
    while (call.takes(worker)) {
      if (call_.compare_exchange_weak(seen, call.joined().bits(), std::memory_order_acquire)) return true;
      call = Call(seen);
    }
    return false;
  }

  void work(int index) {
    std::uint64_t last = 0;  // the number of the last loop
    const auto is_same = [&] { return present_call().number() == last; };
    for (;;) {
      for (int spin = 0; is_same() && spin < kSpins; ++spin) pause_briefly();
      if (is_same()) {
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return !is_same(); });
        lock.unlock();
        sleepers_.fetch_sub(1, std::memory_order_seq_cst);
      }
      Call call = present_call();
      const bool takes_part = join(call, index);
      last = call.number();
      if (!takes_part) continue;
      if (stopping_) return;
      take_pieces();
      call_.fetch_sub(Call::kWorker, std::memory_order_release);
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<std::uint64_t> call_{0};  // a Call
  std::atomic<int> sleepers_{0};
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
