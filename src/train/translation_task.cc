#include <map>
#include <numeric>
#include <span>

#include "train/task.h"

namespace dragoman::train {
namespace {

Packed packed(const Context& cx, const data::PackedRows& rows) {
  return Packed::from_host(cx, rows.tokens, rows.offsets);
}

Tensor labels_of(const Context& cx, const data::Batch& batch) {
  return cx.from_host<std::int32_t>(batch.labels, {std::ssize(batch.labels)});
}

// The input of the output layer at each target token.
Tensor features(Context& cx, const models::Seq2seq& model, const data::Batch& batch) {
  const models::Memory memory = model.encode(cx, packed(cx, batch.source));
  models::State state = model.start(cx, memory, false);
  return model.decode(cx, packed(cx, batch.target), memory, state).features;
}

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Adds the losses of each sentence to those of its language pair.
void add_by_languages(const data::Batcher& batches, const data::Batch& batch, std::span<const double> nll,
                      std::map<std::string, LossSums>& sums) {
  for (std::size_t i = 0; i < batch.sentences.size(); ++i) {
    const std::string& languages = batches.source_of(batch.sentences[i]).languages;
    if (languages.empty()) continue;
    const std::span<const double> own =
        nll.subspan(static_cast<std::size_t>(batch.target.offsets[i]), batch.target.row(i).size());
    sums[languages] += {sum(own), sum(own), own.size()};
  }
}

void append(data::PackedRows& to, const data::PackedRows& rows) {
  const std::int32_t shift = to.offsets.back();
  to.tokens.insert(to.tokens.end(), rows.tokens.begin(), rows.tokens.end());
  for (std::size_t i = 1; i < rows.offsets.size(); ++i) to.offsets.push_back(rows.offsets[i] + shift);
}

// The batch twice; each copy gets its own dropout.
data::Batch doubled(const data::Batch& batch) {
  data::Batch two = batch;
  append(two.source, batch.source);
  append(two.target, batch.target);
  two.labels.insert(two.labels.end(), batch.labels.begin(), batch.labels.end());
  return two;
}

// KL(p || q) + KL(q || p) of the distributions over two rows of logits a and b: [N, V] -> [N, 1]. With log p = a - c
// and log q = b - d it is sum_j (p_j - q_j)(a_j - b_j); c and d cancel because p - q sums to zero.
Tensor symmetric_divergence(Context& cx, const Tensor& a, const Tensor& b) {
  const Tensor gap = multiply(cx, add(cx, softmax(cx, a), softmax(cx, b), 1, -1), add(cx, a, b, 1, -1));
  const std::vector<double> ones(static_cast<std::size_t>(gap.cols()), 1);
  return linear(cx, gap, cx.from_numbers(gap.dtype(), ones, {1, gap.cols()}));
}

}  // namespace

LossSums add_up(const Losses& losses) {
  return {sum(losses.loss.to_host<double>()), sum(losses.nll.to_host<double>()),
          static_cast<std::uint64_t>(losses.nll.count())};
}

void add_losses(const Losses& losses, double scale, const LossTotals& totals) {
  add_sum(losses.loss, scale, totals.loss());
  add_sum(losses.nll, scale, totals.nll());
}

std::uint64_t TranslationTask::learn(Context& cx, const data::Batch& batch, const LossSettings& settings,
                                     double gradient_scale, const LossTotals& totals) {
  if (settings.r_drop > 0) return learn_twice(cx, batch, settings, gradient_scale, totals);
  const Losses losses = model_.loss(cx, features(cx, model_, batch), labels_of(cx, batch),
                                    {.smoothing = settings.label_smoothing, .gradient_scale = gradient_scale});
  cx.backward();
  add_losses(losses, 1, totals);
  return batch.labels.size();
}

// R-Drop (Liang et al. 2021): the mean loss of two passes plus r_drop times half their symmetric divergence.
std::uint64_t TranslationTask::learn_twice(Context& cx, const data::Batch& batch, const LossSettings& settings,
                                           double gradient_scale, const LossTotals& totals) {
  const data::Batch two = doubled(batch);
  const Tensor both = features(cx, model_, two);
  const Tensor logits = model_.logits(cx, both);
  const Size rows = logits.rows() / 2;
  const Tensor distance = symmetric_divergence(cx, slice_rows(cx, logits, 0, rows), slice_rows(cx, logits, rows, rows));
  const std::vector<double> gradient(static_cast<std::size_t>(rows), 0.5 * settings.r_drop * gradient_scale);
  cx.seed(distance, gradient);
  const Losses losses = model_.loss(cx, both, labels_of(cx, two),
                                    {.smoothing = settings.label_smoothing, .gradient_scale = 0.5 * gradient_scale});
  cx.backward();
  add_losses(losses, 0.5, totals);
  add_sum(distance, 0.5 * settings.r_drop, totals.loss());
  return batch.labels.size();
}

Tally TranslationTask::tally(Workspace& workspace, const data::Batcher& batches, const data::Batch& batch) const {
  workspace.reset();
  Context cx(workspace);
  const Losses losses = model_.loss(cx, features(cx, model_, batch), labels_of(cx, batch), {});
  Tally tally{.sums = add_up(losses)};
  add_by_languages(batches, batch, losses.nll.to_host<double>(), tally.by_languages);
  return tally;
}

}  // namespace dragoman::train
