#pragma once

#include "search/batch_decoder.h"
#include "search/engine.h"
#include "search/model.h"

namespace dragoman::search {

// Throws Error with the reason if the options do not make sense together.
void check_options(const SearchOptions& options);

// A job for neural models: tokenises the text, sets up the search and detokenises the result.
class NeuralJob {
 public:
  // Throws Error if the sentence is too long for one of the models.
  NeuralJob(Job job, std::span<const std::unique_ptr<Model>> models);

  // Tokenises the text for all models and caches the tokens in the job. Returns the largest number of tokens, not
  // counting marks.
  static int tokenize(Job& job, std::span<const std::unique_ptr<Model>> models);

  // The task for a decoder. The caller sets `finished`.
  DecodingTask task() const;
  // Takes the result of the search. Returns false if it contains a banned word in a new tokenisation. That tokenisation
  // is then banned too, and the caller must search task() again.
  bool take(const DecodingTask& task);
  // Passes the result or the error to the caller.
  void finish() { job_.done(std::move(result_), nullptr); }
  void fail(std::exception_ptr error) { job_.done({}, error); }

 private:
  Goal goal() const;
  Tokens in_sentence(const std::string& words) const;
  Translation translation(const DecodingTask& task, const Finished& finished) const;
  void describe(const DecodingTask& task, std::span<const std::int32_t> path, Translation& translation) const;
  bool ban_spellings(const DecodingTask& task);

  Job job_;
  std::span<const std::unique_ptr<Model>> models_;
  std::vector<Tokens> sources_;
  std::vector<text::Span> source_spans_;  // of the first model's tokens
  Tokens prefix_;
  std::vector<Tokens> banned_, terms_;
  int attempts_ = 0;
  TranslationResult result_;
};

}  // namespace dragoman::search
