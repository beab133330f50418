#pragma once

#include <memory>
#include <string>

#include "models/seq2seq.h"
#include "search/constraints.h"
#include "store/model_file.h"
#include "tensor/placement.h"
#include "text/tokenizer.h"

namespace dragoman::search {

// The most tokens that such a model can write, not counting the end mark.
int max_target(const models::ModelConfig& config);

// A translation model with its tokenizers. Immutable, so threads may share it.
class Model {
 public:
  // Loads a file. Throws Error with its name if it is no translation model with vocabularies of its own.
  Model(const std::string& path, const Placement& where);
  // Copies weights, for instance those of a model in training. Errors call the model `name`.
  Model(const store::ModelInfo& info, const nn::Parameters& weights, std::string name);

  const models::Seq2seq& network() const { return *network_; }
  const text::Tokenizer& source() const { return *source_; }
  const text::Tokenizer& target() const { return *target_; }
  const std::string& path() const { return path_; }
  const store::ModelInfo& info() const { return info_; }
  const Placement& placement() const { return where_; }

  // Token ids of a source sentence with its begin and end marks.
  Tokens encode_source(std::string_view text) const;
  // The same with the bytes of the text that each id covers; marks cover none.
  text::Encoded encode_source_spans(std::string_view text) const;

  // The most tokens of a source and of a target, not counting marks.
  int max_source() const;
  int max_target() const { return search::max_target(info_.config); }

 private:
  void prepare();
  // Called once the weights are loaded.
  void finish();

  std::string path_;
  Placement where_;
  store::ModelInfo info_;
  std::unique_ptr<models::Seq2seq> network_;
  std::unique_ptr<text::Tokenizer> source_, target_;
};

}  // namespace dragoman::search
