#include "search/engine/text_parts.h"

#include <algorithm>

#include "search/words.h"

namespace dragoman::search {
namespace {

// Maximum number of parts that are begun and not yet joined: enough for full batches on a GPU.
constexpr std::size_t kWindow = 2048;

template <class T>
void append(std::vector<T>& whole, std::vector<T>& part) {
  whole.insert(whole.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
}

}  // namespace

TextParts::TextParts(Job job, std::vector<text::Span> spans, Engine& engine)
    : job_(std::move(job)),
      spans_(std::move(spans)),
      engine_(engine),
      term_places_(find_terms(job_.request.text, job_.request.terms)),
      early_(spans_.size()) {}

std::vector<Job> TextParts::first_jobs() {
  Range parts;
  {
    const std::lock_guard lock(mutex_);
    parts = take_next();
  }
  return make_jobs(parts);
}

// Half a window at a time, because batches of jobs are tokenised in parallel.
TextParts::Range TextParts::take_next() {
  const std::size_t begin = next_, end = std::min(spans_.size(), joined_ + kWindow);
  if (error_ || begin >= end || joined_ + kWindow - begin < kWindow / 2) return {begin, begin};
  underway_ += end - begin;
  next_ = end;
  return {begin, end};
}

std::vector<Job> TextParts::make_jobs(Range parts) noexcept {
  std::vector<Job> jobs;
  for (std::size_t index = parts.begin; index < parts.end; ++index) {
    try {
      jobs.reserve(parts.end - parts.begin);
      jobs.push_back(make_job(index));
    } catch (...) {
      arrive(index, {}, std::current_exception());
    }
  }
  return jobs;
}

// The answer comes last: a job that fails before it has one arrives once, through make_jobs().
Job TextParts::make_job(std::size_t index) {
  const text::Span& span = spans_[index];
  Job part;
  part.request = {.text = job_.request.text.substr(span.begin, span.end - span.begin),
                  .prefix = index == 0 ? job_.request.prefix : "",
                  .terms = terms_of(index),
                  .banned = job_.request.banned,
                  .to = job_.request.to,
                  .from = job_.request.from};
  part.options = job_.options;
  part.stream = job_.stream * 1'000'003 + index;
  part.cancelled = job_.cancelled;
  part.offset = span.begin;
  part.answer = Answer([self = shared_from_this(), index](TranslationResult result, const std::exception_ptr& error) {
    self->arrive(index, std::move(result), error);
  });
  return part;
}

// The terms whose source begins in the part, so that one that a cut divides is not lost.
Terms TextParts::terms_of(std::size_t index) const {
  const text::Span& part = spans_[index];
  Terms terms;
  for (std::size_t i = 0; i < term_places_.size(); ++i) {
    const std::vector<text::Span>& places = term_places_[i];
    const auto next = std::partition_point(places.begin(), places.end(),
                                           [&](const text::Span& place) { return place.begin < part.begin; });
    if (next != places.end() && next->begin < part.end) terms.push_back(job_.request.terms[i]);
  }
  return terms;
}

void TextParts::arrive(std::size_t index, TranslationResult result, const std::exception_ptr& error) noexcept {
  Range next;
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    --underway_;
    try {
      if (error) std::rethrow_exception(error);
      store(index, std::move(result));
      next = take_next();
    } catch (...) {
      if (!error_) error_ = std::current_exception();
    }
    last = underway_ == 0;
  }
  if (next.begin < next.end) {
    try {
      engine_.submit(make_jobs(next));
    } catch (...) {
      // The jobs were dropped, and their answers have arrived here as errors.
    }
  }
  if (!last) return;
  if (error_) return job_.answer.give(error_);
  whole_.parts = static_cast<int>(spans_.size());
  job_.answer.give(std::move(whole_));
}

void TextParts::store(std::size_t index, TranslationResult result) {
  early_[index] = std::make_unique<TranslationResult>(std::move(result));
  for (; joined_ < early_.size() && early_[joined_]; ++joined_) {
    join(std::move(*early_[joined_]));
    early_[joined_].reset();
    const text::Span& span = spans_[joined_];
    source_words_ += count_display_words(std::string_view(job_.request.text).substr(span.begin, span.end - span.begin));
  }
}

// Appends the i-th best translation of the part to that of the text. The tree is that of the first part.
void TextParts::join(TranslationResult part) {
  if (joined_ == 0) {
    whole_ = std::move(part);
    for (const Translation& translation : whole_.translations)
      target_words_.push_back(count_display_words(translation.text));
    return;
  }
  append(whole_.source_tokens, part.source_tokens);
  append(whole_.explanations, part.explanations);
  whole_.translations.resize(std::min(whole_.translations.size(), part.translations.size()));
  for (std::size_t i = 0; i < whole_.translations.size(); ++i) {
    Translation &whole = whole_.translations[i], &next = part.translations[i];
    if (!whole.text.empty() && !next.text.empty()) whole.text += ' ';
    const auto offset = static_cast<std::uint32_t>(whole.text.size());
    for (const SpanLink& link : next.span_links)
      whole.span_links.push_back(
          {link.source_begin, link.source_end, link.target_begin + offset, link.target_end + offset});
    whole.text += next.text;
    whole.score += next.score;
    whole.log_probability += next.log_probability;
    append(whole.tokens, next.tokens);
    append(whole.token_scores, next.token_scores);
    for (const AlignmentLink& link : next.alignment)
      whole.alignment.push_back({link.source + source_words_, link.target + target_words_[i]});
    append(whole.attention, next.attention);
    append(whole.past_attention, next.past_attention);
    target_words_[i] += count_display_words(next.text);
  }
}

}  // namespace dragoman::search
