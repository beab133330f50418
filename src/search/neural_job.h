#pragma once

#include "search/decoder.h"
#include "search/engine.h"
#include "search/model.h"

namespace dragoman::search {

// Fails with the reason unless the options make sense together.
void check_options(const SearchOptions& options);

// A job in the hands of neural models: text to tokens, a search, tokens to text.
class NeuralJob {
 public:
  // Fails when the sentence is too long for one of the models, or the options make no sense.
  NeuralJob(Job job, std::span<const std::unique_ptr<Model>> models);

  // Finds the text's tokens for all models; how many the one that has most of them counts, marks aside.
  static int tokenize(Job& job, std::span<const std::unique_ptr<Model>> models);

  // The work for a decoder; `finished` is left to the caller.
  Task task() const;
  // Takes what the search found. False when a banned word came out in a spelling that was not thought of: then the
  // spelling is banned, too, and task() gives the work anew.
  bool take(const Task& task);
  // Hands the result, or what went wrong, to whoever asked.
  void finish() { job_.done(std::move(result_), nullptr); }
  void fail(std::exception_ptr error) { job_.done({}, error); }

 private:
  Goal goal() const;
  Tokens in_sentence(const std::string& words) const;
  Translation translation(const Task& task, const Finished& finished) const;
  void describe(const Task& task, std::span<const std::int32_t> path, Translation& translation) const;
  bool ban_spellings(const Task& task);

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
