#include "serve/service.h"

#include <map>

#include "base/quote.h"
#include "search/constrain/constraints.h"
#include "serve/http_message.h"

namespace dragoman::serve {
namespace {

// The links from the source to the target when both are linked with a text in a third language.
std::vector<SpanLink> compose(const std::vector<SpanLink>& first, const std::vector<SpanLink>& second) {
  std::vector<SpanLink> links;
  for (const SpanLink& b : second)
    for (const SpanLink& a : first)
      if (a.target_begin < b.source_end && b.source_begin < a.target_end)
        links.push_back({a.source_begin, a.source_end, b.target_begin, b.target_end});
  return links;
}

// Nobody learns from the time of an answer what others have asked.
std::string cache_key(const Caller& caller, const text::LanguagePair& pair, const SearchOptions& search,
                      const std::string& text) {
  return fmt::format("{}\n{} {} {} {}\n{}", caller.owner, pair.show(), search.n_best, search.beam, search.alignment,
                     text);
}

// The sentences of one task, on their way.
class Progress : public std::enable_shared_from_this<Progress> {
 public:
  Progress(const SentenceTask& task, std::shared_ptr<const ModelSet> models, TaskThreads& threads, Service::Done done)
      : task_(task),
        models_(std::move(models)),
        threads_(threads),
        done_(std::move(done)),
        results_(task.sentences.size()),
        left_(task.sentences.size()) {
    for (const SentenceTask::Sentence& sentence : task.sentences)
      routes_.push_back(task.model.empty() ? models_->route(sentence.source, task.target)
                                           : models_->route(sentence.source, task.target, task.model));
    check_constraints();
    find_terms();
  }

  void admit(Shares& load) {
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < routes_.size(); ++i)
      tokens += estimate_tokens(task_.sentences[i].text) * routes_[i].size();
    ticket_ = load.take(task_.caller.client, tokens * task_.weight, [fate = task_.fate] { fate->give_up(503); });
    if (ticket_ == nullptr) throw HttpError(503, "too many requests are waiting; try again later", 1);
  }

  void start() {
    if (results_.empty()) return finish();
    std::map<BatchQueue*, std::vector<search::Job>> jobs;
    std::vector<std::pair<std::size_t, TranslationResult>> known;
    for (std::size_t i = 0; i < routes_.size(); ++i) {
      if (std::optional<TranslationResult> cached = find_cached(i))
        known.emplace_back(i, std::move(*cached));
      else
        jobs[routes_[i].front()->queue].push_back(make_job(i, 0, task_.sentences[i].text));
    }
    for (auto& [queue, list] : jobs) queue->submit(std::move(list));
    for (auto& [i, result] : known) store(i, std::move(result), nullptr);
  }

 private:
  void check_constraints() const {
    for (const ModelSet::Route& route : routes_) {
      if (task_.terms && !task_.terms->empty() && route.size() > 1)
        throw HttpError(400, fmt::format("terms need a model that translates {}-{} directly",
                                         route.front()->pair.source, route.back()->pair.target));
    }
  }

  void find_terms() {
    constexpr std::size_t kMost = search::Constraints::kMost;
    const std::shared_ptr<const run::TermList> all = std::move(task_.terms);  // long lists need not wait with the task
    if (!all || all->empty()) return;
    for (const SentenceTask::Sentence& sentence : task_.sentences) {
      if (task_.fate->cancelled) throw search::Cancelled();
      terms_.push_back(all->in(sentence.text, kMost + 1));
      if (terms_.back().size() > kMost)
        throw HttpError(400, fmt::format("a sentence has more than {} terms: '{}'", kMost, excerpt(sentence.text)));
    }
  }

  bool is_cached() const { return task_.cached && terms_.empty(); }
  std::string key_of(std::size_t i) const {
    return cache_key(task_.caller, {task_.sentences[i].source, task_.target}, task_.search, task_.sentences[i].text);
  }
  std::optional<TranslationResult> find_cached(std::size_t i) const {
    if (!is_cached()) return std::nullopt;
    return models_->cache().find(key_of(i));
  }

  search::Job make_job(std::size_t i, std::size_t hop, std::string text) {
    const ModelSet::Route& route = routes_[i];
    search::Job job;
    job.request.text = std::move(text);
    if (!terms_.empty()) job.request.terms = std::move(terms_[i]);
    if (i == 0 && hop == 0) job.request.prefix = task_.prefix;
    job.request.to = route[hop]->to;
    job.request.from = route[hop]->from;
    job.options = options_of(route, hop);
    job.stream = i;
    job.cancelled = {task_.fate, &task_.fate->cancelled};
    job.answer =
        search::Answer([self = shared_from_this(), i, hop](TranslationResult result, std::exception_ptr error) {
          self->arrive(i, hop, std::move(result), std::move(error));
        });
    return job;
  }

