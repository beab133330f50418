#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/tokenize.h"
#include "dragoman/scorer.h"
#include "run/data_counts.h"
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
// Saves them in the output folder.
void save_vocabularies(const Vocabularies& vocabularies, const TrainingOptions& options);

// A pair of the validation set; `languages` as in en-de, empty if the run has none.
struct ValidationPair {
  SentencePair sentences;
  std::string languages;
  std::int32_t tag = text::LanguageTags::kNone;  // the token that names the target language
};

// Names and values, for display.
using Facts = std::vector<std::pair<std::string, std::string>>;

// The tokenised corpora of a run.
class RunData {
 public:
  RunData(const TrainingOptions& options, const Vocabularies& vocabularies);

  data::Batcher training(data::Shard shard = {}) const;
  // Empty if the run has no validation data.
  std::optional<data::Batcher> validation() const;
  // The first `most` pairs of the validation set or, with languages, of every language pair: first one of each, then
  // the second of each, and so on.
  std::vector<ValidationPair> validation_text(std::size_t most) const;
  // Sizes of vocabularies and corpora, for the report and the dry run.
  Facts facts() const;
  DataCounts counts() const;
  // A hash of the training data as batches see it: token ids, weights, languages and length limits. It does not depend
  // on where the files are. Never 0.
  std::uint64_t hash() const;
  // The same of the validation data; 0 if there are none.
  std::uint64_t validation_hash() const;
  // Removes the files of tokens that were written for this run, which turned out to be impossible.
  void remove_written() const;

 private:
  data::BatchOptions batches() const;
  std::uint64_t hash_of(const std::vector<data::BatchSource>& sources) const;
  data::TokenStore open_store(const data::Corpus& corpus, bool keep_text, bool filtered);
  // Throws Error if the targets cannot be learned by the task.
  void check_targets(const data::BatchSource& source, const data::Corpus& corpus) const;
  // The token that names the corpus's target language; none without languages.
  std::int32_t tag_of(const data::Corpus& corpus) const;

  const TrainingOptions& options_;
  Vocabularies vocabularies_;
  std::vector<data::BatchSource> training_, validation_;
  std::vector<std::string> written_;  // files of tokens that did not exist before
};

}  // namespace dragoman::run
