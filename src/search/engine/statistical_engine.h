#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "search/engine/engine.h"
#include "search/engine/worker_threads.h"
#include "smt/phrase_system.h"
#include "store/safetensors.h"

namespace dragoman::search {

// A statistical model as one safetensors file: each part is a tensor of bytes, and the metadata names the kind of
// model.
void save_statistical(const std::string& path, const smt::PhraseSystem& system, const store::Metadata& card = {});

smt::PhraseSystem load_statistical(const std::string& path);

// The statistical translator: worker threads that translate one sentence at a time. Supports no forced or banned words,
// no sampling and no tree of hypotheses.
class StatisticalEngine : public Engine {
 public:
  StatisticalEngine(smt::PhraseSystem system, const TranslatorOptions& options);
  ~StatisticalEngine() override;

  void check_request(const Request& request, const SearchOptions& options) const override;
  void submit(std::vector<Job> jobs) override;
  int count_tokens(std::string_view text) const override;
  int max_tokens() const override;
  bool aligns() const override { return true; }
  std::string note() const override;

 private:
  void work();
  void stop();
  TranslationResult translate(const Job& job) const;
  Explanation explain(const std::string& source, const smt::PhraseTranslation& translation) const;
  std::vector<AlignmentLink> align(const std::string& source, const smt::PhraseTranslation& translation) const;
  std::vector<SpanLink> link_spans(const Job& job, const smt::PhraseTranslation& translation) const;

  smt::PhraseSystem system_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> waiting_;
  bool stopping_ = false;
  Precision precision_;
  WorkerThreads workers_;
};

}  // namespace dragoman::search
