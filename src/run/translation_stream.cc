#include "run/translation_stream.h"

#include <thread>

#include "base/error.h"

namespace dragoman::run {
namespace {

constexpr std::size_t kMostAhead = 4096;

}  // namespace

void TranslationStream::run(const Read& read, const Write& write, const std::function<void()>& idle) {
  std::thread reader([self = shared_from_this(), read] { self->read_all(read); });
  std::thread submitter([&] { submit_all(); });
  std::exception_ptr error;
  try {
    write_all(write, idle);
  } catch (...) {
    error = std::current_exception();
  }
  stop();
  submitter.join();
  // A reader that waits for input cannot be woken.
  if (error) {
    reader.detach();
    std::rethrow_exception(error);
  }
  reader.join();
}

void TranslationStream::read_all(const Read& read) {
  try {
    for (;;) {
      Request request;
      const bool more = read(request);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || lines_.size() < kMostAhead; });
      if (stopping_ || !more) break;
      lines_.push_back(std::move(request));
      changed_.notify_all();
    }
  } catch (...) {
    std::lock_guard lock(mutex_);
    reading_error_ = std::current_exception();
  }
  std::lock_guard lock(mutex_);
  read_everything_ = true;
  changed_.notify_all();
}

void TranslationStream::submit_all() {
  for (;;) {
    std::vector<search::Job> jobs;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || read_everything_ || submitted_ < first_ + lines_.size(); });
      if (stopping_) break;
      if (submitted_ == first_ + lines_.size()) {
        if (read_everything_) break;
        continue;
      }
      for (; submitted_ < first_ + lines_.size(); ++submitted_) {
        const std::uint64_t line = submitted_;
        jobs.push_back({lines_[static_cast<std::size_t>(line - first_)], options_, line,
                        [this, line](TranslationResult result, std::exception_ptr error) {
                          std::lock_guard answered(mutex_);
                          answers_[line] = {std::move(result), error};
                          --unanswered_;
                          changed_.notify_all();
                        }});
        ++unanswered_;
      }
    }
    translator_.submit(std::move(jobs));
  }
  // Answers still on their way refer to this object.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return unanswered_ == 0; });
}

void TranslationStream::write_all(const Write& write, const std::function<void()>& idle) {
  for (;;) {
    Request request;
    Answer answer;
    std::uint64_t line = 0;
    {
      std::unique_lock lock(mutex_);
      const auto ready = [this] { return answers_.contains(first_) || (read_everything_ && lines_.empty()); };
      if (!ready()) {
        lock.unlock();
        idle();
        lock.lock();
        changed_.wait(lock, ready);
      }
      if (!answers_.contains(first_)) {
        if (reading_error_) std::rethrow_exception(reading_error_);
        return;
      }
      answer = std::move(answers_[first_]);
      answers_.erase(first_);
      request = std::move(lines_.front());
      lines_.pop_front();
      line = ++first_;
      changed_.notify_all();
    }
    if (answer.error) {
      try {
        std::rethrow_exception(answer.error);
      } catch (const std::exception& error) {
        fail("line {}: {}", line, error.what());
      }
    }
    write(line, request, answer.result);
  }
}

void TranslationStream::stop() {
  std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

}  // namespace dragoman::run
