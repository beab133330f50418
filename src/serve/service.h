#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "run/term_list.h"
#include "serve/http_message.h"
#include "serve/model_set.h"
#include "serve/task_threads.h"

namespace dragoman::serve {

// Sentences of one request to translate into one language.
struct SentenceTask {
  struct Sentence {
    std::string text, source;  // the language
  };
  std::vector<Sentence> sentences;
  std::string target;
  SearchOptions search;
  std::shared_ptr<const run::TermList> terms;  // null for none
  Caller caller;
  std::shared_ptr<Fate> fate = std::make_shared<Fate>();
  bool cached = true;      // results may come from the cache, where only texts, scores and alignments are kept
  std::string model{};     // the name of the model; empty for the first one of the direction
  std::string prefix{};    // the translation of the first sentence begins with this
  std::size_t weight = 1;  // how many times the usual work a token takes
};

// Translates with the current models: finds directions, bounds the work, uses the cache and passes on to the batches.
class Service {
 public:
  using Loader = std::function<std::unique_ptr<ModelSet>()>;
  using Results = std::vector<TranslationResult>;
  // Called once, by one of the task threads.
  using Done = std::function<void(Results, std::exception_ptr)>;

  Service(Loader loader, std::size_t most_waiting_tokens, TaskThreads& threads);
  ~Service() { close(); }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Throws HttpError 503 after close().
  std::shared_ptr<const ModelSet> models() const;
  // The tokens that were accepted and are not translated yet.
  const Shares& load() const { return load_; }
  // Loads the models again. Requests under way finish with the old ones. Throws HttpError 503 after close().
  void reload();
  // Waits until the requests under way have finished with the models and until no models are being loaded, and drops
  // them. Not for a task thread.
  void close();
  // Throws HttpError if the task is impossible or if too much is waiting.
  void translate(const SentenceTask& task, Done done);

 private:
  std::shared_ptr<const ModelSet> load_models();
  void destroy(const ModelSet* models);

  Loader loader_;
  TaskThreads& threads_;
  Shares load_;
  std::mutex reload_mutex_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable destroyed_;
  bool closed_ = false;
  std::size_t sets_ = 0;  // loaded and not yet destroyed: the current one and those that requests still use
  std::shared_ptr<const ModelSet> models_;
};

}  // namespace dragoman::serve
