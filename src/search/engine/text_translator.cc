#include "search/engine/text_translator.h"

#include <algorithm>
#include <latch>
#include <limits>

#include "base/error.h"
#include "base/threads.h"
#include "data/utf8.h"
#include "search/constrain/source_terms.h"
#include "search/engine/neural_engine.h"
#include "search/engine/options.h"
#include "search/engine/statistical_engine.h"
#include "search/engine/text_parts.h"
#include "search/protect/protection.h"
#include "search/words.h"
#include "text/sentences.h"

namespace dragoman::search {
namespace {

// A text of more bytes than this per allowed token is split without counting its tokens: counting takes memory, and
// tokens are words or less.
constexpr std::size_t kMostBytesPerToken = 256;

void keep_only(const text::Span& part, Job& job) {
  std::string& text = job.request.text;
  if (part.end - part.begin == text.size()) return;
  text = text.substr(part.begin, part.end - part.begin);
  job.offset = part.begin;
  job.source.clear();
}

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
  check_options(options);
  for (const std::string& file : files) {
    if (!store::is_statistical(store::SafetensorsFile(file))) continue;
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
  check_options(options);
  limit_ = std::min(engine_->max_tokens(),
                    options.max_input_tokens > 0 ? options.max_input_tokens : engine_->usual_tokens());
}

void TextTranslator::check_request(const Request& request, const SearchOptions& options) const {
  check_options(options);
  engine_->check_request(request, options);
  engine_->check_constraints(request);
}

std::vector<std::string> TextTranslator::languages() const {
  return model() == nullptr ? std::vector<std::string>() : model()->source().language_tags().languages;
}

void TextTranslator::submit(std::vector<Job> jobs) {
  const threads::LimitScope limit(threads_or(options_.threads, std::numeric_limits<int>::max()));
  std::vector<std::vector<text::Span>> cuts(jobs.size());
  std::vector<std::exception_ptr> problems(jobs.size());
  threads::each(std::ssize(jobs), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    try {
      cuts[at] = prepare(jobs[at]);
    } catch (...) {
      problems[at] = std::current_exception();
    }
  });
  std::vector<Job> sentences;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job& job = jobs[i];
    if (problems[i]) {
      job.answer.give(std::exchange(problems[i], nullptr));
    } else if (cuts[i].empty()) {
      TranslationResult same;
      same.translations.resize(static_cast<std::size_t>(std::max(job.options->n_best, 0)));
      if (copies(job))
        for (Translation& translation : same.translations) translation.text = job.request.text;
      job.answer.give(std::move(same));
    } else if (cuts[i].size() == 1) {
      keep_only(cuts[i].front(), job);
      sentences.push_back(std::move(job));
    } else {
      const auto parts = std::make_shared<TextParts>(std::move(job), std::move(cuts[i]), *engine_);
      for (Job& part : parts->first_jobs()) sentences.push_back(std::move(part));
    }
  }
  engine_->submit(std::move(sentences));
}

std::vector<TranslationResult> TextTranslator::translate(const std::vector<Request>& requests,
                                                         const SearchOptions& search) {
  check_options(search);
  const auto answers = std::make_shared<Answers>(requests.size());
  const auto options = std::make_shared<const SearchOptions>(search);
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < requests.size(); ++i)
    jobs.push_back(
        {requests[i], options, i, Answer([answers, i](TranslationResult result, const std::exception_ptr& error) {
           answers->arrive(i, std::move(result), error);
         })});
  submit(std::move(jobs));
  return answers->wait();
}

// Checks the request and splits its text into sentences, or parts of sentences, for the engine: none if it is blank or
// only marks, one if it fits.
std::vector<text::Span> TextTranslator::prepare(Job& job) const {
  std::string& text = job.request.text;
  const bool has_tokens = !job.request.tokens.empty();
  if (has_tokens) {
    check(text.empty(), "a request has either a text or tokens, not both");
    text = engine_->text_of(job.request.tokens);
  }
  check(text.size() <= std::numeric_limits<std::uint32_t>::max() / 2, "a text of {} bytes is too long", text.size());
  if (data::find_invalid_utf8(text) != std::string::npos) text = data::replace_invalid_utf8(text);
  const std::size_t tag = model() == nullptr || has_tokens ? 0 : model()->tag_size(text);
  if (tag > 0) job.request.to = model()->language_in(text);
  engine_->check_request(job.request, *job.options);
  job.request.terms = needed_terms(text, std::move(job.request.terms));
  if (count_display_words(text) == 0 || copies(job)) return {};
  const text::Span whole{0, static_cast<std::uint32_t>(text.size())};
  if (has_tokens) return {whole};
  if (!options_.sentences && !is_too_long_to_count(text)) {
    const int tokens = engine_->tokenize(job);
    if (tokens <= limit_) return {whole};
    check(options_.long_input == LongInput::split, "an input of {} tokens is longer than the {} allowed", tokens,
          limit_);
    job.source.clear();
  }
  check(options_.sentences || options_.long_input == LongInput::split,
        "an input of {} bytes is longer than the {} tokens allowed", text.size(), limit_);
  text.replace(0, tag, tag, ' ');  // all parts have the language, none has its tag
  return split(options_.sentences ? text::split_sentences(text) : std::vector<text::Span>{whole}, text);
}

bool TextTranslator::copies(const Job& job) const {
  const Request& request = job.request;
  return is_protected(*job.options, model() == nullptr ? nullptr : &model()->info()) && !job.options->explain &&
         request.tokens.empty() && request.prefix.empty() && request.prefix_tokens.empty() &&
         is_only_marks(request.text);
}

bool TextTranslator::is_too_long_to_count(std::string_view text) const {
  return text.size() > static_cast<std::size_t>(limit_) * kMostBytesPerToken;
}

// Splits each stretch of the text into parts that fit.
std::vector<text::Span> TextTranslator::split(const std::vector<text::Span>& stretches, std::string_view text) const {
  const auto fits = [this](std::string_view part) {
    return !is_too_long_to_count(part) && engine_->count_tokens(part) <= limit_;
  };
  std::vector<text::Span> parts;
  for (const text::Span& stretch : stretches)
    for (const text::Span& part : text::split_to_fit(text.substr(stretch.begin, stretch.end - stretch.begin), fits))
      parts.push_back({stretch.begin + part.begin, stretch.begin + part.end});
  return parts;
}

}  // namespace dragoman::search
