#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace dragoman::text {

// What a MappedPieces tokenizer consists of, besides the SentencePiece model.
struct PieceMap {
  std::vector<std::string> pieces{};  // by id; an empty one is never read or written
  SpecialIds special{};
  LanguageTags tags{};
  std::vector<std::int32_t> never{};  // ids that no translation contains, besides `special.pad`
};

// Subwords of a SentencePiece model with ids of their own: models of other programs number pieces by a separate list or
// shift the numbers of the SentencePiece model. The text is not prepared in any way but that of the SentencePiece
// model. A piece that the list lacks is unknown.
class MappedPieces final : public Tokenizer {
 public:
  // Throws Error if ids are outside the list or if pieces or languages occur twice.
  MappedPieces(std::string model, PieceMap map);
  ~MappedPieces() override;

  void encode(std::string_view line, std::vector<std::int32_t>& ids) const override;
  Encoded encode_spans(std::string_view line) const override;
  // Gives the deterministic segmentation, whatever the strength.
  void encode_sampled(std::string_view line, double, Random&, std::vector<std::int32_t>& ids) const override {
    encode(line, ids);
  }
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::int32_t size() const override { return static_cast<std::int32_t>(map_.pieces.size()); }
  SpecialIds special() const override { return map_.special; }
  std::string piece(std::int32_t id) const override;
  std::string serialize() const override;
  const LanguageTags& language_tags() const override { return map_.tags; }
  std::vector<std::int32_t> never_written() const override;

 private:
  void check_id(std::int32_t id) const;
  void check_map() const;
  // The id of a piece of text, unknown if there is none; marks and tags are not text.
  std::int32_t find_text(std::string_view piece) const;

  std::string model_;
  PieceMap map_;
  std::vector<bool> special_;  // by id: dropped from text
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  std::unordered_map<std::string_view, std::int32_t> ids_;
  std::vector<std::int32_t> by_number_;  // the id of every piece of the SentencePiece model
};

}  // namespace dragoman::text
