#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "search/words.h"
#include "serve/duration.h"
#include "serve/server.h"
#include "tests/serve/http_client.h"

// A server whose models are quick, predictable and, if a test wants, held up.
namespace dragoman::serve::test {

// What the models of a test do, and what they saw.
struct Stage {
  std::mutex mutex;
  std::condition_variable wake;
  bool held = false;                        // no translation is finished
  bool deaf = false;                        // cancelled texts are held too
  std::atomic<bool> holds_loading = false;  // models are loaded only when this is over
  std::vector<std::string> seen;
  std::vector<std::size_t> batches;  // texts per call of submit()
  std::vector<std::vector<std::pair<std::string, std::string>>> terms;
  std::atomic<int> loaded = 0, cancelled = 0;

  void hold(bool value) {
    {
      const std::lock_guard lock(mutex);
      held = value;
    }
    wake.notify_all();
  }
  std::size_t count_seen() {
    const std::lock_guard lock(mutex);
    return seen.size();
  }
};

// Translates "a b" to "de(a b)", and the second best to "de2(a b)". The text "fail" fails.
class StageEngine : public search::Engine {
 public:
  StageEngine(std::string name, std::shared_ptr<Stage> stage)
      : name_(std::move(name)), stage_(std::move(stage)), thread_([this] { work(); }) {}
  ~StageEngine() override {
    {
      const std::lock_guard lock(stage_->mutex);
      stopping_ = true;
    }
    stage_->wake.notify_all();
    thread_.join();
  }

  void check_request(const Request&, const SearchOptions&) const override {}
  void submit(std::vector<search::Job> jobs) override {
    {
      const std::lock_guard lock(stage_->mutex);
      stage_->batches.push_back(jobs.size());
      for (search::Job& job : jobs) {
        stage_->seen.push_back(job.request.text);
        stage_->terms.push_back(job.request.terms);
        waiting_.push_back(std::move(job));
      }
    }
    stage_->wake.notify_all();
  }
  int count_tokens(std::string_view text) const override { return search::count_display_words(text); }
  int max_tokens() const override { return 1000; }
  bool aligns() const override { return true; }

 private:
  void work() {
    std::unique_lock lock(stage_->mutex);
    for (;;) {
      // Held jobs look for cancellation now and then, as a decoder does at every step.
      stage_->wake.wait_for(lock, std::chrono::milliseconds(1),
                            [this] { return stopping_ || (!waiting_.empty() && !stage_->held); });
      if (waiting_.empty() && stopping_) return;
      std::deque<search::Job> done;
      for (std::size_t i = waiting_.size(); i-- > 0;) {
        if (stage_->held && (stage_->deaf || !waiting_[i].is_cancelled()) && !stopping_) continue;
        done.push_front(std::move(waiting_[i]));
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      }
      lock.unlock();
      for (search::Job& job : done) answer(job);
      lock.lock();
    }
  }

  void answer(search::Job& job) {
    if (job.is_cancelled()) {
      ++stage_->cancelled;
      return job.answer.give(std::make_exception_ptr(search::Cancelled()));
    }
    if (job.request.text == "fail") return job.answer.give(std::make_exception_ptr(std::runtime_error("secret")));
    TranslationResult result;
    for (int i = 1; i <= job.options->n_best; ++i) {
      Translation& translation = result.translations.emplace_back();
      translation.text = name_ + (i > 1 ? std::to_string(i) : "") + "(" + job.request.text + ")";
      if (job.options->alignment) align(job.request.text, translation);
    }
    job.answer.give(std::move(result));
  }

  // Links every byte that is not a space with itself; the first of a translation is behind its name and bracket.
  static void align(const std::string& source, Translation& translation) {
    const auto lead = static_cast<std::uint32_t>(translation.text.size() - source.size() - 1);
    for (std::uint32_t i = 0; i < source.size(); ++i)
      if (source[i] != ' ') translation.span_links.push_back({i, i + 1, i + lead, i + lead + 1});
  }

  std::string name_;
  std::shared_ptr<Stage> stage_;
  std::deque<search::Job> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

// Serves en-de, de-en and de-fr, so that en-fr goes through de.
class TestServer {
 public:
  explicit TestServer(ServeOptions options = {}) : stage_(std::make_shared<Stage>()) {
    log::set_level(log::Level::quiet);  // failures are part of the tests
    options.port = options.admin_port = 0;
    const BatchLimits batches{static_cast<std::size_t>(options.batch_tokens),
                              parse_duration(options.max_wait, "max-wait")};
    server_ = std::make_unique<Server>(options, [stage = stage_, batches, cache = options.cache_mb] {
      ++stage->loaded;
      while (stage->holds_loading) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      auto models = std::make_unique<ModelSet>(static_cast<std::size_t>(cache) << 20);
      for (const char* const pair : {"en-de", "de-en", "de-fr"}) {
        const text::LanguagePair languages = text::LanguagePair::parse(pair);
        models->add(pair, {languages}, {},
                    std::make_unique<search::TextTranslator>(std::make_unique<StageEngine>(languages.target, stage),
                                                             TranslatorOptions()),
                    batches);
      }
      return models;
    });
  }

  Server& server() { return *server_; }
  Stage& stage() { return *stage_; }
  const std::shared_ptr<Stage>& shared_stage() const { return stage_; }
  Client connect() const { return Client(server_->port()); }
  // For /metrics and /admin/reload.
  Client connect_admin() const { return Client(server_->admin_port()); }
  int port() const { return server_->port(); }
  // One request on a connection of its own.
  Reply translate(const std::string& text) const {
    return connect().post_json("/translate", {{"q", text}, {"source", "en"}, {"target", "de"}});
  }
  // The value of a metric.
  double metric(const std::string& name) const {
    const std::string all = connect_admin().get("/metrics").body;
    const std::size_t at = all.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(all.substr(at + name.size() + 2));
  }

 private:
  std::shared_ptr<Stage> stage_;
  std::unique_ptr<Server> server_;
};

// Waits for what happens soon.
template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace dragoman::serve::test
