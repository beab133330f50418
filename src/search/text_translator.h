#pragma once

#include <memory>

#include "search/engine.h"

namespace dragoman::search {

// Translates text of any length: splits text that is too long for the model, passes the parts to the engine, and joins
// the translations. submit() delivers results in any order; translate() keeps the order.
class TextTranslator {
 public:
  // Chooses the neural or the statistical engine by the model file.
  TextTranslator(const std::vector<std::string>& model_files, const TranslatorOptions& options);
  TextTranslator(std::unique_ptr<Engine> engine, const TranslatorOptions& options);

  // Returns at once. Blank texts are answered immediately.
  void submit(std::vector<Job> jobs);
  // Waits for all results and returns them in order.
  std::vector<TranslationResult> translate(const std::vector<Request>& requests, const SearchOptions& search);

 private:
  std::vector<std::string> cut(Job& job) const;

  TranslatorOptions options_;
  int limit_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace dragoman::search
