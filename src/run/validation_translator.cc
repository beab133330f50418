#include "run/validation_translator.h"

#include <algorithm>

#include "eval/bleu.h"
#include "eval/chrf.h"
#include "search/model.h"
#include "search/neural_engine.h"

namespace dragoman::run {
namespace {

double score(const eval::Metric& metric, const eval::Lines& outputs, const eval::Lines& references) {
  return metric.score(eval::count_all(metric, outputs, {references}).sum());
}

}  // namespace

ValidationTranslator::ValidationTranslator(const models::Seq2seq& model, const Vocabularies& vocabularies,
                                           std::vector<SentencePair> pairs, const TrainingOptions& options)
    : vocabularies_(vocabularies),
      pairs_(std::move(pairs)),
      options_(options),
      model_(model),
      decoder_({&model}, vocabularies.target->special().begin) {}

search::Tokens ValidationTranslator::source_ids(const std::string& line) const {
  const data::RowOptions& rows = options_.batch.rows;
  const text::SpecialIds special = vocabularies_.source->special();
  search::Tokens ids;
  vocabularies_.source->encode(line, ids);
  if (rows.max_source_length > 0 && std::ssize(ids) > rows.max_source_length)
    ids.resize(static_cast<std::size_t>(rows.max_source_length));
  if (rows.source_begin) ids.insert(ids.begin(), special.begin);
  if (rows.source_end) ids.push_back(special.end);
  return ids;
}

search::Goal ValidationTranslator::goal(const search::Tokens& source) const {
  const text::SpecialIds special = vocabularies_.target->special();
  search::Goal goal;
  goal.options.beam = options_.validation.beam;
  goal.end = special.end;
  goal.never = {special.begin, special.pad};
  const int limit = options_.validation.max_length;
  goal.max_length = limit > 0 ? limit : 2 * static_cast<int>(source.size()) + 10;
  goal.max_length = std::min(goal.max_length, search::max_target(model_.config()));
  return goal;
}

// Translates the longest sentence as a batch of one and as a batch of two. Memory grows linearly with the number of
// sentences, so the difference is the memory per sentence.
std::size_t ValidationTranslator::rehearse() {
  search::Tokens longest;
  for (const SentencePair& pair : pairs_) {
    search::Tokens source = source_ids(pair.source);
    if (source.size() > longest.size()) longest = std::move(source);
  }
  const auto peak = [&](std::size_t sentences) {
    search::BatchDecoder decoder({&model_}, vocabularies_.target->special().begin);
    std::vector<search::DecodingTask> tasks(sentences);
    for (search::DecodingTask& task : tasks) {
      task.sources = {longest};
      search::Goal whole = goal(longest);
      whole.options.min_length = whole.max_length;
      task.search = search::SentenceSearch::make(std::move(whole));
      task.finished = [](search::DecodingTask&) {};
    }
    decoder.add(std::move(tasks));
    while (decoder.size() > 0) decoder.step();
    return static_cast<double>(decoder.peak());
  };
  constexpr double kArenaOverhead = 1.5;  // arenas reserve more memory than is in use
  const double one = peak(1), more = peak(2) - one;
  return static_cast<std::size_t>(
      kArenaOverhead * (one + more * static_cast<double>(std::min<Size>(batch_size(), std::ssize(pairs_)) - 1)));
}

Size ValidationTranslator::batch_size() const { return search::usual_batch(model_.parameters().weights().device()); }

search::DecodingTask ValidationTranslator::task(std::size_t index) {
  search::DecodingTask task;
  task.sources.push_back(source_ids(pairs_[index].source));
  task.search = search::SentenceSearch::make(goal(task.sources[0]));
  task.wants_attention = index < static_cast<std::size_t>(options_.validation.samples);
  task.finished = [this, index](search::DecodingTask& done) { take(index, done); };
  return task;
}

void ValidationTranslator::take(std::size_t index, const search::DecodingTask& task) {
  train::Sample& sample = translated_[index];
  const std::vector<search::Finished> best = task.search->best();
  if (best.empty()) return;
  const search::Tree& tree = task.search->tree();
  std::vector<std::int32_t> path = tree.path(best.front().node), ids;
  path.pop_back();  // EOS
  for (const std::int32_t node : path) ids.push_back(tree[node].token);
  sample.output = vocabularies_.target->decode(ids);
  if (!task.wants_attention) return;
  for (const std::int32_t id : task.sources[0]) sample.source_pieces.push_back(vocabularies_.source->piece(id));
  for (const std::int32_t id : ids) sample.output_pieces.push_back(vocabularies_.target->piece(id));
  if (task.attention.empty()) return;
  for (const std::int32_t node : path) {
    const std::vector<float>& weights = task.attention[static_cast<std::size_t>(node)];
    sample.attention.insert(sample.attention.end(), weights.begin(), weights.end());
  }
  if (sample.attention.size() != sample.source_pieces.size() * sample.output_pieces.size()) sample.attention.clear();
}

void ValidationTranslator::measure(train::Validation& validation) {
  translated_.clear();
  for (const SentencePair& pair : pairs_) translated_.push_back({pair.source, pair.target, {}, {}, {}, {}});
  for (std::size_t next = 0; next < pairs_.size() || decoder_.size() > 0;) {
    std::vector<search::DecodingTask> entering;
    while (next < pairs_.size() && decoder_.size() + std::ssize(entering) < batch_size())
      entering.push_back(task(next++));
    if (!entering.empty()) decoder_.add(std::move(entering));
    if (decoder_.size() > 0) decoder_.step();
  }
  eval::Lines outputs, references;
  for (const train::Sample& sample : translated_) {
    outputs.push_back(sample.output);
    references.push_back(sample.reference);
  }
  validation.scores.set("bleu", score(eval::Bleu(), outputs, references));
  validation.scores.set("chrf", score(eval::Chrf(), outputs, references));
  const std::size_t shown = std::min(translated_.size(), static_cast<std::size_t>(options_.validation.samples));
  validation.samples.assign(translated_.begin(), translated_.begin() + static_cast<std::ptrdiff_t>(shown));
}

}  // namespace dragoman::run
