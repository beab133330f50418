#include "run/translation_stream.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"

namespace dragoman::run {
namespace {

// Maximum number of lines read ahead of the line being written.
constexpr std::size_t kMostAhead = 4096;

// The state of one call of translate_lines(). It is held by a shared_ptr, because after an error a reader thread that
// is blocked on input outlives the call, together with its stream.
class LineTranslator : public std::enable_shared_from_this<LineTranslator> {
 public:
  LineTranslator(search::TextTranslator& translator, const SearchOptions& options, const TranslationStream& stream)
      : translator_(translator), options_(std::make_shared<const SearchOptions>(options)), stream_(stream) {}

  void run();

 private:
  struct Answer {
    TranslationResult result;
    std::exception_ptr error;
  };

  void read_all();
  void submit_all();
  void write_all();
  void stop();

  search::TextTranslator& translator_;
  std::shared_ptr<const SearchOptions> options_;
  TranslationStream stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> lines_;                // read and not yet written
  std::uint64_t first_ = 0;                  // the number of lines_.front()
  std::uint64_t submitted_ = 0;              // lines given to the translator
  std::map<std::uint64_t, Answer> answers_;  // not yet written, by line
  std::exception_ptr reading_error_;
  bool read_everything_ = false, stopping_ = false;
  std::uint64_t unanswered_ = 0;
};

void LineTranslator::run() {
  std::thread reader([self = shared_from_this()] { self->read_all(); });
  std::thread submitter([&] { submit_all(); });
  std::exception_ptr error;
  try {
    write_all();
  } catch (...) {
    error = std::current_exception();
  }
  stop();
  submitter.join();
  // A reader blocked on input cannot be interrupted.
  if (error) {
    reader.detach();
    std::rethrow_exception(error);
  }
  reader.join();
}

void LineTranslator::read_all() {
  try {
    for (;;) {
      Request request;
      const bool more = stream_.read(request);
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

void LineTranslator::submit_all() {
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
  // Callbacks of pending translations refer to this object.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return unanswered_ == 0; });
}

void LineTranslator::write_all() {
  for (;;) {
    Request request;
    Answer answer;
    std::uint64_t line = 0;
    {
      std::unique_lock lock(mutex_);
      const auto ready = [this] { return answers_.contains(first_) || (read_everything_ && lines_.empty()); };
      if (!ready()) {
        lock.unlock();
        stream_.idle();
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
    stream_.write(line, request, answer.result);
  }
}

void LineTranslator::stop() {
  std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

}  // namespace

void translate_lines(search::TextTranslator& translator, const SearchOptions& options,
                     const TranslationStream& stream) {
  std::make_shared<LineTranslator>(translator, options, stream)->run();
}

}  // namespace dragoman::run
