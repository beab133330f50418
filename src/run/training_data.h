#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/tokenize.h"
#include "dragoman/scorer.h"
#include "run/training_options.h"

namespace dragoman::run {

// The two vocabularies of a run; both may be the same object.
struct Vocabularies {
  std::shared_ptr<const text::Tokenizer> source, target;

  data::TokenizerPair sides() const { return {source.get(), target.get()}; }
};

// Loads the vocabularies of the model to fine-tune, of vocabulary files or of the run being resumed, or builds new ones
// from the training data. Writes nothing.
Vocabularies make_vocabularies(const TrainingOptions& options);
// The same, and saves them in the output folder.
Vocabularies open_vocabularies(const TrainingOptions& options);

// Names and values, for display.
using Facts = std::vector<std::pair<std::string, std::string>>;

// The tokenised corpora of a run.
class RunData {
 public:
  RunData(const TrainingOptions& options, const Vocabularies& vocabularies);

  data::Batcher training() const;
  // Empty if the run has no validation data.
  std::optional<data::Batcher> validation() const;
  // The first `most` pairs of the validation set.
  std::vector<SentencePair> validation_text(std::size_t most) const;
  // Sizes of vocabularies and corpora, for the report and the dry run.
  Facts facts() const;

 private:
  data::BatchOptions batches() const;

  const TrainingOptions& options_;
  Vocabularies vocabularies_;
  std::vector<data::BatchSource> training_, validation_;
};

}  // namespace dragoman::run
