#include "cli/train_translation.h"

#include <algorithm>

#include "eval/bleu.h"
#include "eval/chrf.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kBatch = 32;

data::PackedRows pack(std::span<const std::vector<std::int32_t>> sentences) {
  data::PackedRows rows;
  for (const auto& sentence : sentences) {
    rows.tokens.insert(rows.tokens.end(), sentence.begin(), sentence.end());
    rows.end_row();
  }
  return rows;
}

Packed packed(const Context& cx, const data::PackedRows& rows) {
  return Packed::from_host(cx, rows.tokens, rows.offsets);
}

double score(const eval::Metric& metric, const eval::Lines& outputs, const eval::Lines& references) {
  return metric.score(eval::count_all(metric, outputs, {references}).sum());
}

}  // namespace

ValidationTranslator::ValidationTranslator(const models::Seq2seq& model, const Vocabularies& vocabularies,
                                           std::vector<TextPair> pairs, const TrainCommandOptions& options)
    : model_(model),
      vocabularies_(vocabularies),
      pairs_(std::move(pairs)),
      options_(options),
      workspace_(model.parameters().weights().device()) {}

std::vector<std::int32_t> ValidationTranslator::source_ids(const std::string& line) const {
  const data::RowOptions& rows = options_.batch.rows;
  const text::SpecialIds special = vocabularies_.source->special();
  std::vector<std::int32_t> ids;
  vocabularies_.source->encode(line, ids);
  if (rows.max_source_length > 0 && std::ssize(ids) > rows.max_source_length)
    ids.resize(static_cast<std::size_t>(rows.max_source_length));
  if (rows.source_begin) ids.insert(ids.begin(), special.begin);
  if (rows.source_end) ids.push_back(special.end);
  return ids;
}

std::vector<std::vector<std::int32_t>> ValidationTranslator::translate(
    std::span<const std::vector<std::int32_t>> sources) {
  workspace_.reset();
  Context cx(workspace_);
  const text::SpecialIds special = vocabularies_.target->special();
  const models::Memory memory = model_.encode(cx, packed(cx, pack(sources)));
  models::State state = model_.start(cx, memory, true);
  std::vector<std::vector<std::int32_t>> outputs(sources.size());
  std::vector<std::int32_t> last(sources.size(), special.begin), offsets;
  for (std::size_t i = 0; i <= sources.size(); ++i) offsets.push_back(static_cast<std::int32_t>(i));
  std::vector<bool> ended(sources.size());
  for (int step = 0; step < options_.validation.max_length && !std::all_of(ended.begin(), ended.end(), std::identity());
       ++step) {
    const Tensor logits =
        model_.logits(cx, model_.decode(cx, Packed::from_host(cx, last, offsets), memory, state).features);
    const std::vector<float> values = logits.to_host<float>();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(i) * logits.cols();
      last[i] = static_cast<std::int32_t>(std::max_element(first, first + logits.cols()) - first);
      ended[i] = ended[i] || last[i] == special.end;
      if (!ended[i]) outputs[i].push_back(last[i]);
    }
  }
  return outputs;
}

void ValidationTranslator::measure(train::Validation& validation) {
  std::vector<std::vector<std::int32_t>> sources, outputs;
  eval::Lines texts, references;
  for (const TextPair& pair : pairs_) sources.push_back(source_ids(pair.source));
  for (std::size_t begin = 0; begin < sources.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, sources.size() - begin);
    for (auto& output : translate(std::span(sources).subspan(begin, count))) outputs.push_back(std::move(output));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    texts.push_back(vocabularies_.target->decode(outputs[i]));
    references.push_back(pairs_[i].reference);
  }
  validation.scores.set("bleu", score(eval::Bleu(), texts, references));
  validation.scores.set("chrf", score(eval::Chrf(), texts, references));
  for (std::size_t i = 0; i < outputs.size() && i < static_cast<std::size_t>(options_.validation.samples); ++i)
    validation.samples.push_back(sample(pairs_[i], outputs[i]));
}

// The attention is that of the whole output, read in one go.
train::Sample ValidationTranslator::sample(const TextPair& pair, const std::vector<std::int32_t>& output) {
  train::Sample sample{pair.source, pair.reference, vocabularies_.target->decode(output), {}, {}, {}};
  const std::vector<std::int32_t> source = source_ids(pair.source);
  for (const std::int32_t id : source) sample.source_pieces.push_back(vocabularies_.source->piece(id));
  for (const std::int32_t id : output) sample.output_pieces.push_back(vocabularies_.target->piece(id));
  if (output.empty()) return sample;
  workspace_.reset();
  Context cx(workspace_);
  std::vector<std::int32_t> read = {vocabularies_.target->special().begin};
  read.insert(read.end(), output.begin(), output.end() - 1);
  const models::Memory memory = model_.encode(cx, packed(cx, pack({&source, 1})));
  models::State state = model_.start(cx, memory, false);
  const Tensor weights = model_.decode(cx, packed(cx, pack({&read, 1})), memory, state, true).weights;
  if (!weights.defined()) return sample;
  const std::size_t cells = source.size() * output.size();
  const std::vector<float> all = weights.to_host<float>();
  if (all.size() % cells != 0) return sample;  // attention over something else than source words
  const auto heads = static_cast<float>(all.size() / cells);
  sample.attention.assign(cells, 0);
  for (std::size_t i = 0; i < all.size(); ++i) sample.attention[i % cells] += all[i] / heads;
  return sample;
}

}  // namespace dragoman::cli