  // The way to a third language needs one translation only, and not every model can align words.
  std::shared_ptr<const SearchOptions> options_of(const ModelSet::Route& route, std::size_t hop) const {
    auto options = std::make_shared<SearchOptions>(task_.search);
    if (hop + 1 < route.size()) options->n_best = 1;
    options->alignment = options->alignment && route[hop]->queue->translator().aligns();
    return options;
  }

  // Called by the threads of an engine.
  void arrive(std::size_t i, std::size_t hop, TranslationResult result, std::exception_ptr error) {
    const ModelSet::Route& route = routes_[i];
    if (error || hop + 1 == route.size()) {
      if (hop > 0 && !error && task_.search.alignment) join_alignments(i, result);
      return store(i, std::move(result), std::move(error));
    }
    const std::string text = result.translations.empty() ? "" : result.translations.front().text;
    results_[i] = std::move(result);
    std::vector<search::Job> next;
    next.push_back(make_job(i, hop + 1, text));
    route[hop + 1]->queue->submit(std::move(next));
  }

  void join_alignments(std::size_t i, TranslationResult& result) const {
    if (results_[i].translations.empty()) return;
    for (Translation& translation : result.translations)
      translation.span_links = compose(results_[i].translations.front().span_links, translation.span_links);
  }

  void store(std::size_t i, TranslationResult result, std::exception_ptr error) {
    results_[i] = std::move(result);
    {
      const std::lock_guard lock(mutex_);
      if (error && !error_) error_ = std::move(error);
      if (--left_ > 0) return;
    }
    threads_.post([self = shared_from_this()] { self->finish(); });
  }

  // A thread of an engine may hold this object a little longer, even beyond the end of the server. So everything that
  // belongs to the server is given up here.
  void finish() {
    ticket_.reset();
    const std::shared_ptr<const ModelSet> models = std::move(models_);
    const Service::Done done = std::move(done_);
    if (is_cached() && !error_)
      for (std::size_t i = 0; i < results_.size(); ++i)
        models->cache().add(task_.caller.client, key_of(i), results_[i]);
    done(error_ ? Service::Results() : std::move(results_), error_);
  }

  SentenceTask task_;
  std::shared_ptr<const ModelSet> models_;
  TaskThreads& threads_;
  Service::Done done_;
  std::vector<ModelSet::Route> routes_;
  std::vector<std::vector<run::TermList::Term>> terms_;  // of each sentence; empty if there are none at all
  std::unique_ptr<Shares::Holding> ticket_;
  Service::Results results_;
  std::mutex mutex_;
  std::size_t left_;
  std::exception_ptr error_;
};

}  // namespace

Service::Service(Loader loader, std::size_t most_waiting_tokens, TaskThreads& threads)
    : loader_(std::move(loader)),
      threads_(threads),
      load_(most_waiting_tokens, Shares::Rule::work),
      models_(load_models()) {}

// The threads of a model cannot wait for their own end, but the last request of a set that was replaced may end on one
// of them. Therefore a task destroys the set.
std::shared_ptr<const ModelSet> Service::load_models() {
  std::unique_ptr<const ModelSet> models = loader_();
  {
    const std::lock_guard lock(mutex_);
    ++sets_;
  }
  return {models.release(), [this](const ModelSet* unused) { threads_.post([this, unused] { destroy(unused); }); }};
}

void Service::destroy(const ModelSet* models) {
  delete models;
  const std::lock_guard lock(mutex_);
  --sets_;
  destroyed_.notify_all();
}

std::shared_ptr<const ModelSet> Service::models() const {
  const std::lock_guard lock(mutex_);
  if (closed_) throw HttpError(503, "the server is stopping");
  return models_;
}

void Service::close() {
  std::shared_ptr<const ModelSet> last;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    models_.swap(last);
  }
  last.reset();
  { const std::lock_guard nothing_is_loaded(reload_mutex_); }
  std::unique_lock lock(mutex_);
  destroyed_.wait(lock, [this] { return sets_ == 0; });
}

void Service::reload() {
  const std::lock_guard one_at_a_time(reload_mutex_);
  models();  // throws if there are none any more
  std::shared_ptr<const ModelSet> fresh = load_models();
  const std::lock_guard lock(mutex_);
  if (closed_) throw HttpError(503, "the server is stopping");
  models_.swap(fresh);
}

void Service::translate(const SentenceTask& task, Done done) {
  const auto progress = std::make_shared<Progress>(task, models(), threads_, std::move(done));
  progress->admit(load_);
  progress->start();
}

}  // namespace dragoman::serve
