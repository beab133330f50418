#include "search/neural_engine.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/threads.h"

namespace dragoman::search {
namespace {

// So that a GPU computes some batches while the host decides about others.
constexpr int kWorkersOfAGpu = 4;

}  // namespace

int usual_batch(const Device& device) { return device.on_host() ? 32 : 256; }

NeuralEngine::NeuralEngine(std::vector<std::unique_ptr<Model>> models, const TranslatorOptions& options)
    : models_(std::move(models)) {
  check(!models_.empty(), "expected at least one model");
  check(options.batch >= 0, "batch must be at least 0, got {}", options.batch);
  const Device& device = models_[0]->network().parameters().weights().device();
  batch_ = static_cast<std::size_t>(options.batch > 0 ? options.batch : usual_batch(device));
  shares_ = device.on_host();
  for (const auto& model : models_)
    check(model->target().serialize() == models_[0]->target().serialize() &&
              model->info().config.target_vocabulary == models_[0]->info().config.target_vocabulary,
          "{} and {} do not share a target vocabulary, so they make no ensemble", model->path(), models_[0]->path());
  const int usual = device.on_host() ? threads::count() : kWorkersOfAGpu;
  const int count = options.threads > 0 ? options.threads : usual;
  idle_.assign(static_cast<std::size_t>(count), false);
  for (int i = 0; i < count; ++i) workers_.emplace_back([this, i] { work(static_cast<std::size_t>(i)); });
}

NeuralEngine::~NeuralEngine() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void NeuralEngine::submit(std::vector<Job> jobs) {
  std::vector<Flight> flights(jobs.size());
  threads::each(std::ssize(jobs), [&](std::int64_t i) {
    Job& job = jobs[static_cast<std::size_t>(i)];
    const auto done = job.done;
    try {
      flights[static_cast<std::size_t>(i)] = std::make_shared<NeuralJob>(std::move(job), models_);
    } catch (...) {
      done({}, std::current_exception());
    }
  });
  std::erase(flights, nullptr);
  {
    std::lock_guard lock(mutex_);
    waiting_.insert(waiting_.end(), flights.begin(), flights.end());
  }
  wake_.notify_all();
}

int NeuralEngine::count_tokens(std::string_view text) const {
  std::size_t most = 0;
  for (const auto& model : models_) {
    Tokens ids;
    model->source().encode(text, ids);
    most = std::max(most, ids.size());
  }
  return static_cast<int>(most);
}

int NeuralEngine::max_tokens() const {
  int least = std::numeric_limits<int>::max();
  for (const auto& model : models_) least = std::min(least, model->max_source());
  return least;
}

// One worker's decoder and the jobs it has.
class NeuralEngine::Worker {
 public:
  Worker(std::vector<const models::Seq2seq*> networks, std::int32_t begin) : decoder_(std::move(networks), begin) {}

  std::size_t underway() const { return flights_.size(); }

  // Begins what is new; when nothing is, one more token for all.
  void advance(const std::vector<Flight>& taken) {
    flights_.insert(flights_.end(), taken.begin(), taken.end());
    std::vector<Flight> beginning = std::exchange(again_, {});
    beginning.insert(beginning.end(), taken.begin(), taken.end());
    if (beginning.empty()) return decoder_.step();
    std::vector<Task> tasks;
    for (const Flight& flight : beginning) {
      tasks.push_back(flight->task());
      tasks.back().finished = [this, flight](Task& task) { land(flight, task); };
    }
    decoder_.add(std::move(tasks));
  }

  void fail(const std::exception_ptr& error) {
    for (const Flight& flight : flights_) flight->fail(error);
  }

 private:
  // By several threads at a time.
  void land(const Flight& flight, const Task& task) {
    const bool taken = flight->take(task);
    {
      std::lock_guard lock(landing_);
      if (!taken) return again_.push_back(flight);
      flights_.erase(std::find(flights_.begin(), flights_.end(), flight));
    }
    flight->finish();
  }

  Decoder decoder_;
  std::mutex landing_;           // of both lists
  std::vector<Flight> flights_;  // all jobs underway
  std::vector<Flight> again_;    // those of them that must be searched anew
};

void NeuralEngine::work(std::size_t number) {
  std::vector<const models::Seq2seq*> networks;
  for (const auto& model : models_) networks.push_back(&model->network());
  std::optional<Worker> worker;
  for (;;) {
    const std::vector<Flight> taken = wait_for_work(number, worker ? worker->underway() : 0);
    if (taken.empty() && (!worker || worker->underway() == 0)) return;
    if (!worker) worker.emplace(networks, models_[0]->target().special().begin);
    std::optional<threads::SerialScope> serial;
    if (others_work()) serial.emplace();
    try {
      worker->advance(taken);
    } catch (...) {
      worker->fail(std::current_exception());
      worker.reset();
    }
  }
}

// New sentences come in when a quarter of the places is free, so that reading them is worth a batch of its own.
std::vector<NeuralEngine::Flight> NeuralEngine::wait_for_work(std::size_t number, std::size_t underway) {
  std::unique_lock lock(mutex_);
  if (underway == 0) {
    idle_[number] = true;
    wake_.wait(lock, [&] { return stopping_ || (!waiting_.empty() && is_next(number)); });
    idle_[number] = false;
  }
  std::vector<Flight> taken;
  if (waiting_.empty() || batch_ < underway + std::max<std::size_t>(batch_ / 4, 1)) return taken;
  // Workers that have nothing to do get their share; a GPU does better with one large batch.
  const std::size_t sharers = shares_ ? static_cast<std::size_t>(idle()) + 1 : 1;
  const std::size_t count = std::min(batch_ - underway, (waiting_.size() + sharers - 1) / sharers);
  for (std::size_t i = 0; i < count; ++i) {
    taken.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (!shares_ && !waiting_.empty()) wake_.notify_all();
  return taken;
}

// Those who share come as they like. Of others the first comes, whose memory has been in use before.
bool NeuralEngine::is_next(std::size_t number) const {
  return shares_ || std::find(idle_.begin(), idle_.end(), true) - idle_.begin() == static_cast<std::ptrdiff_t>(number);
}

int NeuralEngine::idle() const { return static_cast<int>(std::count(idle_.begin(), idle_.end(), true)); }

bool NeuralEngine::others_work() {
  std::lock_guard lock(mutex_);
  return idle() + 1 < static_cast<int>(workers_.size());
}

}  // namespace dragoman::search
