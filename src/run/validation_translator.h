#pragma once

#include <vector>

#include "comm/communicator.h"
#include "run/training_data.h"
#include "search/decode/batch_decoder.h"
#include "train/observer.h"

namespace dragoman::run {

// Translates sentences of the validation set at each validation. Adds BLEU and chrF, also of each language pair, and
// samples with their attention. With several ranks, each translates a part, and the first one scores them.
class ValidationTranslator final : public train::Observer {
 public:
  ValidationTranslator(const models::Seq2seq& model, const Vocabularies& vocabularies,
                       std::vector<ValidationPair> pairs, const TrainingOptions& options,
                       comm::Communicator& comm = comm::alone());

  std::size_t rehearse() override;
  void measure(train::Validation& validation) override;

 private:
  // Maximum number of sentences in the decoder at a time.
  Size batch_size() const;
  search::Tokens source_ids(const ValidationPair& pair) const;
  search::Goal goal(const search::Tokens& source) const;
  search::DecodingTask task(std::size_t index);
  // Whether this rank translates sentence `index`.
  bool is_own(std::size_t index) const;
  // The first rank gets the translations of all others.
  void gather();
  // Takes the best hypothesis of sentence `index`.
  void take(std::size_t index, const search::DecodingTask& task);
  void add_scores(train::Scores& scores) const;

  Vocabularies vocabularies_;
  std::vector<ValidationPair> pairs_;
  const TrainingOptions& options_;
  const models::Seq2seq& model_;
  comm::Communicator& comm_;
  search::BatchDecoder decoder_;
  std::vector<train::Sample> translated_;  // one per pair; only the first ones, the samples, have attention
};

}  // namespace dragoman::run
