#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/translator.h"
#include "text/tokenizer.h"

namespace dragoman::search {

// One sentence to translate. `done` is called exactly once, from any thread, with a result or with what went wrong.
struct Job {
  Request request;
  std::shared_ptr<const SearchOptions> options;
  std::uint64_t stream = 0;  // names the random numbers of sampling
  std::function<void(TranslationResult, std::exception_ptr)> done;
  std::vector<text::Encoded> source{};  // the text's tokens for each model, with their marks, once they were counted
};

// Translates sentences that fit its model, many at a time. What the neural and the statistical translator have in
// common; the text around sentences is TextTranslator's matter.
class Engine {
 public:
  virtual ~Engine() = default;

  // Takes jobs in; never waits for them. Those still unfinished when the engine ends are finished first.
  virtual void submit(std::vector<Job> jobs) = 0;
  // How many tokens the engine counts in a text, and how many it can take.
  virtual int count_tokens(std::string_view text) const = 0;
  // The same of a job's text; what there is to know of it for later stays with the job.
  virtual int tokenize(Job& job) const { return count_tokens(job.request.text); }
  virtual int max_tokens() const = 0;
};

}  // namespace dragoman::search
