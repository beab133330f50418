#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "search/engine/engine.h"
#include "search/engine/neural_job.h"
#include "search/engine/worker_threads.h"

namespace dragoman::search {

// The default batch size of a worker.
int usual_batch(const Device& device);

// Worker threads that take sentences from one queue, each with its own batch: one worker per core on the host, four for
// a GPU. While only one worker is busy, its operations use the other cores.
class NeuralEngine : public Engine {
 public:
  // Several models make an ensemble.
  NeuralEngine(std::vector<std::unique_ptr<Model>> models, const TranslatorOptions& options);
  ~NeuralEngine() override;

  void check_request(const Request& request, const SearchOptions& options) const override;
  void submit(std::vector<Job> jobs) override;
  int count_tokens(std::string_view text) const override;
  int tokenize(Job& job) const override { return search::tokenize(job, models_); }
  int max_tokens() const override;
  std::size_t capacity() const override { return batch_ * idle_.size(); }
  int usual_tokens() const override;
  void check_constraints(const Request& request) const override {
    search::check_constraints(request, models_[0]->target());
  }
  bool aligns() const override { return models_[0]->aligns(); }
  std::string note() const override { return note_; }
  std::string text_of(const std::vector<std::string>& tokens) const override {
    return models_[0]->source().decode(models_[0]->source_ids(tokens));
  }
  const Model* model() const override { return models_[0].get(); }

 private:
  using JobPointer = std::shared_ptr<NeuralJob>;

  // Sets shortlist_, or says in note_ why the shortlist of a model is not used.
  void choose_shortlist(bool wanted);

  class Worker;

  void work(std::size_t number);
  void stop();
  // The next jobs for a worker with this many sentences and hypotheses under way.
  std::vector<JobPointer> wait_for_work(std::size_t number, std::size_t sentences, std::size_t hypotheses);
  // Whether this idle worker should take the waiting jobs.
  bool is_next(std::size_t number) const;
  int idle() const;
  // Whether other workers are busy, or will be with what waits.
  bool others_work();

  std::vector<std::unique_ptr<Model>> models_;
  std::vector<const models::Seq2seq*> networks_;  // of these models
  std::optional<ActiveShortlist> shortlist_;      // of the first model, if it is used
  std::string note_;
  std::size_t batch_ = 0;
  bool shares_ = true;  // idle workers share the queue; otherwise one takes a full batch
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<JobPointer> waiting_;
  std::vector<bool> idle_;  // per worker
  std::atomic<bool> stopping_ = false;
  int limit_;  // maximum number of threads that one worker's operations use
  WorkerThreads workers_;
};

}  // namespace dragoman::search
