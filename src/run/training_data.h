#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/tokenize.h"
#include "run/training_options.h"

namespace dragoman::run {

// The two vocabularies of a run; they may be one.
struct Vocabularies {
  std::shared_ptr<const text::Tokenizer> source, target;

  data::TokenizerPair sides() const { return {source.get(), target.get()}; }
};

// From the fine-tuned model, from files, from the run being resumed, or made from the training data; in the end the
// output folder holds them.
Vocabularies open_vocabularies(const TrainingOptions& options);
// The same, with nothing written.
Vocabularies make_vocabularies(const TrainingOptions& options);

// A pair of the validation set as text.
struct TextPair {
  std::string source, reference;
};

// The tokenised corpora of a run.
class RunData {
 public:
  RunData(const TrainingOptions& options, const Vocabularies& vocabularies);

  data::Batcher training() const;
  // Nothing where the run has no validation data.
  std::optional<data::Batcher> validation() const;
  // The first `most` pairs to validate on.
  std::vector<TextPair> validation_text(std::size_t most) const;
  // Numbers for the report and the dry run: a name and words.
  std::vector<std::pair<std::string, std::string>> facts() const;

 private:
  data::BatchOptions batches() const;

  const TrainingOptions& options_;
  Vocabularies vocabularies_;
  std::vector<data::BatchSource> training_, validation_;
};

}  // namespace dragoman::run
