#pragma once

#include <memory>
#include <string>

#include "models/seq2seq.h"
#include "search/constraints.h"
#include "store/model_file.h"
#include "tensor/placement.h"
#include "text/tokenizer.h"

namespace dragoman::search {

// The most tokens, end mark aside, that such a model can write.
int max_target(const models::ModelConfig& config);

// A translation model with its tokenizers, ready to be asked. Never changes, so threads may share it.
class Model {
 public:
  // Lives where placement() says. Fails with a sentence that names the file when it is no translation model with
  // vocabularies of its own.
  explicit Model(const std::string& path);
  // A copy of weights that live elsewhere: how a model in training is asked. `name` stands for the file in errors.
  Model(const store::ModelInfo& info, const nn::Parameters& weights, std::string name);

  const models::Seq2seq& network() const { return *network_; }
  const text::Tokenizer& source() const { return *source_; }
  const text::Tokenizer& target() const { return *target_; }
  const std::string& path() const { return path_; }
  const store::ModelInfo& info() const { return info_; }

  // Ids of a source sentence with its marks.
  Tokens encode_source(std::string_view text) const;
  // The same with the bytes that each id stands for; marks stand for nothing.
  text::Encoded encode_source_spans(std::string_view text) const;

  // Most tokens of a source, marks aside, and of a target, end mark aside, that the model can take.
  int max_source() const;
  int max_target() const { return search::max_target(info_.config); }

 private:
  void prepare(const Placement& where);
  // After the weights are there.
  void finish();

  std::string path_;
  store::ModelInfo info_;
  std::unique_ptr<models::Seq2seq> network_;
  std::unique_ptr<text::Tokenizer> source_, target_;
};

}  // namespace dragoman::search
