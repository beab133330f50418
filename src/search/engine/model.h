#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "models/seq2seq.h"
#include "search/constrain/constraints.h"
#include "store/model_file.h"
#include "tensor/placement.h"
#include "text/piece_ids.h"
#include "text/tokenizer.h"

namespace dragoman::search {

// The languages of a translation, as a model names them; empty where there is no choice.
struct Direction {
  std::string_view to{}, from{};
};

// Maximum number of source tokens that such a model can read, marks included; at most kMostTokens.
int max_source_rows(const models::ModelConfig& config);

// Maximum number of tokens that such a model can write, not counting EOS; at most kMostTokens.
int max_target(const models::ModelConfig& config);

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

  // The language that a text begins with, as models of OPUS-MT expect it: >>fra<< if the vocabulary has this tag. Empty
  // for other texts.
  std::string_view language_in(std::string_view text) const;
  // The bytes of that tag; 0 for other texts.
  std::size_t tag_size(std::string_view text) const;
  // Token ids of a source sentence with its marks: BOS, tags of languages, EOS. The language that the text begins with
  // is the one to translate into, whatever `direction` says.
  Tokens encode_source(std::string_view text, const Direction& direction = {}) const;
  // The same with the byte span that each id covers in the text; marks cover none.
  text::Encoded encode_source_spans(std::string_view text, const Direction& direction = {}) const;
  // The ids of tokens of the source vocabulary.
  Tokens source_ids(std::span<const std::string> tokens) const;
  // The same as encode_source_spans() of a sentence that is given as tokens, with its text. Marks among the tokens are
  // not doubled: a leading BOS, a leading tag, which chooses the language, and a trailing EOS.
  struct GivenText {
    std::string text;
    text::Encoded encoded;
  };
  GivenText encode_source_tokens(std::span<const std::string> tokens, const Direction& direction = {}) const;
  // The ids of target tokens, without EOS.
  Tokens encode_target_tokens(std::span<const std::string> tokens) const;
  // The tokens that the decoder reads before the first token of a translation.
  Tokens target_start(const Direction& direction = {}) const;
  // Throws Error if the model needs languages and these are not among its own, or if it has none and some are asked
  // for. Where a text may begin with its language, none need be asked for.
  void check_direction(const Direction& direction) const;
  // The number of marks of a source sentence.
  int source_marks() const;

  // Maximum number of source and of target tokens, not counting marks; at most kMostTokens.
  int max_source() const;
  int max_target() const;
  // The number of tokens of the longest sentences that the model has learned from, if the file says it, or kMostTokens.
  int longest_learned() const;
  // Whether attention says which source tokens a target token comes from.
  bool aligns() const;
  // What each target token does beside a term. Computed by the first call.
  std::span<const TokenEdges> target_edges() const;

 private:
  Model(const store::ModelFile& file, const std::string& path, const Placement& where);
  void check_kind() const;
  void read_vocabularies();
  void check_marks() const;
  // Whether the tag of a source sentence is that of the language to translate into, and not that of its own.
  bool names_target() const;
  std::int32_t source_tag(const Direction& direction) const;
  // Whether >>language<< is a piece of the source.
  bool is_tag_of_text(std::string_view language) const;
  // Removes BOS, a tag and EOS from ids. Returns the tag, or kNone.
  std::int32_t take_marks(Tokens& ids) const;
  // Adds BOS, the tag and EOS; EOS comes after the last byte of the text.
  void add_marks(text::Encoded& encoded, std::int32_t tag, std::size_t text_size) const;

  std::string path_;
  Placement where_;
  store::ModelInfo info_;
  std::unique_ptr<models::Seq2seq> network_;
  std::shared_ptr<const text::Tokenizer> source_, target_;  // one and the same if both sides share their vocabulary
  std::unique_ptr<text::PieceIds> source_pieces_, target_pieces_;
  mutable std::once_flag has_target_edges_;
  mutable std::vector<TokenEdges> target_edges_;
};

}  // namespace dragoman::search
