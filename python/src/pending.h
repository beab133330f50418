#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

#include "python.h"
#include "search/engine/engine.h"

namespace dragoman::python {

// A translation that a model is working on. Threads of the engine deliver the answer without the interpreter's lock.
class Pending {
 public:
  explicit Pending(std::string text) : shared_(std::make_shared<Shared>()), text_(std::move(text)) {}
  // Nobody waits for it any more.
  ~Pending() {
    if (shared_) cancel();
  }
  Pending(Pending&&) = default;
  Pending& operator=(Pending&&) = delete;

  // What the engine answers to.
  search::Answer answer() const;
  search::Cancellation cancellation() const { return {shared_, &shared_->cancelled}; }

  bool done() const;
  // The engine drops the sentence as soon as it can.
  void cancel() { shared_->cancelled = true; }
  // Waits with the interpreter's lock released. Throws the error of the translation, or what a signal handler raised:
  // then the sentence is cancelled.
  const TranslationResult& wait();
  // The source text.
  const std::string& text() const { return text_; }

 private:
  struct Shared {
    std::atomic<bool> cancelled = false;
    std::mutex mutex;
    std::condition_variable arrived;
    bool done = false;
    TranslationResult result;
    std::exception_ptr error;
  };

  std::shared_ptr<Shared> shared_;
  std::string text_;
};

}  // namespace dragoman::python
