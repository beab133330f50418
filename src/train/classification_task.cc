#include <algorithm>

#include "base/counted.h"
#include "text/vocabulary.h"
#include "train/task.h"

namespace dragoman::train {
namespace {

// The classes of a batch's sentences.
std::vector<std::int32_t> classes_of(const data::Batch& batch, int classes) {
  std::vector<std::int32_t> list;
  for (std::size_t row = 0; row < batch.target.rows(); ++row) list.push_back(class_of(batch.target.row(row), classes));
  return list;
}

Tensor on_device(const Context& cx, const std::vector<std::int32_t>& classes) {
  return cx.from_host<std::int32_t>(classes, {std::ssize(classes)});
}

}  // namespace

std::int32_t class_of(std::span<const std::int32_t> target, int classes) {
  check(target.size() == 1, "expected one label per line for classification, but this line has {}",
        counted(target.size(), "word"));
  const std::int32_t label = target[0] - text::Vocabulary::kSpecial;
  check(label >= 0 && label < classes, "its label does not occur in the training data");
  return label;
}

std::uint64_t ClassificationTask::learn(Context& cx, const data::Batch& batch, const LossSettings& settings,
                                        double gradient_scale, const LossTotals& totals) {
  check(settings.r_drop == 0, "r-drop: expected 0 for classification; it is for translation only");
  const Tensor features = model_.features(cx, Packed::from_host(cx, batch.source.tokens, batch.source.offsets));
  const Losses losses = model_.loss(cx, features, on_device(cx, classes_of(batch, model_.config().classes)),
                                    {.smoothing = settings.label_smoothing, .gradient_scale = gradient_scale});
  cx.backward();
  add_losses(losses, 1, totals);
  return batch.labels.size();
}

Tally ClassificationTask::tally(Workspace& workspace, const data::Batcher&, const data::Batch& batch) const {
  workspace.reset();
  Context cx(workspace);
  const std::vector<std::int32_t> references = classes_of(batch, model_.config().classes);
  const Tensor features = model_.features(cx, Packed::from_host(cx, batch.source.tokens, batch.source.offsets));
  Tally tally{.sums = add_up(model_.loss(cx, features, on_device(cx, references), {}))};
  const Tensor logits = model_.logits(cx, features);
  const std::vector<float> values = logits.to_host<float>();
  for (std::size_t row = 0; row < references.size(); ++row) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row) * logits.cols();
    tally.confusion.add(references[row],
                        static_cast<std::int32_t>(std::max_element(first, first + logits.cols()) - first));
  }
  return tally;
}

}  // namespace dragoman::train
