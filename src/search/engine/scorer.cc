#include "search/engine/scorer.h"

#include <limits>
#include <numeric>

#include "base/threads.h"
#include "search/engine/worker_threads.h"
#include "search/words.h"

namespace dragoman::search {
namespace {

// Target tokens per batch; each thread scores one batch at a time.
constexpr std::size_t kScorerBatchTokens = 2048;

struct Prepared {
  Tokens source, target;
  std::vector<int> source_words, target_words;  // the word of each token, for alignments
};

Model::GivenText read_source(const Model& model, const SentencePair& pair, const Direction& direction) {
  if (!pair.source_tokens.empty()) return model.encode_source_tokens(pair.source_tokens, direction);
  return {pair.source, model.encode_source_spans(pair.source, direction)};
}

Model::GivenText read_target(const Model& model, const SentencePair& pair) {
  if (pair.target_tokens.empty()) return {pair.target, model.target().encode_spans(pair.target)};
  Model::GivenText given;
  given.encoded.ids = model.encode_target_tokens(pair.target_tokens);
  given.text = model.target().decode(given.encoded.ids);
  given.encoded.spans = target_spans(model.target(), given.encoded.ids, given.text);
  return given;
}

Prepared prepare(const Model& model, const SentencePair& pair, std::uint64_t line, const ScoringOptions& options) {
  Model::GivenText source = read_source(model, pair, {options.to, options.from});
  Model::GivenText target = read_target(model, pair);
  Prepared ids{std::move(source.encoded.ids), std::move(target.encoded.ids), {}, {}};
  if (options.alignment) {
    ids.source_words = words_of(source.text, source.encoded.spans);
    ids.target_words = words_of(target.text, target.encoded.spans);
  }
  const auto marks = static_cast<std::size_t>(model.source_marks());
  check(static_cast<int>(ids.source.size() - marks) <= model.max_source(),
        "line {}: a source of {} tokens is longer than the {} that {} can take", line, ids.source.size() - marks,
        model.max_source(), model.path());
  check(static_cast<int>(ids.target.size()) <= model.max_target(),
        "line {}: a target of {} tokens is longer than the {} that {} can take", line, ids.target.size(),
        model.max_target(), model.path());
  return ids;
}

// Distributes the rows of a batch's attention over its pairs; without attention, `rows` is empty. The first `silent`
// rows of each pair wrote nothing.
void deal_out(Attention rows, std::ptrdiff_t silent, std::span<PairScore> scores, Attention PairScore::*weights) {
  if (rows.empty()) return;
  auto row = std::make_move_iterator(rows.begin());
  for (PairScore& score : scores) {
    row += silent;
    (score.*weights).assign(row, row + std::ssize(score.target));
    row += std::ssize(score.target);
  }
}

// The features that predict tokens of the targets: without those of the first `silent` tokens of each.
Tensor predicting(Context& cx, const Tensor& features, const Segments& rows, Size silent) {
  if (silent == 0) return features;
  std::vector<std::int32_t> kept;
  for (Size s = 0; s < rows.count(); ++s)
    for (Size i = silent; i < rows.length(s); ++i) kept.push_back(static_cast<std::int32_t>(rows.begin(s) + i));
  return gather_rows(cx, features, cx.from_host<std::int32_t>(kept, {std::ssize(kept)}));
}

void score_batch(const Model& model, std::span<const Prepared> batch, const ScoringOptions& options,
                 std::span<PairScore> scores) {
  const std::int32_t end = model.target().special().end;
  const Tokens start = model.target_start({options.to, options.from});
  const std::ptrdiff_t silent = std::ssize(start) - 1;
  Tokens source, target, labels, source_offsets{0}, target_offsets{0}, label_offsets{0};
  for (const Prepared& ids : batch) {
    source.insert(source.end(), ids.source.begin(), ids.source.end());
    source_offsets.push_back(static_cast<std::int32_t>(source.size()));
    target.insert(target.end(), start.begin(), start.end());
    target.insert(target.end(), ids.target.begin(), ids.target.end());
    target_offsets.push_back(static_cast<std::int32_t>(target.size()));
    labels.insert(labels.end(), ids.target.begin(), ids.target.end());
    labels.push_back(end);
    label_offsets.push_back(static_cast<std::int32_t>(labels.size()));
  }
  const models::Seq2seq& network = model.network();
  Workspace workspace(network.parameters().weights().device());
  Context cx(workspace);
  const models::Memory memory = network.encode(cx, Packed::from_host(cx, source, source_offsets));
  models::State state = network.start(cx, memory, false);
  const Packed tokens = Packed::from_host(cx, target, target_offsets);
  const models::Decoded decoded = network.decode(cx, tokens, memory, state, options.alignment || options.attention);
  const Tensor label_ids = cx.from_host<std::int32_t>(labels, {std::ssize(labels)});
  const std::vector<float> nll =
      network.loss(cx, predicting(cx, decoded.features, tokens.rows, silent), label_ids, {}).nll.to_host<float>();
  for (std::size_t i = 0; i < batch.size(); ++i)
    for (std::int32_t at = label_offsets[i]; at < label_offsets[i + 1]; ++at) {
      scores[i].log_probabilities.push_back(-nll[static_cast<std::size_t>(at)]);
      scores[i].target.push_back(labels[static_cast<std::size_t>(at)]);
    }
  if (!options.alignment && !options.attention) return;
  Attention attention = read_attention(network, decoded, state, memory);
  check(!options.alignment || !attention.empty(),
        "{}: the model does not attend to single source words, so it has no alignments", model.path());
  deal_out(std::move(attention), silent, scores, &PairScore::attention);
  for (std::size_t i = 0; options.alignment && i < batch.size(); ++i)
    scores[i].alignment = align_words(scores[i].attention, batch[i].source_words, batch[i].target_words);
  if (options.attention) {
    deal_out(read_past_attention(decoded, state, tokens.rows), silent, scores, &PairScore::past_attention);
    for (std::size_t i = 0; i < batch.size(); ++i) scores[i].source = batch[i].source;
  } else {
    for (PairScore& score : scores) score.attention.clear();
  }
}

}  // namespace

double PairScore::sum() const {
  return std::accumulate(log_probabilities.begin(), log_probabilities.end(), 0.0,
                         [](double sum, float value) { return sum + static_cast<double>(value); });
}

std::vector<PairScore> score_pairs(const Model& model, const std::vector<SentencePair>& pairs,
                                   const ScoringOptions& options) {
  std::vector<Prepared> prepared;
  std::vector<std::size_t> begins{0};
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    prepared.push_back(prepare(model, pairs[i], options.first_line + i, options));
    const std::size_t here = prepared.back().target.size() + 1;
    if (tokens > 0 && tokens + here > kScorerBatchTokens) {
      begins.push_back(i);
      tokens = 0;
    }
    tokens += here;
  }
  begins.push_back(pairs.size());
  std::vector<PairScore> scores(pairs.size());
  const threads::LimitScope limit(threads_or(options.threads, std::numeric_limits<int>::max()));
  threads::each(std::ssize(begins) - 1, [&](std::int64_t b) {
    const std::size_t first = begins[static_cast<std::size_t>(b)];
    const std::size_t count = begins[static_cast<std::size_t>(b) + 1] - first;
    if (count == 0) return;
    const PrecisionScope precision(model.placement());
    score_batch(model, std::span(prepared).subspan(first, count), options, std::span(scores).subspan(first, count));
    options.advance(count);
  });
  return scores;
}

}  // namespace dragoman::search

