#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "search/constrain/source_terms.h"
#include "search/engine/engine.h"

namespace dragoman::search {

// A text that is translated in parts, and the translations of its parts, which arrive in any order. Only a bounded
// number of parts is with the engine at a time, and a part's translation is joined to the others as soon as it can be,
// so memory grows in proportion to the text and its translation.
class TextParts : public std::enable_shared_from_this<TextParts> {
 public:
  // `spans` are the parts of the job's text. The engine must outlive the object.
  TextParts(Job job, std::vector<text::Span> spans, Engine& engine);

  // The jobs to begin with. Those that follow are submitted as translations arrive.
  std::vector<Job> first_jobs();

 private:
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  std::vector<Job> make_jobs(Range parts) noexcept;
  Job make_job(std::size_t index);
  Terms terms_of(std::size_t index) const;
  void arrive(std::size_t index, TranslationResult result, const std::exception_ptr& error) noexcept;
  // These are called with the mutex held.
  Range take_next();
  void store(std::size_t index, TranslationResult result);
  void join(TranslationResult part);

  Job job_;
  std::vector<text::Span> spans_;
  Engine& engine_;
  std::vector<std::vector<text::Span>> term_places_;  // per term of the job
  std::mutex mutex_;
  std::size_t next_ = 0, underway_ = 0, joined_ = 0;       // parts begun, with the engine, and joined
  std::vector<std::unique_ptr<TranslationResult>> early_;  // per part: a result that waits for earlier parts
  TranslationResult whole_;
  int source_words_ = 0;           // of the joined parts
  std::vector<int> target_words_;  // of each joined translation
  std::exception_ptr error_;
};

}  // namespace dragoman::search
