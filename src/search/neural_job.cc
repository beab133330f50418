#include "search/neural_job.h"

#include <algorithm>

#include "data/utf8.h"
#include "search/ranking.h"
#include "search/words.h"

namespace dragoman::search {
namespace {

constexpr int kMostAttempts = 50;
constexpr const char* kUnknown = "<unk>";

// Replaces the n-th "<unk>" by the n-th word; an empty word leaves it as it is.
std::string replace_unknown(const std::string& text, const std::vector<std::string>& words) {
  const std::string_view mark = kUnknown;
  std::string result;
  std::size_t at = 0, number = 0;
  for (std::size_t found; (found = text.find(mark, at)) != std::string::npos; at = found + mark.size(), ++number) {
    result.append(text, at, found - at);
    const bool known = number < words.size() && !words[number].empty();
    result += known ? words[number] : std::string(mark);
  }
  return result.append(text, at);
}

// Number of tokens, not counting marks.
int tokens_of(const text::Encoded& encoded, const Model& model) {
  return static_cast<int>(encoded.ids.size()) - model.source_marks();
}

// The attention of the nodes on a path; empty if none was recorded.
Attention rows_on(std::span<const std::int32_t> path, const Attention& nodes) {
  Attention rows;
  if (nodes.empty()) return rows;
  for (const std::int32_t node : path) rows.push_back(nodes[static_cast<std::size_t>(node)]);
  return rows;
}

// Byte-level pieces can form any bytes; a translation is one line of valid UTF-8.
std::string as_line(const std::string& text) {
  std::string line = data::find_invalid_utf8(text) == std::string::npos ? text : data::replace_invalid_utf8(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

}  // namespace

void check_options(const SearchOptions& options) {
  check(options.beam >= 1, "beam must be at least 1, got {}", options.beam);
  check(options.n_best >= 1, "n-best must be at least 1, got {}", options.n_best);
  check(options.sample || options.n_best <= options.beam, "n-best {} needs a beam at least as wide, got {}",
        options.n_best, options.beam);
  check(options.temperature > 0, "temperature must be more than 0, got {}", options.temperature);
  check(options.top_k >= 0 && options.top_p > 0 && options.top_p <= 1,
        "top-k must be at least 0 and top-p between 0 and 1, got {} and {}", options.top_k, options.top_p);
  check(options.min_length >= 0 && options.max_length >= 0 && options.finished >= 0,
        "min-length, max-length and finished cannot be negative");
  check(options.max_length == 0 || options.min_length <= options.max_length, "min-length {} is more than max-length {}",
        options.min_length, options.max_length);
}

NeuralJob::NeuralJob(Job job, std::span<const std::unique_ptr<Model>> models) : job_(std::move(job)), models_(models) {
  const Request& request = job_.request;
  if (job_.source.empty()) tokenize(job_, models_);
  for (std::size_t m = 0; m < models_.size(); ++m) {
    text::Encoded& encoded = job_.source[m];
    const Model& model = *models_[m];
    check(tokens_of(encoded, model) <= model.max_source(),
          "a sentence of {} tokens is longer than the {} that {} can take", tokens_of(encoded, model),
          model.max_source(), model.path());
    if (m == 0) source_spans_ = std::move(encoded.spans);
    sources_.push_back(std::move(encoded.ids));
  }
  const text::Tokenizer& target = models_[0]->target();
  target.encode(request.prefix, prefix_);
  for (const auto& [source, translation] : request.terms)
    if (contains_word(request.text, source) && !translation.empty()) terms_.push_back(in_sentence(translation));
  for (const std::string& word : request.banned) {
    if (word.empty()) continue;
    banned_.push_back(in_sentence(word));
    Tokens alone;
    target.encode(word, alone);
    if (!alone.empty() && alone != banned_.back()) banned_.push_back(alone);
  }
  for (const std::int32_t id : sources_[0]) result_.source_tokens.push_back(models_[0]->source().piece(id));
}

int NeuralJob::tokenize(Job& job, std::span<const std::unique_ptr<Model>> models) {
  int most = 0;
  job.source.clear();
  for (const std::unique_ptr<Model>& model : models) {
    job.source.push_back(model->encode_source_spans(job.request.text, target_language(job.request, *job.options)));
    most = std::max(most, tokens_of(job.source.back(), *model));
  }
  return most;
}

// Tokenises words as in the middle of a sentence: some tokenizers encode the first word differently.
Tokens NeuralJob::in_sentence(const std::string& words) const {
  const text::Tokenizer& target = models_[0]->target();
  Tokens before, both;
  target.encode("x", before);
  target.encode("x " + words, both);
  if (both.size() > before.size() && std::equal(before.begin(), before.end(), both.begin()))
    return {both.begin() + std::ssize(before), both.end()};
  Tokens alone;
  target.encode(words, alone);
  return alone;
}

Goal NeuralJob::goal() const {
  const text::Tokenizer& target = models_[0]->target();
  const text::SpecialIds special = target.special();
  Goal goal;
  goal.options = *job_.options;
  goal.end = special.end;
  goal.never = never_written(target, models_[0]->info().config.target_vocabulary);
  goal.banned = banned_;
  goal.constraints = Constraints(terms_);
  goal.stream = job_.stream;
  int limit = models_[0]->max_target();
  for (const std::unique_ptr<Model>& model : models_) limit = std::min(limit, model->max_target());
  const int natural = 3 * static_cast<int>(sources_[0].size()) + 10;
  goal.max_length = job_.options->max_length > 0 ? job_.options->max_length : natural;
  goal.max_length = std::max(goal.max_length, job_.options->min_length);
  // Leave room for the prefix and the terms.
  goal.max_length =
      std::min(limit, std::max(goal.max_length, static_cast<int>(prefix_.size()) + goal.constraints.total()));
  check(goal.constraints.total() + static_cast<int>(prefix_.size()) <= goal.max_length,
        "terms and prefix have {} tokens, more than the {} that the model can write",
        goal.constraints.total() + static_cast<int>(prefix_.size()), goal.max_length);
  return goal;
}

DecodingTask NeuralJob::task() const {
  const SearchOptions& options = *job_.options;
  DecodingTask task;
  task.sources = sources_;
  task.prefix = prefix_;
  task.search = SentenceSearch::make(goal());
  task.wants_attention = options.alignment || options.attention || options.replace_unknown;
  return task;
}

bool NeuralJob::take(const DecodingTask& task) {
  if (ban_spellings(task)) return false;
  for (const Finished& finished : task.search->best()) result_.translations.push_back(translation(task, finished));
  // If the attempts were not enough, drop translations that still contain a banned word.
  std::erase_if(result_.translations, [&](const Translation& candidate) {
    return std::any_of(job_.request.banned.begin(), job_.request.banned.end(),
                       [&](const std::string& word) { return !word.empty() && contains_word(candidate.text, word); });
  });
  if (job_.options->tree) {
    const Tree& tree = task.search->tree();
    std::vector<bool> best(static_cast<std::size_t>(tree.size()));
    const std::vector<Finished> found = task.search->best();
    if (!found.empty())
      for (const std::int32_t node : tree.path(found.front().node)) best[static_cast<std::size_t>(node)] = true;
    for (std::int32_t node = 0; node < tree.size(); ++node) {
      const Node& at = tree[node];
      result_.tree.push_back({at.parent, node == 0 ? "" : models_[0]->target().piece(at.token), at.sum,
                              score(*job_.options, at.sum, at.length), at.finished,
                              static_cast<bool>(best[static_cast<std::size_t>(node)])});
    }
  }
  return true;
}

bool NeuralJob::ban_spellings(const DecodingTask& task) {
  if (job_.request.banned.empty() || attempts_++ >= kMostAttempts) return false;
  const text::Tokenizer& target = models_[0]->target();
  bool found_any = false;
  for (const Finished& finished : task.search->best()) {
    Tokens ids;
    for (const std::int32_t node : task.search->tree().path(finished.node))
      ids.push_back(task.search->tree()[node].token);
    ids.pop_back();
    const std::string text = target.decode(ids);
    for (const std::string& word : job_.request.banned) {
      if (word.empty() || !contains_word(text, word)) continue;
      const std::size_t begin = text.find(word), end = begin + word.size();
      const std::vector<text::Span> spans = target_spans(target, ids);
      Tokens spelling;
      for (std::size_t i = 0; i < ids.size(); ++i)
        if (spans[i].begin < end && spans[i].end > begin) spelling.push_back(ids[i]);
      if (spelling.empty()) continue;
      banned_.push_back(spelling);
      found_any = true;
    }
  }
  return found_any;
}

Translation NeuralJob::translation(const DecodingTask& task, const Finished& finished) const {
  const Tree& tree = task.search->tree();
  std::vector<std::int32_t> path = tree.path(finished.node);
  Translation translation;
  translation.score = finished.score;
  translation.log_probability = tree[finished.node].sum;
  if (job_.options->token_scores)
    for (const std::int32_t node : path)
      translation.token_scores.push_back(static_cast<double>(tree[node].log_probability));
  path.pop_back();  // EOS
  describe(task, path, translation);
  translation.text = as_line(translation.text);
  return translation;
}

void NeuralJob::describe(const DecodingTask& task, std::span<const std::int32_t> path, Translation& translation) const {
  const text::Tokenizer& target = models_[0]->target();
  Tokens ids;
  for (const std::int32_t node : path) ids.push_back(task.search->tree()[node].token);
  Attention attention = rows_on(path, task.attention);
  translation.text = target.decode(ids);
  for (const std::int32_t id : ids) translation.tokens.push_back(target.piece(id));
  if (job_.options->attention) translation.past_attention = rows_on(path, task.past_attention);
  if (attention.empty()) return;
  const std::vector<int> source_words = words_of(job_.request.text, source_spans_);
  if (job_.options->alignment)
    translation.alignment = align_words(attention, source_words, words_of(translation.text, target_spans(target, ids)));
  if (job_.options->replace_unknown) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] != target.special().unknown) continue;
      std::vector<float> weights = attention[i];
      for (std::size_t s = 0; s < weights.size(); ++s)
        if (source_words[s] < 0) weights[s] = -1;
      const auto best = std::max_element(weights.begin(), weights.end()) - weights.begin();
      const text::Span span = source_spans_[static_cast<std::size_t>(best)];
      words.push_back(job_.request.text.substr(span.begin, span.end - span.begin));
    }
    translation.text = replace_unknown(translation.text, words);
  }
  if (job_.options->attention) translation.attention = std::move(attention);
}

}  // namespace dragoman::search
