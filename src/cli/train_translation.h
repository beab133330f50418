#pragma once

#include <vector>

#include "cli/train_data.h"
#include "train/observer.h"

namespace dragoman::cli {

// Translates sentences of the validation set at each validation: BLEU, chrF and samples with their attention.
class ValidationTranslator final : public train::Observer {
 public:
  ValidationTranslator(const models::Seq2seq& model, const Vocabularies& vocabularies, std::vector<TextPair> pairs,
                       const TrainCommandOptions& options);

  void measure(train::Validation& validation) override;

 private:
  // Output ids of some sentences, without marks.
  std::vector<std::vector<std::int32_t>> translate(std::span<const std::vector<std::int32_t>> sources);
  std::vector<std::int32_t> source_ids(const std::string& line) const;
  train::Sample sample(const TextPair& pair, const std::vector<std::int32_t>& output);

  const models::Seq2seq& model_;
  Vocabularies vocabularies_;
  std::vector<TextPair> pairs_;
  const TrainCommandOptions& options_;
  Workspace workspace_;
};

}  // namespace dragoman::cli
