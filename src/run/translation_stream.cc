#include "run/translation_stream.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"

namespace dragoman::run {
namespace {

// Maximum number of lines, and of bytes of their requests, read ahead of the line being written.
constexpr std::size_t kMostAhead = 4096;
constexpr std::size_t kMostBytesAhead = std::size_t{16} << 20;

std::size_t bytes_of(const Request& request) {
  std::size_t bytes = sizeof request + request.text.size() + request.prefix.size();
  for (const auto& term : request.terms) bytes += sizeof term + term.first.size() + term.second.size();
  for (const std::string& word : request.banned) bytes += sizeof(std::string) + word.size();
  return bytes;
}

// The state of one call of translate_lines(). It is held by a shared_ptr, because after an error a reader thread that
// is blocked on input outlives the call, together with its stream.
class LineTranslator : public std::enable_shared_from_this<LineTranslator> {
 public:
  LineTranslator(search::TextTranslator& translator, const SearchOptions& options, const TranslationStream& stream)
      : translator_(translator), options_(std::make_shared<const SearchOptions>(options)), stream_(stream) {}

  void run();

 private:
  // A line that was read and not yet written.
  struct Line {
    Request request;
    TranslationResult result{};
    std::exception_ptr error = nullptr;
    bool answered = false;
  };

  void read_all() noexcept;
  void submit_all() noexcept;
  void submit_lines();
  std::vector<search::Job> take_jobs();
  void take_answer(std::uint64_t line, TranslationResult result, const std::exception_ptr& error) noexcept;
  void write_all();
  void stop();

  search::TextTranslator& translator_;
  std::shared_ptr<const SearchOptions> options_;
  TranslationStream stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Line> lines_;
  std::size_t bytes_ = 0;        // of the requests in lines_
  std::uint64_t first_ = 0;      // the number of lines_.front()
  std::uint64_t submitted_ = 0;  // lines given to the translator
  std::exception_ptr reading_error_, submitting_error_;
  bool read_everything_ = false, stopping_ = false;
  std::uint64_t unanswered_ = 0;
};

template <class F>
std::thread start_thread(F&& work) {
  try {
    return std::thread(std::forward<F>(work));
  } catch (const std::system_error& error) {
    fail("a thread for reading or translating cannot be started: {}", error.what());
  }
}

// Joins a thread at the end of a block, however that is left.
class Joined {
 public:
  Joined(std::thread thread, std::function<void()> stop) : thread_(std::move(thread)), stop_(std::move(stop)) {}
  ~Joined() {
    stop_();
    thread_.join();
  }
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

 private:
  std::thread thread_;
  std::function<void()> stop_;
};

void LineTranslator::run() {
  std::thread reader;
  try {
    const Joined submitter(start_thread([this] { submit_all(); }), [this] { stop(); });
    reader = start_thread([self = shared_from_this()] { self->read_all(); });
    write_all();
  } catch (...) {
    // A reader blocked on input cannot be interrupted.
    if (reader.joinable()) reader.detach();
    throw;
  }
  reader.join();
}

void LineTranslator::read_all() noexcept {
  try {
    for (;;) {
      Line line;
      const bool more = stream_.read(line.request);
      const std::size_t bytes = bytes_of(line.request);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return stopping_ || lines_.empty() || (lines_.size() < kMostAhead && bytes_ + bytes <= kMostBytesAhead);
      });
      if (stopping_ || !more) break;
      lines_.push_back(std::move(line));
      bytes_ += bytes;
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

// An error here ends the stream; lines that the translator already has are still answered.
void LineTranslator::submit_all() noexcept {
  try {
    submit_lines();
  } catch (...) {
    std::lock_guard lock(mutex_);
    submitting_error_ = std::current_exception();
    changed_.notify_all();
  }
  // Callbacks of pending translations refer to this object.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return unanswered_ == 0; });
}

void LineTranslator::submit_lines() {
  for (;;) {
    std::vector<search::Job> jobs = take_jobs();
    if (jobs.empty()) return;
    translator_.submit(std::move(jobs));
  }
}

// Waits for lines; none means that there are no more.
std::vector<search::Job> LineTranslator::take_jobs() {
  std::vector<Request> requests;
  std::uint64_t line = 0;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || read_everything_ || submitted_ < first_ + lines_.size(); });
    if (stopping_) return {};
    line = submitted_;
    for (auto at = static_cast<std::size_t>(line - first_); at < lines_.size(); ++at)
      requests.push_back(lines_[at].request);
    submitted_ += requests.size();
  }
  std::vector<search::Job> jobs;
  jobs.reserve(requests.size());
  for (Request& request : requests) {
    search::Answer answer([this, line](TranslationResult result, const std::exception_ptr& error) {
      take_answer(line, std::move(result), error);
    });
    {
      std::lock_guard lock(mutex_);
      ++unanswered_;
    }
    jobs.push_back({std::move(request), options_, line++, std::move(answer)});  // cannot fail: answers are counted
  }
  return jobs;
}

void LineTranslator::take_answer(std::uint64_t line, TranslationResult result,
                                 const std::exception_ptr& error) noexcept {
  std::lock_guard lock(mutex_);
  Line& here = lines_[static_cast<std::size_t>(line - first_)];
  here.result = std::move(result);
  here.error = error;
  here.answered = true;
  --unanswered_;
  changed_.notify_all();
}

void LineTranslator::write_all() {
  for (;;) {
    Line written;
    std::uint64_t line = 0;
    {
      std::unique_lock lock(mutex_);
      const auto ready = [this] {
        return submitting_error_ || (lines_.empty() ? read_everything_ : lines_.front().answered);
      };
      if (!ready()) {
        lock.unlock();
        stream_.idle();
        lock.lock();
        changed_.wait(lock, ready);
      }
      if (lines_.empty() || !lines_.front().answered) {
        for (const std::exception_ptr& error : {submitting_error_, reading_error_})
          if (error) std::rethrow_exception(error);
        return;
      }
      written = std::move(lines_.front());
      lines_.pop_front();
      bytes_ -= bytes_of(written.request);
      line = ++first_;
      changed_.notify_all();
    }
    if (written.error) {
      try {
        std::rethrow_exception(written.error);
      } catch (const std::bad_alloc&) {
        fail("line {}: memory ran out", line);
      } catch (const std::exception& error) {
        fail("line {}: {}", line, error.what());
      }
    }
    stream_.write(line, written.request, written.result);
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
  translator.check_request({}, options);
  std::make_shared<LineTranslator>(translator, options, stream)->run();
}

}  // namespace dragoman::run
