#include "search/text_translator.h"

#include <algorithm>
#include <latch>
#include <limits>
#include <mutex>

#include "base/error.h"
#include "base/threads.h"
#include "data/utf8.h"
#include "search/neural_engine.h"
#include "search/statistical_engine.h"
#include "search/statistical_model.h"
#include "search/words.h"
#include "text/sentences.h"

namespace dragoman::search {
namespace {

// The default limit in tokens. Models are seldom trained on longer sentences.
constexpr int kUsualLimit = 256;

// Collects the translations of the parts of one text, which arrive in any order.
class Parts {
 public:
  Parts(Job job, std::vector<std::string> texts) : job_(std::move(job)), texts_(std::move(texts)) {
    results_.resize(texts_.size());
  }

  void arrive(std::size_t index, TranslationResult result, const std::exception_ptr& error) {
    {
      std::lock_guard lock(mutex_);
      results_[index] = std::move(result);
      if (error && !error_) error_ = error;
      if (++arrived_ < results_.size()) return;
    }
    if (error_) return job_.done({}, error_);
    job_.done(joined(), nullptr);
  }

 private:
  // Joins the i-th best translations of all parts. The tree is that of the first part.
  TranslationResult joined() {
    TranslationResult whole = std::move(results_.front());
    whole.parts = static_cast<int>(results_.size());
    int source_words = count_display_words(texts_.front());
    for (std::size_t p = 1; p < results_.size(); ++p) {
      TranslationResult& part = results_[p];
      whole.source_tokens.insert(whole.source_tokens.end(), part.source_tokens.begin(), part.source_tokens.end());
      whole.translations.resize(std::min(whole.translations.size(), part.translations.size()));
      for (std::size_t i = 0; i < whole.translations.size(); ++i)
        append(whole.translations[i], part.translations[i], source_words);
      source_words += count_display_words(texts_[p]);
    }
    return whole;
  }

  static void append(Translation& whole, const Translation& part, int source_words) {
    const int target_words = count_display_words(whole.text);
    if (!whole.text.empty() && !part.text.empty()) whole.text += ' ';
    whole.text += part.text;
    whole.score += part.score;
    whole.log_probability += part.log_probability;
    whole.tokens.insert(whole.tokens.end(), part.tokens.begin(), part.tokens.end());
    whole.token_scores.insert(whole.token_scores.end(), part.token_scores.begin(), part.token_scores.end());
    for (const AlignmentLink& link : part.alignment)
      whole.alignment.push_back({link.source + source_words, link.target + target_words});
    whole.attention.insert(whole.attention.end(), part.attention.begin(), part.attention.end());
    whole.past_attention.insert(whole.past_attention.end(), part.past_attention.begin(), part.past_attention.end());
  }

  Job job_;
  std::vector<std::string> texts_;
  std::mutex mutex_;
  std::vector<TranslationResult> results_;
  std::size_t arrived_ = 0;
  std::exception_ptr error_;
};

// Collects the answers of one translate() call and wakes the caller once, when all have arrived.
class Answers {
 public:
  explicit Answers(std::size_t count) : results_(count), errors_(count), left_(static_cast<std::ptrdiff_t>(count)) {}

  void arrive(std::size_t i, TranslationResult result, const std::exception_ptr& error) {
    results_[i] = std::move(result);
    errors_[i] = error;
    left_.count_down();
  }
  // Returns all answers, or throws the first error.
  std::vector<TranslationResult> wait() {
    left_.wait();
    for (const std::exception_ptr& error : errors_)
      if (error) std::rethrow_exception(error);
    return std::move(results_);
  }

