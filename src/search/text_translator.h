#pragma once

#include <memory>

#include "search/engine.h"

namespace dragoman::search {

// Text of any length in, text out: splits text that is too long for the model, passes the parts to the engine, and
// joins the translations. submit() answers in any order; translate() keeps the order.
class TextTranslator {
 public:
  // Neural or statistical, as the model file says.
  TextTranslator(const std::vector<std::string>& model_files, const TranslatorOptions& options);
  TextTranslator(std::unique_ptr<Engine> engine, const TranslatorOptions& options);

  // Returns at once. Blank texts are answered immediately.
  void submit(std::vector<Job> jobs);
  // Waits for all answers and returns them in order.
  std::vector<TranslationResult> translate(const std::vector<Request>& requests, const SearchOptions& search);

 private:
  std::vector<std::string> cut(Job& job) const;

  TranslatorOptions options_;
  int limit_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace dragoman::search
