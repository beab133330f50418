#include "train/gradient_reduction.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <sstream>

namespace dragoman::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// What the ranks tell each other after backward: whether each has computed its gradients, and in which order the first
// one finished its buckets.
struct Verdict {
  bool all_succeeded = true;
  std::vector<Size> order;

  static std::string message(bool succeeded, const std::vector<Size>& order) {
    std::string words = succeeded ? "1" : "0";
    for (const Size bucket : order) words += fmt::format(" {}", bucket);
    return words;
  }
  // `valid` has the numbers of all buckets.
  Verdict(const std::vector<std::string>& messages, const std::vector<Size>& valid) {
    for (const std::string& message : messages) all_succeeded &= message.starts_with('1');
    std::istringstream words(messages.front());
    bool succeeded = false;
    words >> succeeded;
    for (Size bucket = 0; words >> bucket;) order.push_back(bucket);
    check(std::ranges::is_permutation(order, valid), "rank 0 sent a damaged message");
  }
};

}  // namespace

// The first update begins with the last parameters.
GradientReduction::GradientReduction(const Sharding& sharding, const Tensor& gradients)
    : sharding_(sharding), gradients_(gradients) {
  if (sharding.comm().size() == 1) return;
  buckets_.resize(static_cast<std::size_t>(sharding.buckets()));
  for (Bucket& bucket : buckets_) bucket.is_final = gradients.device().milestone();
  is_reduced_ = gradients.device().milestone();
  order_.resize(buckets_.size());
  std::iota(order_.rbegin(), order_.rend(), Size{0});
  thread_ = std::thread([this] { work(); });
}

GradientReduction::~GradientReduction() {
  if (!has_peers()) return;
  {
    const std::lock_guard lock(mutex_);
    if (sent_ > 0) sharding_.comm().report_failure("ended in the middle of an update");
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void GradientReduction::watch(Tape& tape) {
  if (!has_peers()) return;
  for (Bucket& bucket : buckets_) bucket.first_use = kNever;
  tape.set_watch(this);
}

template <class F>
void GradientReduction::each_bucket_of(const Tensor& parameter, F&& f) {
  const Size first = (static_cast<const char*>(parameter.gradient()->data) - static_cast<char*>(gradients_.raw())) /
                     size_of(gradients_.dtype());
  for (Size b = sharding_.bucket_of(first); b <= sharding_.bucket_of(first + parameter.count() - 1); ++b)
    f(buckets_[static_cast<std::size_t>(b)]);
}

void GradientReduction::on_use(const Tensor& parameter, std::size_t node) {
  each_bucket_of(parameter, [&](Bucket& bucket) { bucket.first_use = std::min(bucket.first_use, node); });
}

void GradientReduction::on_contribution(const Tensor& parameter) {
  each_bucket_of(parameter, [&](const Bucket& bucket) {
    check(!bucket.is_sent,
          "[backward] an op adds to the gradient of a parameter {} that it did not name as an input: the gradient has "
          "been sent to other ranks already",
          parameter.shape());
  });
}

void GradientReduction::on_backward(std::size_t node) {
  while (sent_ < order_.size() && buckets_[static_cast<std::size_t>(order_[sent_])].first_use >= node) send_next();
}

void GradientReduction::send_next() {
  Bucket& bucket = buckets_[static_cast<std::size_t>(order_[sent_])];
  bucket.is_sent = true;
  bucket.is_final->set();
  const std::lock_guard lock(mutex_);
  if (problem_) std::rethrow_exception(problem_);
  ++sent_;
  changed_.notify_all();
}

void GradientReduction::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || (reduced_ < sent_ && !problem_); });
    if (ends_) return;
    const Size next = order_[reduced_];
    const auto begin = bucket_begin_ = Clock::now();
    lock.unlock();
    std::exception_ptr problem;
    try {
      gradients_.device().kernels<float>();  // makes a GPU current
      buckets_[static_cast<std::size_t>(next)].is_final->await();
      sharding_.reduce(gradients_, next);
      is_reduced_->set();
    } catch (const std::exception&) {
      problem = std::current_exception();
    }
    lock.lock();
    busy_ += seconds_since(begin);
    problem_ = problem;
    ++reduced_;
    changed_.notify_all();
  }
}

double GradientReduction::busy_seconds() {
  const std::lock_guard lock(mutex_);
  return busy_ + (reduced_ < sent_ ? seconds_since(bucket_begin_) : 0);
}

bool GradientReduction::finish(bool succeeded) {
  if (!has_peers() || (!succeeded && sent_ == 0)) return succeeded;
  const auto begin = Clock::now();
  times_.overlapped += busy_seconds();
  while (sent_ < order_.size()) send_next();
  const Verdict verdict(sharding_.comm().exchange(Verdict::message(succeeded, order_of_backward())), order_);
  wait_for_thread();
  is_reduced_->await();
  for (Bucket& bucket : buckets_) bucket.is_sent = false;
  order_ = verdict.order;
  times_.exposed += seconds_since(begin);
  return verdict.all_succeeded;
}

void GradientReduction::wait_for_thread() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return reduced_ == order_.size() || problem_; });
  if (problem_) std::rethrow_exception(problem_);
  sent_ = reduced_ = 0;
  busy_ = 0;
}

// The order of buckets that end at the same time does not change.
std::vector<Size> GradientReduction::order_of_backward() const {
  std::vector<Size> order = order_;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [this](Size b) { return buckets_[static_cast<std::size_t>(b)].first_use; });
  return order;
}

}  // namespace dragoman::train
