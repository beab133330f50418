#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "search/text_translator.h"

namespace dragoman::run {

// Lines in, translations out in the same order, while more lines arrive. Reading stays a bounded number of lines ahead
// of writing, and whatever has been read is translated at once, so a slow producer waits for nothing but its own line.
class TranslationStream : public std::enable_shared_from_this<TranslationStream> {
 public:
  using Read = std::function<bool(Request&)>;  // false at the end
  using Write = std::function<void(std::uint64_t line, const Request&, const TranslationResult&)>;

  TranslationStream(search::TextTranslator& translator, std::shared_ptr<const SearchOptions> options)
      : translator_(translator), options_(std::move(options)) {}

  // To be held by a shared_ptr: after an error a reader that waits for input outlives the call, with `read` and this.
  // Calls `write` for every line in order, on this thread; throws what reading, translating or writing threw. `idle` is
  // called when the next line is not ready yet.
  void run(const Read& read, const Write& write, const std::function<void()>& idle);

 private:
  struct Answer {
    TranslationResult result;
    std::exception_ptr error;
  };

  void read_all(const Read& read);
  void submit_all();
  void write_all(const Write& write, const std::function<void()>& idle);
  void stop();

  search::TextTranslator& translator_;
  std::shared_ptr<const SearchOptions> options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> lines_;                // read and not yet written
  std::uint64_t first_ = 0;                  // the number of lines_.front()
  std::uint64_t submitted_ = 0;              // lines given to the translator
  std::map<std::uint64_t, Answer> answers_;  // those that came before their turn
  std::exception_ptr reading_error_;
  bool read_everything_ = false, stopping_ = false;
  std::uint64_t unanswered_ = 0;
};

}  // namespace dragoman::run
