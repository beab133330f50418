#pragma once

#include <memory>
#include <span>

#include "base/options.h"
#include "data/batcher.h"
#include "models/classifier.h"
#include "models/seq2seq.h"
#include "train/tally.h"

namespace dragoman::train {

// The two sums (loss, nll) in device memory.
struct LossTotals {
  Tensor both;  // f64 [2, 1]

  Tensor loss() const { return both.row_view(0, 1); }
  Tensor nll() const { return both.row_view(1, 1); }
};

struct LossSettings {
  double label_smoothing = 0, r_drop = 0;

  template <class V>
  void visit(V& v) {
    v("label-smoothing", label_smoothing, "fraction of each label's probability spread over all classes",
      between(0, 0.95));
    v("r-drop", r_drop, "R-Drop: weight of the divergence between two passes with different dropout; 0: a single pass",
      at_least(0));
  }
};

// A model with its loss and its validation. The trainer depends on nothing else of it.
class Task {
 public:
  virtual ~Task() = default;

  virtual const models::ModelConfig& config() const = 0;
  virtual nn::Parameters& parameters() = 0;

  // Adds the gradient of one batch (of the summed loss, times `gradient_scale`) to the flat buffer and the losses to
  // `losses`, which stay on the device. Returns the number of labels.
  virtual std::uint64_t learn(Context& cx, const data::Batch& batch, const LossSettings& settings,
                              double gradient_scale, const LossTotals& losses) = 0;
  // The contribution of a batch of `batches` to the scores of a validation.
  virtual Tally tally(Workspace& workspace, const data::Batcher& batches, const data::Batch& batch) const = 0;
};

// The class that a target names. Throws Error unless it is one label of the training data.
std::int32_t class_of(std::span<const std::int32_t> target, int classes);

class TranslationTask final : public Task {
 public:
  explicit TranslationTask(const models::ModelConfig& config) : model_(config) {}

  const models::ModelConfig& config() const override { return model_.config(); }
  nn::Parameters& parameters() override { return model_.parameters(); }
  std::uint64_t learn(Context& cx, const data::Batch& batch, const LossSettings& settings, double gradient_scale,
                      const LossTotals& losses) override;
  Tally tally(Workspace& workspace, const data::Batcher& batches, const data::Batch& batch) const override;

  const models::Seq2seq& model() const { return model_; }

 private:
  std::uint64_t learn_twice(Context& cx, const data::Batch& batch, const LossSettings& settings, double gradient_scale,
                            const LossTotals& losses);

  models::Seq2seq model_;
};

// Classification of source sentences. The target side has one word per line, the label; word k of the vocabulary is
// the class k - text::Vocabulary::kSpecial.
class ClassificationTask final : public Task {
 public:
  explicit ClassificationTask(const models::ModelConfig& config) : model_(config) {}

  const models::ModelConfig& config() const override { return model_.config(); }
  nn::Parameters& parameters() override { return model_.parameters(); }
  std::uint64_t learn(Context& cx, const data::Batch& batch, const LossSettings& settings, double gradient_scale,
                      const LossTotals& losses) override;
  Tally tally(Workspace& workspace, const data::Batcher& batches, const data::Batch& batch) const override;

  const models::Classifier& model() const { return model_; }

 private:
  models::Classifier model_;
};

// Copies the losses of a batch to the host and sums them.
LossSums add_up(const Losses& losses);
// Adds the losses, times `scale`, to totals on the device.
void add_losses(const Losses& losses, double scale, const LossTotals& totals);

}  // namespace dragoman::train
