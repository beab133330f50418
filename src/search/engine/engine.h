#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/join.h"
#include "dragoman/translator.h"
#include "search/engine/model.h"

namespace dragoman::search {

// The languages of a request; empty where none was asked for.
inline Direction direction_of(const Request& request, const SearchOptions& options) {
  return {.to = request.to.empty() ? options.to : request.to,
          .from = request.from.empty() ? options.from : request.from};
}

// Takes a result or an exception to whoever asked, exactly once: an answer that is destroyed before it was given
// reports an error, so nobody waits for a job that was dropped.
class Answer {
 public:
  // Called from any thread. Must not throw.
  using Function = std::function<void(TranslationResult, std::exception_ptr)>;

  Answer() = default;
  explicit Answer(Function function) : function_(std::move(function)) {}
  Answer(Answer&& other) noexcept : function_(std::exchange(other.function_, nullptr)) {}
  Answer& operator=(Answer&& other) noexcept;
  ~Answer() { drop(); }

  void give(TranslationResult result);
  void give(std::exception_ptr error);

 private:
  void drop();

  Function function_;
};

// Set by whoever asked once the answer is no longer needed. Null if that never happens.
using Cancellation = std::shared_ptr<const std::atomic<bool>>;

// The answer to a job that was cancelled before it was translated.
class Cancelled : public Error {
 public:
  Cancelled() : Error("the request was cancelled before it was translated") {}
};

// One sentence to translate.
struct Job {
  Request request;
  std::shared_ptr<const SearchOptions> options;
  std::uint64_t stream = 0;  // selects the random numbers of sampling
  Answer answer;
  std::vector<text::Encoded> source{};  // tokens per model, with BOS and EOS; filled by tokenize()
  std::uint32_t offset = 0;             // of the sentence in the text that it is a part of
  Cancellation cancelled{};             // an engine answers a cancelled job with Cancelled as soon as it can

  bool is_cancelled() const { return cancelled && cancelled->load(std::memory_order_relaxed); }
};

// Interface of the neural and the statistical translator. An engine translates many sentences at a time; each must fit
// the model's limits. TextTranslator splits longer text.
class Engine {
 public:
  virtual ~Engine() = default;

  // Throws Error with the reason if the engine cannot do what is asked. TextTranslator calls it for every request, also
  // for blank ones, which never become jobs, once check_options() has accepted the options.
  virtual void check_request(const Request& request, const SearchOptions& options) const = 0;
  // Throws Error with the reason if the engine cannot write one of the terms or the prefix, whatever the text is.
  virtual void check_constraints(const Request&) const {}
  // Whether it can align the words of a translation with those of the source.
  virtual bool aligns() const = 0;
  // What a user should know of how the models are used; empty if there is nothing special.
  virtual std::string note() const { return {}; }
  // Queues jobs, which have been checked, and returns at once. The destructor cancels the remaining jobs.
  virtual void submit(std::vector<Job> jobs) = 0;
  // The number of tokens in a text, and the maximum that the engine accepts.
  virtual int count_tokens(std::string_view text) const = 0;
  // The number of tokens in a job's text. Caches the tokens in the job.
  virtual int tokenize(Job& job) const { return count_tokens(job.request.text); }
  virtual int max_tokens() const = 0;
  // The number of sentences that it works on at a time; others wait.
  virtual std::size_t capacity() const { return 32; }
  // The number of tokens up to which translations are good: that of the longest sentences it has learned from, or what
  // is usual.
  virtual int usual_tokens() const { return 256; }
  // The text of a source that is given as tokens.
  virtual std::string text_of(const std::vector<std::string>& tokens) const { return join(tokens, " "); }
  // The model, or the first one of an ensemble; null for a statistical model.
  virtual const Model* model() const { return nullptr; }
};

}  // namespace dragoman::search
