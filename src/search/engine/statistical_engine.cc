#include "search/engine/statistical_engine.h"

#include <algorithm>

#include "base/error.h"
#include "base/threads.h"
#include "search/engine/options.h"
#include "search/words.h"
#include "store/model_file.h"

namespace dragoman::search {
namespace {

// The byte span of each word in the text of a translation. The first word may have been capitalised.
std::vector<text::Span> spans_of(const std::string& text, const std::vector<std::string>& words) {
  std::vector<text::Span> spans;
  std::size_t at = 0;
  for (const std::string& word : words) {
    std::size_t begin = spans.empty() ? 0 : text.find(word, at);
    if (begin == std::string::npos) begin = at;
    const std::size_t end = std::min(begin + word.size(), text.size());
    spans.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    at = end;
  }
  return spans;
}

}  // namespace

void save_statistical(const std::string& path, const smt::PhraseSystem& system, const store::Metadata& card) {
  const smt::PhraseSystem::Sections sections = system.sections();
  store::Metadata metadata = card;
  metadata[store::kKind] = store::kStatisticalKind;
  std::vector<store::StoredTensor> tensors;
  for (const auto& [name, bytes] : sections) tensors.push_back({name, "U8", {static_cast<Size>(bytes.size())}, bytes});
  store::write_safetensors(path, metadata, tensors);
}

smt::PhraseSystem load_statistical(const std::string& path) {
  const store::SafetensorsFile file(path);
  check(store::is_statistical(file), "{}: expected a statistical model", path);
  const std::map<std::string, std::string> stored = file.read_all();
  const std::map<std::string, std::string_view> sections(stored.begin(), stored.end());
  try {
    return smt::PhraseSystem::from_sections(sections);
  } catch (const Error& error) {
    fail("{}: {}", path, error.what());
  }
}

void StatisticalEngine::check_request(const Request& request, const SearchOptions& options) const {
  check(request.prefix.empty() && request.prefix_tokens.empty() && request.terms.empty() && request.banned.empty(),
        "a statistical model does not support prefixes, terms or banned words");
  check(direction_of(request, options).to.empty(), "a statistical model has no choice of target languages");
  check(!options.sample, "a statistical model does not support sampling");
  check(!options.tree, "a statistical model has no tree of hypotheses to show");
}

StatisticalEngine::StatisticalEngine(smt::PhraseSystem system, const TranslatorOptions& options)
    : system_(std::move(system)), precision_(options.precision) {
  workers_.start(
      threads_or(options.threads, threads::count()), [this](int) { work(); }, [this] { stop(); });
}

StatisticalEngine::~StatisticalEngine() {
  stop();
  workers_.join();
}

std::string StatisticalEngine::note() const {
  return precision_ == Precision::automatic ? ""
                                            : "the precision has no effect: a statistical model multiplies no matrices";
}

void StatisticalEngine::stop() {
  std::deque<Job> dropped;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(waiting_);
  }
  for (Job& job : dropped) job.answer.give(std::make_exception_ptr(Cancelled()));
  wake_.notify_all();
}

void StatisticalEngine::submit(std::vector<Job> jobs) {
  {
    std::lock_guard lock(mutex_);
    for (Job& job : jobs) waiting_.push_back(std::move(job));
  }
  wake_.notify_all();
}

int StatisticalEngine::count_tokens(std::string_view text) const {
  return static_cast<int>(system_.source_spans(text).size());
}

int StatisticalEngine::max_tokens() const { return kMostTokens; }

void StatisticalEngine::work() {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    try {
      if (job.is_cancelled()) throw Cancelled();
      job.answer.give(translate(job));
    } catch (...) {
      job.answer.give(std::current_exception());
    }
  }
}

TranslationResult StatisticalEngine::translate(const Job& job) const {
  TranslationResult result;
  result.source_tokens = system_.source_words(job.request.text);
  for (const smt::PhraseTranslation& found : system_.translate(job.request.text, job.options->n_best)) {
    Translation& translation = result.translations.emplace_back();
    translation.text = found.text;
    translation.score = found.score;
    translation.log_probability = found.features[index(smt::Feature::language_model)];
    translation.tokens = found.words;
    if (job.options->alignment) {
      translation.alignment = align(job.request.text, found);
      translation.span_links = link_spans(job, found);
    }
    if (job.options->explain && result.explanations.empty())
      result.explanations.push_back(explain(job.request.text, found));
  }
  return result;
}

Explanation StatisticalEngine::explain(const std::string& source, const smt::PhraseTranslation& translation) const {
  const auto place = [](const std::string& text, const std::vector<std::string>& words,
                        const std::vector<text::Span>& spans) {
    const std::vector<int> places = words_of(text, spans);
    std::vector<TextToken> tokens;
    for (std::size_t i = 0; i < words.size(); ++i)
      tokens.push_back({words[i], static_cast<int>(spans[i].begin), static_cast<int>(spans[i].end), places[i]});
    return tokens;
  };
  Explanation explanation;
  explanation.source = source;
  explanation.text = translation.text;
  explanation.source_tokens = place(source, system_.source_words(source), system_.source_spans(source));
  for (TextToken& token : place(translation.text, translation.words, spans_of(translation.text, translation.words)))
    explanation.tokens.push_back({std::move(token)});
  explanation.alignment = align(source, translation);
  return explanation;
}

// Maps links between the translator's words to links between words separated by spaces.
std::vector<AlignmentLink> StatisticalEngine::align(const std::string& source,
                                                    const smt::PhraseTranslation& translation) const {
  const std::vector<int> from = words_of(source, system_.source_spans(source));
  const std::vector<int> to = words_of(translation.text, spans_of(translation.text, translation.words));
  std::vector<AlignmentLink> links;
  for (const align::Link& link : translation.links) {
    const int a = from[static_cast<std::size_t>(link.source)], b = to[static_cast<std::size_t>(link.target)];
    const AlignmentLink both{a, b};
    if (a >= 0 && b >= 0 && std::find(links.begin(), links.end(), both) == links.end()) links.push_back(both);
  }
  return links;
}

// The same links between bytes.
std::vector<SpanLink> StatisticalEngine::link_spans(const Job& job, const smt::PhraseTranslation& translation) const {
  const std::vector<text::Span> from = system_.source_spans(job.request.text);
  const std::vector<text::Span> to = spans_of(translation.text, translation.words);
  std::vector<SpanLink> links;
  for (const align::Link& link : translation.links) {
    const text::Span &a = from[static_cast<std::size_t>(link.source)], &b = to[static_cast<std::size_t>(link.target)];
    links.push_back({a.begin, a.end, b.begin, b.end});
  }
  move_sources(links, job.offset);
  return links;
}

}  // namespace dragoman::search
