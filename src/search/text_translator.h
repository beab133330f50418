#pragma once

#include <memory>

#include "search/engine.h"

namespace dragoman::search {

// Text of any length in, text out: cuts what is too long for the model, asks the engine, and joins the parts. The
// order of answers is the engine's; who asks keeps the order it wants.
class TextTranslator {
 public:
  // The kind of engine is that of the model file.
  TextTranslator(const std::vector<std::string>& model_files, const TranslatorOptions& options);
  TextTranslator(std::unique_ptr<Engine> engine, const TranslatorOptions& options);

  // Never waits. Blank texts are answered at once.
  void submit(std::vector<Job> jobs);
  // Waits for all answers and gives them in order.
  std::vector<TranslationResult> translate(const std::vector<Request>& requests, const SearchOptions& search);

 private:
  std::vector<std::string> cut(Job& job) const;

  TranslatorOptions options_;
  int limit_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace dragoman::search
