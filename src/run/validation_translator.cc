#include "run/validation_translator.h"

#include <algorithm>
#include <map>

#include "base/bounded_json.h"
#include "data/utf8.h"
#include "eval/bleu.h"
#include "eval/chrf.h"
#include "search/engine/model.h"
#include "search/engine/neural_engine.h"

namespace dragoman::run {
namespace {

struct Translated {
  eval::Lines outputs, references;

  double score(const eval::Metric& metric) const {
    return metric.score(eval::count_all(metric, outputs, {references}).sum());
  }
};

}  // namespace

ValidationTranslator::ValidationTranslator(const models::Seq2seq& model, const Vocabularies& vocabularies,
                                           std::vector<ValidationPair> pairs, const TrainingOptions& options,
                                           comm::Communicator& comm)
    : vocabularies_(vocabularies),
      pairs_(std::move(pairs)),
      options_(options),
      model_(model),
      comm_(comm),
      decoder_({&model}) {}

search::Tokens ValidationTranslator::source_ids(const ValidationPair& pair) const {
  const data::RowOptions& rows = options_.batch.rows;
  const text::SpecialIds special = vocabularies_.source->special();
  search::Tokens ids;
  vocabularies_.source->encode(pair.sentences.source, ids);
  if (rows.max_source_length > 0 && std::ssize(ids) > rows.max_source_length)
    ids.resize(static_cast<std::size_t>(rows.max_source_length));
  if (pair.tag != text::LanguageTags::kNone) ids.insert(ids.begin(), pair.tag);
  if (rows.source_begin) ids.insert(ids.begin(), special.begin);
  if (rows.source_end) ids.push_back(special.end);
  return ids;
}

search::Goal ValidationTranslator::goal(const search::Tokens& source) const {
  const text::SpecialIds special = vocabularies_.target->special();
  search::Goal goal;
  goal.options.beam = options_.validation.beam;
  goal.end = special.end;
  goal.never = text::never_written(*vocabularies_.target, model_.config().target_vocabulary);
  const int limit = options_.validation.max_length;
  goal.max_length = limit > 0 ? limit : 2 * static_cast<int>(source.size()) + 10;
  goal.max_length = std::min(goal.max_length, search::max_target(model_.config()));
  return goal;
}

// Translates the longest sentence as a batch of one and as a batch of two. Memory grows linearly with the number of
// sentences, so the difference is the memory per sentence.
std::size_t ValidationTranslator::rehearse() {
  search::Tokens longest;
  for (const ValidationPair& pair : pairs_) {
    search::Tokens source = source_ids(pair);
    if (source.size() > longest.size()) longest = std::move(source);
  }
  const auto peak = [&](std::size_t sentences) {
    search::BatchDecoder decoder({&model_});
    std::vector<search::DecodingTask> tasks(sentences);
    for (search::DecodingTask& task : tasks) {
      task.sources = {longest};
      task.start = {vocabularies_.target->special().begin};
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
  task.sources.push_back(source_ids(pairs_[index]));
  task.start = {vocabularies_.target->special().begin};
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
  sample.output = data::replace_invalid_utf8(vocabularies_.target->decode(ids));
  if (!task.wants_attention) return;
  for (const std::int32_t id : task.sources[0]) sample.source_pieces.push_back(vocabularies_.source->piece(id));
  for (const std::int32_t id : ids) sample.output_pieces.push_back(vocabularies_.target->piece(id));
  if (task.attention.empty()) return;
  for (const std::int32_t node : path) {
    const std::vector<float>& weights = task.attention[static_cast<std::size_t>(node)];
    sample.attention.insert(sample.attention.end(), weights.begin(), weights.end());
  }
  if (sample.attention.size() != sample.source_pieces.size() * sample.output_pieces.size()) sample.attention.clear();
  if (task.past_attention.empty()) return;
  for (const std::int32_t node : path)
    sample.past_attention.push_back(task.past_attention[static_cast<std::size_t>(node)]);
}

// The first rank translates the samples, whose attention is shown.
bool ValidationTranslator::is_own(std::size_t index) const {
  if (index < static_cast<std::size_t>(options_.validation.samples)) return comm_.leads();
  return index % static_cast<std::size_t>(comm_.size()) == static_cast<std::size_t>(comm_.rank());
}

void ValidationTranslator::gather() {
  if (comm_.size() == 1) return;
  nlohmann::json own = nlohmann::json::object();
  for (std::size_t i = 0; i < translated_.size() && !comm_.leads(); ++i)
    if (is_own(i)) own[std::to_string(i)] = translated_[i].output;
  const std::vector<std::string> all = comm_.exchange(own.dump());
  if (!comm_.leads()) return;
  for (const std::string& part : all) {
    const nlohmann::json outputs = parse_json(part, "the translations of a rank");
    for (const auto& [index, output] : outputs.items())
      translated_.at(std::stoull(index)).output = output.get<std::string>();
  }
}

void ValidationTranslator::measure(train::Validation& validation) {
  translated_.clear();
  for (const auto& [sentences, languages, tag] : pairs_)
    translated_.push_back({sentences.source, sentences.target, {}, {}, {}, {}});
  for (std::size_t next = 0; next < pairs_.size() || decoder_.size() > 0;) {
    std::vector<search::DecodingTask> entering;
    for (; next < pairs_.size() && decoder_.size() + std::ssize(entering) < batch_size(); ++next)
      if (is_own(next)) entering.push_back(task(next));
    if (!entering.empty()) decoder_.add(std::move(entering));
    if (decoder_.size() > 0) decoder_.step();
  }
  gather();
  if (!comm_.leads()) return;
  add_scores(validation.scores);
  const std::size_t shown = std::min(translated_.size(), static_cast<std::size_t>(options_.validation.samples));
  validation.samples.assign(translated_.begin(), translated_.begin() + static_cast<std::ptrdiff_t>(shown));
}

void ValidationTranslator::add_scores(train::Scores& scores) const {
  Translated all;
  std::map<std::string, Translated> by_languages;
  const auto add = [](Translated& to, const train::Sample& sample) {
    to.outputs.push_back(sample.output);
    to.references.push_back(sample.reference);
  };
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    add(all, translated_[i]);
    if (!pairs_[i].languages.empty()) add(by_languages[pairs_[i].languages], translated_[i]);
  }
  scores.set("bleu", all.score(eval::Bleu()));
  scores.set("chrf", all.score(eval::Chrf()));
  for (const auto& [languages, pairs] : by_languages) {
    scores.set(train::score_of("bleu", languages), pairs.score(eval::Bleu()));
    scores.set(train::score_of("chrf", languages), pairs.score(eval::Chrf()));
  }
}

}  // namespace dragoman::run
