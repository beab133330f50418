#pragma once

#include <mutex>

#include "search/engine/engine.h"
#include "search/words.h"

namespace dragoman::search::test {

// An engine whose translation of a text is the text, within a limit of words. Counts what it is given.
class EchoEngine : public Engine {
 public:
  explicit EchoEngine(int limit) : limit_(limit) {}

  void check_request(const Request&, const SearchOptions&) const override {}
  void submit(std::vector<Job> jobs) override {
    largest_batch = std::max(largest_batch, jobs.size());
    for (Job& job : jobs) {
      bytes += job.request.text.size();
      longest = std::max(longest, count_tokens(job.request.text));
      terms.push_back(job.request.terms);
      TranslationResult result;
      result.translations.emplace_back().text = job.request.text;
      job.answer.give(std::move(result));
    }
  }
  int count_tokens(std::string_view text) const override { return count_display_words(text); }
  int max_tokens() const override { return limit_; }
  bool aligns() const override { return true; }

  std::size_t bytes = 0, largest_batch = 0;
  int longest = 0;
  std::vector<std::vector<std::pair<std::string, std::string>>> terms;  // of each job

 private:
  int limit_;
};

// An engine that fails to take its jobs, in one of three ways.
class FailingEngine : public EchoEngine {
 public:
  enum class How { throws, drops, throws_no_exception };
  explicit FailingEngine(How how) : EchoEngine(5), how_(how) {}

  void submit(std::vector<Job> jobs) override {
    if (how_ == How::drops) return jobs.clear();
    if (how_ == How::throws_no_exception) throw 7;
    throw std::bad_alloc();
  }

 private:
  How how_;
};

}  // namespace dragoman::search::test
