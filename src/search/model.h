#pragma once

#include <memory>
#include <string>

#include "models/seq2seq.h"
#include "search/constraints.h"
#include "search/direction.h"
#include "store/model_file.h"
#include "tensor/placement.h"
#include "text/tokenizer.h"

namespace dragoman::search {

// Maximum number of source tokens that such a model can read, marks included; at most kMostTokens.
int max_source_rows(const models::ModelConfig& config);

// Maximum number of tokens that such a model can write, not counting EOS; at most kMostTokens.
int max_target(const models::ModelConfig& config);

// Ids that are never part of a translation: those that the tokenizer names, such as BOS and padding, and ids of the
// output layer that it does not have.
Tokens never_written(const text::Tokenizer& target, int target_vocabulary);

// A translation model with its tokenizers. Immutable, so threads may share it.
class Model {
 public:
  // Loads a file. Throws Error with its name if it is not a translation model that contains its vocabularies.
  Model(const std::string& path, const Placement& where);
  // Copies weights, for instance those of a model in training. Errors call the model `name`.
  Model(const store::ModelInfo& info, const nn::Parameters& weights, std::string name,
        WeightFormat format = WeightFormat::same);

  const models::Seq2seq& network() const { return *network_; }
  const text::Tokenizer& source() const { return *source_; }
  const text::Tokenizer& target() const { return *target_; }
  const std::string& path() const { return path_; }
  const store::ModelInfo& info() const { return info_; }
  const Placement& placement() const { return where_; }

  // Token ids of a source sentence with its marks: BOS, tags of languages, EOS.
  Tokens encode_source(std::string_view text, const Direction& direction = {}) const;
  // The same with the byte span that each id covers in the text; marks cover none.
  text::Encoded encode_source_spans(std::string_view text, const Direction& direction = {}) const;
  // The tokens that the decoder reads before the first token of a translation.
  Tokens target_start(const Direction& direction = {}) const;
  // Throws Error if the model needs languages and these are not among its own, or if it has none and some are asked
  // for.
  void check_direction(const Direction& direction) const;
  // The number of marks of a source sentence.
  int source_marks() const;

  // Maximum number of source and of target tokens, not counting marks; at most kMostTokens.
  int max_source() const;
  int max_target() const;
  // Whether attention says which source tokens a target token comes from.
  bool aligns() const;

 private:
  Model(const store::ModelFile& file, const std::string& path, const Placement& where);
  void prepare();
  void check_marks() const;
  // Called once the weights are loaded.
  void finish();

  std::string path_;
  Placement where_;
  store::ModelInfo info_;
  std::unique_ptr<models::Seq2seq> network_;
  std::unique_ptr<text::Tokenizer> source_, target_;
};

}  // namespace dragoman::search
