#pragma once

#include <memory>

#include "search/engine/engine.h"

namespace dragoman::search {

// Translates text of any length: splits text that is too long for the model, passes the parts to the engine, and joins
// the translations. submit() delivers results in any order; translate() keeps the order.
class TextTranslator {
 public:
  // Chooses the neural or the statistical engine by the model file.
  TextTranslator(const std::vector<std::string>& model_files, const TranslatorOptions& options);
  TextTranslator(std::unique_ptr<Engine> engine, const TranslatorOptions& options);

  // Throws Error with the reason if these options or constraints, needed by a text or not, are impossible to meet.
  void check_request(const Request& request, const SearchOptions& options) const;
  // Whether SearchOptions::alignment is possible.
  bool aligns() const { return engine_->aligns(); }
  int count_tokens(std::string_view text) const { return engine_->count_tokens(text); }
  // The number of sentences that are translated at a time; others wait.
  std::size_t capacity() const { return engine_->capacity(); }
  std::string note() const { return engine_->note(); }
  // The target languages to choose from; none if there is no choice.
  std::vector<std::string> languages() const;
  // The model, or the first one of an ensemble; null for a statistical model.
  const Model* model() const { return engine_->model(); }
  // Returns at once. Blank texts and texts of marks only are answered immediately. The options must have passed
  // check_options().
  void submit(std::vector<Job> jobs);
  // Waits for all results and returns them in order.
  std::vector<TranslationResult> translate(const std::vector<Request>& requests, const SearchOptions& search);

 private:
  std::vector<text::Span> prepare(Job& job) const;
  // Whether the translation of the text is the text, because it has nothing to translate and is protected.
  bool copies(const Job& job) const;
  bool is_too_long_to_count(std::string_view text) const;
  std::vector<text::Span> split(const std::vector<text::Span>& stretches, std::string_view text) const;

  TranslatorOptions options_;
  int limit_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace dragoman::search
