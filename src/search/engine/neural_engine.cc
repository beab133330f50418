#include "search/engine/neural_engine.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/threads.h"
#include "search/engine/options.h"

namespace dragoman::search {
namespace {

// Several batches per GPU: it computes one while the host selects hypotheses of another.
constexpr int kGpuWorkers = 4;
// Memory grows with the hypotheses of a batch. A batch is full with as many as if each of its sentences had a beam of
// this width, so a wider beam shares the batch with fewer sentences.
constexpr std::size_t kBeamOfFullBatch = 16;

// Answers the jobs that nobody waits for any more, without translating them.
void drop_cancelled(std::vector<std::shared_ptr<NeuralJob>>& jobs) {
  std::erase_if(jobs, [](const std::shared_ptr<NeuralJob>& job) {
    if (!job->is_cancelled()) return false;
    job->fail(std::make_exception_ptr(Cancelled()));
    return true;
  });
}

}  // namespace

int usual_batch(const Device& device) { return device.on_host() ? 32 : 256; }

NeuralEngine::NeuralEngine(std::vector<std::unique_ptr<Model>> models, const TranslatorOptions& options)
    : models_(std::move(models)) {
  check(!models_.empty(), "expected at least one model");
  const Device& device = models_[0]->network().parameters().weights().device();
  batch_ = static_cast<std::size_t>(options.batch > 0 ? options.batch : usual_batch(device));
  shares_ = device.on_host();
  for (const auto& model : models_)
    check(model->target().serialize() == models_[0]->target().serialize() &&
              model->info().config.target_vocabulary == models_[0]->info().config.target_vocabulary,
          "{} and {} do not share a target vocabulary, so they cannot form an ensemble", model->path(),
          models_[0]->path());
  for (const auto& model : models_) networks_.push_back(&model->network());
  choose_shortlist(options.shortlist);
  const int usual = device.on_host() ? threads_or(options.threads, threads::count())
                                     : std::min(threads_or(options.threads, kGpuWorkers), kGpuWorkers);
  const int count = threads_or(options.workers, usual);
  limit_ = threads_or(options.threads, std::numeric_limits<int>::max());
  idle_.assign(static_cast<std::size_t>(count), false);
  workers_.start(
      count, [this](int number) { work(static_cast<std::size_t>(number)); }, [this] { stop(); });
}

void NeuralEngine::choose_shortlist(bool wanted) {
  const Model& first = *models_[0];
  if (!wanted || first.info().shortlist.empty()) return;
  if (models_.size() > 1)
    note_ = fmt::format("{}: its shortlist is not used in an ensemble", first.path());
  else if (!first.placement().device.on_host())
    note_ = fmt::format("{}: its shortlist is for CPUs; the GPU computes the whole output layer", first.path());
  else
    shortlist_.emplace(first.info().shortlist, first.network());
}

NeuralEngine::~NeuralEngine() {
  stop();
  workers_.join();
}

void NeuralEngine::stop() {
  std::deque<JobPointer> dropped;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(waiting_);
  }
  wake_.notify_all();
  for (const JobPointer& job : dropped) job->fail(std::make_exception_ptr(Cancelled()));
}

void NeuralEngine::check_request(const Request& request, const SearchOptions& options) const {
  check(options.sample || options.n_best <= options.beam,
        "n-best {} is more than the beam keeps (beam {}); raise the beam to at least {}, or ask for fewer",
        options.n_best, options.beam, options.n_best);
  check(!(options.alignment || options.replace_unknown) || aligns(),
        "{}: the model does not attend to single source words, so it can neither align words nor replace unknown ones",
        models_[0]->path());
  check(request.banned.size() <= kMostBanned, "expected at most {} banned words but got {}", kMostBanned,
        request.banned.size());
  // Tokens may name the language; encode_source_tokens() checks them.
  if (!request.tokens.empty()) return;
  for (const auto& model : models_) model->check_direction(direction_of(request, options));
}