 private:
  std::vector<TranslationResult> results_;
  std::vector<std::exception_ptr> errors_;
  std::latch left_;
};

std::unique_ptr<Engine> open_engine(const std::vector<std::string>& files, const TranslatorOptions& options) {
  for (const std::string& file : files) {
    if (!is_statistical(store::SafetensorsFile(file))) continue;
    check(files.size() == 1, "{}: a statistical model cannot be part of an ensemble", file);
    return std::make_unique<StatisticalEngine>(load_statistical(file), options);
  }
  const Placement where = find_placement({options.device, options.precision});
  std::vector<std::unique_ptr<Model>> models;
  for (const std::string& file : files) models.push_back(std::make_unique<Model>(file, where));
  return std::make_unique<NeuralEngine>(std::move(models), options);
}

}  // namespace

TextTranslator::TextTranslator(const std::vector<std::string>& model_files, const TranslatorOptions& options)
    : TextTranslator(open_engine(model_files, options), options) {}

TextTranslator::TextTranslator(std::unique_ptr<Engine> engine, const TranslatorOptions& options)
    : options_(options), engine_(std::move(engine)) {
  limit_ = std::min(engine_->max_tokens(), options.max_input_tokens > 0 ? options.max_input_tokens : kUsualLimit);
}

void TextTranslator::submit(std::vector<Job> jobs) {
  const threads::LimitScope limit(threads_or(options_.threads, std::numeric_limits<int>::max()));
  std::vector<std::vector<std::string>> cuts(jobs.size());
  std::vector<std::exception_ptr> errors(jobs.size());
  threads::each(std::ssize(jobs), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    try {
      std::string& text = jobs[at].request.text;
      if (data::find_invalid_utf8(text) != std::string::npos) text = data::replace_invalid_utf8(text);
      engine_->check_request(jobs[at].request, *jobs[at].options);
      cuts[at] = cut(jobs[at]);
    } catch (...) {
      errors[at] = std::current_exception();
    }
  });
  std::vector<Job> sentences;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job& job = jobs[i];
    const std::vector<std::string>& texts = cuts[i];
    if (errors[i]) {
      job.done({}, errors[i]);
      continue;
    }
    if (texts.empty()) {
      TranslationResult blank;
      blank.translations.resize(static_cast<std::size_t>(job.options->n_best));
      job.done(std::move(blank), nullptr);
      continue;
    }
    if (texts.size() == 1) {
      sentences.push_back(std::move(job));
      continue;
    }
    const auto parts = std::make_shared<Parts>(job, texts);
    for (std::size_t p = 0; p < texts.size(); ++p) {
      Job part = job;
      part.request.text = texts[p];
      if (p > 0) part.request.prefix.clear();
      part.stream = job.stream * 1'000'003 + p;
      part.done = [parts, p](TranslationResult result, const std::exception_ptr& error) {
        parts->arrive(p, std::move(result), error);
      };
      sentences.push_back(std::move(part));
    }
  }
  engine_->submit(std::move(sentences));
}

std::vector<TranslationResult> TextTranslator::translate(const std::vector<Request>& requests,
                                                         const SearchOptions& search) {
  const auto answers = std::make_shared<Answers>(requests.size());
  const auto options = std::make_shared<const SearchOptions>(search);
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < requests.size(); ++i)
    jobs.push_back({requests[i], options, i, [answers, i](TranslationResult result, const std::exception_ptr& error) {
                      answers->arrive(i, std::move(result), error);
                    }});
  submit(std::move(jobs));
  return answers->wait();
}

// Splits a text into sentences, or parts of sentences, for the engine: none if it is blank, one if it fits.
std::vector<std::string> TextTranslator::cut(Job& job) const {
  const std::string& text = job.request.text;
  if (count_display_words(text) == 0) return {};
  const auto fits = [this](std::string_view part) { return engine_->count_tokens(part) <= limit_; };
  std::vector<std::string> texts;
  if (options_.sentences) {
    for (const text::Span& span : text::split_sentences(text)) {
      const std::string sentence = text.substr(span.begin, span.end - span.begin);
      for (const text::Span& part : text::split_to_fit(sentence, fits))
        texts.push_back(sentence.substr(part.begin, part.end - part.begin));
    }
    return texts;
  }
  const int tokens = engine_->tokenize(job);
  if (tokens <= limit_) return {text};
  job.source.clear();
  check(options_.long_input == LongInput::split, "an input of {} tokens is longer than the {} allowed", tokens, limit_);
  for (const text::Span& span : text::split_to_fit(text, fits))
    texts.push_back(text.substr(span.begin, span.end - span.begin));
  return texts;
}

}  // namespace dragoman::search
