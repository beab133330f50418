#include "serve/batch_queue.h"

#include <algorithm>

namespace dragoman::serve {

namespace {

// Enough that the model never runs out of sentences, and so few that a short text does not wait behind a long one.
constexpr std::size_t kUsualTokensPerSentence = 16;

BatchLimits or_usual(BatchLimits limits, const search::TextTranslator& translator) {
  if (limits.tokens == 0) limits.tokens = kUsualTokensPerSentence * translator.capacity();
  return limits;
}

}  // namespace

BatchQueue::BatchQueue(std::unique_ptr<search::TextTranslator> translator, const BatchLimits& limits)
    : translator_(std::move(translator)), limits_(or_usual(limits, *translator_)), thread_([this] { work(); }) {}

BatchQueue::~BatchQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  translator_.reset();  // finishes what is under way, which still reports to this object
}

void BatchQueue::submit(std::vector<search::Job> jobs) {
  if (jobs.empty()) return;
  std::reverse(jobs.begin(), jobs.end());
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) oldest_ = Clock::now();
    waiting_texts_ += jobs.size();
    for (const search::Job& job : jobs) waiting_tokens_ += estimate_tokens(job.request.text);
    waiting_.push_back(std::move(jobs));
  }
  wake_.notify_all();
}

BatchQueue::Counts BatchQueue::counts() const {
  const std::lock_guard lock(mutex_);
  return {waiting_texts_, underway_texts_, batches_, texts_};
}

void BatchQueue::work() {
  for (;;) {
    std::vector<search::Job> batch;
    {
      std::unique_lock lock(mutex_);
      wait_for_batch(lock);
      if (waiting_.empty()) return;
      batch = take_batch();
    }
    pass_on(std::move(batch));
  }
}

// Returns when a batch should start, or with an empty queue when the object is being destroyed.
void BatchQueue::wait_for_batch(std::unique_lock<std::mutex>& lock) {
  wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
  // Others may join while the model is busy with more than what waits.
  wake_.wait_until(lock, oldest_ + limits_.max_wait, [this] { return stopping_ || is_worth_a_batch(); });
  // The model has enough for now; what waits here can still be cancelled.
  wake_.wait(lock, [this] { return underway_tokens_ < 2 * limits_.tokens; });
}

// Takes one text of each request in turn.
std::vector<search::Job> BatchQueue::take_batch() {
  std::vector<search::Job> batch;
  std::size_t tokens = 0;
  for (auto group = waiting_.begin(); !waiting_.empty() && tokens < limits_.tokens;) {
    search::Job& job = group->back();
    const std::size_t count = estimate_tokens(job.request.text);
    tokens += count;
    waiting_tokens_ -= count;
    --waiting_texts_;
    batch.push_back(std::move(job));
    group->pop_back();
    group = group->empty() ? waiting_.erase(group) : std::next(group);
    if (group == waiting_.end()) group = waiting_.begin();
  }
  underway_tokens_ += tokens;
  underway_texts_ += batch.size();
  ++batches_;
  texts_ += batch.size();
  return batch;
}

void BatchQueue::pass_on(std::vector<search::Job> batch) {
  std::vector<search::Job> wanted;
  for (search::Job& job : batch) {
    const std::size_t tokens = estimate_tokens(job.request.text);
    if (job.is_cancelled()) {
      job.answer.give(std::make_exception_ptr(search::Cancelled()));
      arrive(tokens);
      continue;
    }
    const auto answer = std::make_shared<search::Answer>(std::move(job.answer));
    job.answer = search::Answer([this, answer, tokens](TranslationResult result, std::exception_ptr error) {
      arrive(tokens);
      error ? answer->give(std::move(error)) : answer->give(std::move(result));
    });
    wanted.push_back(std::move(job));
  }
  try {
    translator_->submit(std::move(wanted));
  } catch (...) {
    // The jobs were dropped, and their answers have arrived as errors.
  }
}

void BatchQueue::arrive(std::size_t tokens) {
  {
    const std::lock_guard lock(mutex_);
    underway_tokens_ -= tokens;
    --underway_texts_;
  }
  wake_.notify_all();
}

}  // namespace dragoman::serve