void NeuralEngine::submit(std::vector<Job> jobs) {
  std::vector<JobPointer> started(jobs.size());
  threads::each(std::ssize(jobs), [&](std::int64_t i) {
    Job& job = jobs[static_cast<std::size_t>(i)];
    try {
      started[static_cast<std::size_t>(i)] =
          std::make_shared<NeuralJob>(job, models_, shortlist_ ? &*shortlist_ : nullptr);
    } catch (...) {
      job.answer.give(std::current_exception());
    }
  });
  std::erase(started, nullptr);
  {
    std::lock_guard lock(mutex_);
    waiting_.insert(waiting_.end(), started.begin(), started.end());
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

int NeuralEngine::usual_tokens() const {
  int least = Engine::usual_tokens();
  for (const auto& model : models_) least = std::min(least, model->longest_learned());
  return least;
}

// One worker's decoder and its jobs.
class NeuralEngine::Worker {
 public:
  explicit Worker(std::vector<const models::Seq2seq*> networks) : decoder_(std::move(networks)) {}

  std::size_t sentences() const { return jobs_.size(); }
  std::size_t hypotheses() const { return hypotheses_; }

  // Starts the new jobs, or, without new ones, decodes one more token of every job.
  void advance(const std::vector<JobPointer>& taken) {
    jobs_.insert(jobs_.end(), taken.begin(), taken.end());
    for (const JobPointer& job : taken) hypotheses_ += job->width();
    std::vector<JobPointer> beginning = std::exchange(again_, {});
    beginning.insert(beginning.end(), taken.begin(), taken.end());
    if (beginning.empty()) return decoder_.step();
    std::vector<DecodingTask> tasks;
    for (const JobPointer& job : beginning) {
      tasks.push_back(job->task());
      tasks.back().finished = [this, job](DecodingTask& task) { complete(job, task); };
    }
    decoder_.add(std::move(tasks));
  }

  void fail(const std::exception_ptr& error) {
    for (const JobPointer& job : jobs_) job->fail(error);
  }

 private:
  // May be called by several threads at once.
  void complete(const JobPointer& job, const DecodingTask& task) {
    std::exception_ptr error;
    bool taken = true;
    try {
      if (task.abandoned) throw Cancelled();
      taken = job->take(task);
    } catch (...) {
      error = std::current_exception();
    }
    {
      std::lock_guard lock(mutex_);
      if (!taken) return again_.push_back(job);
      jobs_.erase(std::find(jobs_.begin(), jobs_.end(), job));
      hypotheses_ -= job->width();
    }
    error ? job->fail(error) : job->finish();
  }

  BatchDecoder decoder_;
  std::mutex mutex_;               // guards the lists
  std::vector<JobPointer> jobs_;   // all jobs of this worker
  std::size_t hypotheses_ = 0;     // of these jobs, at most
  std::vector<JobPointer> again_;  // jobs that must be searched again
};

void NeuralEngine::work(std::size_t number) {
  const threads::LimitScope limit(limit_);
  const PrecisionScope precision(models_[0]->placement());
  std::optional<Worker> worker;
  for (;;) {
    std::vector<JobPointer> taken;
    // An exception becomes an error of the jobs under way.
    try {
      taken = wait_for_work(number, worker ? worker->sentences() : 0, worker ? worker->hypotheses() : 0);
      if (stopping_) throw Cancelled();
      drop_cancelled(taken);
      if (taken.empty() && (!worker || worker->sentences() == 0)) continue;
      if (!worker) worker.emplace(networks_);
      std::optional<threads::SerialScope> serial;
      if (others_work()) serial.emplace();
      worker->advance(taken);
    } catch (...) {
      if (worker) worker->fail(std::current_exception());
      for (const JobPointer& job : taken) job->fail(std::current_exception());
      worker.reset();
      if (stopping_) return;
    }
  }
}

// Takes new sentences only when a quarter of the batch is free, so that the encoder runs on a batch of reasonable size.
std::vector<NeuralEngine::JobPointer> NeuralEngine::wait_for_work(std::size_t number, std::size_t sentences,
                                                                  std::size_t hypotheses) {
  std::unique_lock lock(mutex_);
  if (sentences == 0) {
    idle_[number] = true;
    wake_.wait(lock, [&] { return stopping_ || (!waiting_.empty() && is_next(number)); });
    idle_[number] = false;
  }
  std::vector<JobPointer> taken;
  if (waiting_.empty() || batch_ < sentences + std::max<std::size_t>(batch_ / 4, 1)) return taken;
  // On the host, leave idle workers their share of the queue; a GPU is faster with one large batch.
  const std::size_t sharers = shares_ ? static_cast<std::size_t>(idle()) + 1 : 1;
  const std::size_t count = std::min(batch_ - sentences, (waiting_.size() + sharers - 1) / sharers);
  taken.reserve(count);
  while (taken.size() < count) {
    hypotheses += waiting_.front()->width();
    const bool first = sentences + taken.size() == 0;
    if (!first && hypotheses > batch_ * kBeamOfFullBatch) break;
    taken.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (!shares_ && !waiting_.empty()) wake_.notify_all();
  return taken;
}

// Without sharing, the first idle worker takes the jobs, since its memory is already allocated.
bool NeuralEngine::is_next(std::size_t number) const {
  return shares_ || std::find(idle_.begin(), idle_.end(), true) - idle_.begin() == static_cast<std::ptrdiff_t>(number);
}

int NeuralEngine::idle() const { return static_cast<int>(std::count(idle_.begin(), idle_.end(), true)); }

bool NeuralEngine::others_work() {
  std::lock_guard lock(mutex_);
  return !waiting_.empty() || idle() + 1 < std::ssize(idle_);
}

}  // namespace dragoman::search