namespace dragoman {

Scorer::Scorer(const std::string& model_file, const ScorerOptions& options)
    : threads_(search::threads_or(options.threads, 0)) {
  model_ = std::make_unique<search::Model>(model_file, find_placement({options.device, options.precision}));
}

Scorer::~Scorer() = default;
Scorer::Scorer(Scorer&&) noexcept = default;
Scorer& Scorer::operator=(Scorer&&) noexcept = default;

std::vector<ScoredPair> Scorer::score(const std::vector<SentencePair>& pairs, bool alignment, const std::string& to,
                                      const std::string& from, std::uint64_t first_line) const {
  std::vector<ScoredPair> scored;
  const search::ScoringOptions options{
      .alignment = alignment, .threads = threads_, .to = to, .from = from, .first_line = first_line};
  for (search::PairScore& score : search::score_pairs(*model_, pairs, options)) {
    ScoredPair& pair = scored.emplace_back();
    pair.log_probability = score.sum();
    for (std::size_t i = 0; i + 1 < score.target.size(); ++i)
      pair.tokens.push_back(model_->target().piece(score.target[i]));
    pair.token_scores.assign(score.log_probabilities.begin(), score.log_probabilities.end());
    pair.alignment = std::move(score.alignment);
  }
  return scored;
}

}  // namespace dragoman
