#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dragoman/alignment.h"
#include "dragoman/error.h"
#include "dragoman/export.h"
#include "dragoman/precision.h"

// Log probabilities of given translations (forced decoding).
//
//   dragoman::Scorer scorer("model.safetensors");
//   double log_probability = scorer.score({{"Where is it?", "Wo ist es?"}})[0].log_probability;
namespace dragoman {

namespace search {
class Model;
}

struct SentencePair {
  std::string source, target;
  // Tokens of the model's vocabularies instead of the texts, as in Request.
  std::vector<std::string> source_tokens{}, target_tokens{};
};

struct ScoredPair {
  double log_probability = 0;  // natural logarithm, the end-of-sentence token included
  std::vector<std::string> tokens;
  std::vector<double> token_scores;      // log probabilities of the tokens; the last one is that of EOS
  std::vector<AlignmentLink> alignment;  // each target word with the source word it attended to most; if requested
};

struct ScorerOptions {
  std::string device = "auto";  // as in TranslatorOptions
  Precision precision = Precision::automatic;
  int threads = 0;  // at most 1024; 0 means one per core
};

// May be used by several threads at once.
class DRAGOMAN_API Scorer {
 public:
  explicit Scorer(const std::string& model_file, const ScorerOptions& options = {});
  ~Scorer();
  Scorer(Scorer&&) noexcept;
  Scorer& operator=(Scorer&&) noexcept;

  // The scores of all pairs, in order. `to` is the target language, for models that translate into several, and `from`
  // the source language, for those that have to be told. Throws Error if a pair is longer than the model can take; it
  // names the pair's line, counted from `first_line`.
  std::vector<ScoredPair> score(const std::vector<SentencePair>& pairs, bool alignment = false,
                                const std::string& to = "", const std::string& from = "",
                                std::uint64_t first_line = 1) const;

 private:
  std::unique_ptr<search::Model> model_;
  int threads_ = 0;
};

}  // namespace dragoman
