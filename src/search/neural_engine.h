#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "search/engine.h"
#include "search/neural_job.h"

namespace dragoman::search {

// Sentences that a worker decodes at a time unless told otherwise.
int usual_batch(const Device& device);

// Workers that each decode a batch of their own from one queue: on the host one a core, for a GPU four. When a single
// worker has all there is to do, it uses the other cores inside its operations.
class NeuralEngine : public Engine {
 public:
  // Several models make an ensemble.
  NeuralEngine(std::vector<std::unique_ptr<Model>> models, const TranslatorOptions& options);
  ~NeuralEngine() override;

  void submit(std::vector<Job> jobs) override;
  int count_tokens(std::string_view text) const override;
  int tokenize(Job& job) const override { return NeuralJob::tokenize(job, models_); }
  int max_tokens() const override;

 private:
  using Flight = std::shared_ptr<NeuralJob>;

  class Worker;

  void work(std::size_t number);
  std::vector<Flight> wait_for_work(std::size_t number, std::size_t underway);
  // Whether this idle worker is the one to take what waits.
  bool is_next(std::size_t number) const;
  int idle() const;
  bool others_work();

  std::vector<std::unique_ptr<Model>> models_;
  std::size_t batch_ = 0;
  bool shares_ = true;  // idle workers take part of what one batch could hold
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Flight> waiting_;
  std::vector<bool> idle_;  // whether each worker is without work
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace dragoman::search
