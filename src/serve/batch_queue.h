#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "search/engine/text_translator.h"

namespace dragoman::serve {

// About how many tokens a text has. Admission and batches need no exact number, and counting takes a tokenizer's time.
inline std::size_t estimate_tokens(std::string_view text) {
  constexpr std::size_t kBytesPerToken = 4;
  return 1 + text.size() / kBytesPerToken;
}

struct BatchLimits {
  std::size_t tokens = 4096;                 // a batch is full with as many; about as many more are prepared meanwhile
  std::chrono::microseconds max_wait{5000};  // how long a text waits for others
};

// Gathers the texts of all requests for one model and passes them on in batches. While the model is busy with more than
// what waits, texts wait for others, but no longer than `max_wait`. Requests take turns, so a long one does not hold up
// the others. Texts whose request was cancelled never reach the model.
class BatchQueue {
 public:
  BatchQueue(std::unique_ptr<search::TextTranslator> translator, const BatchLimits& limits);
  // Finishes all texts.
  ~BatchQueue();
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  // Queues the texts of one request and returns at once.
  void submit(std::vector<search::Job> jobs);
  const search::TextTranslator& translator() const { return *translator_; }

  struct Counts {
    std::size_t waiting = 0, underway = 0;  // texts
    std::uint64_t batches = 0, texts = 0;   // passed to the model so far
  };
  Counts counts() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Group = std::vector<search::Job>;  // of one request, the next one last

  void work();
  bool is_worth_a_batch() const { return waiting_tokens_ >= std::min(underway_tokens_, limits_.tokens); }
  void wait_for_batch(std::unique_lock<std::mutex>& lock);
  std::vector<search::Job> take_batch();
  void pass_on(std::vector<search::Job> batch);
  void arrive(std::size_t tokens);

  std::unique_ptr<search::TextTranslator> translator_;
  BatchLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::list<Group> waiting_;
  Clock::time_point oldest_{};  // when the first waiting text came
  std::size_t waiting_texts_ = 0, waiting_tokens_ = 0, underway_texts_ = 0, underway_tokens_ = 0;
  std::uint64_t batches_ = 0, texts_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace dragoman::serve
