#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/merge_table.h"
#include "text/piece_cache.h"
#include "text/tokenizer.h"

namespace dragoman::text {

// Byte-level BPE in the format of GPT-2 and BART. Lossless for any bytes; spans and pieces may split a character.
// Encoding never emits a special id, even if the text spells one.
//
// Ids are those of encoder.json. If it lacks all of <s>, <pad>, </s> and <unk>, they are appended, followed by <mask>
// and three reserved ids, as in BART; if it lacks only some, only those are appended.
class ByteBpe final : public Tokenizer {
 public:
  // Takes the contents of encoder.json and vocab.bpe. The number of ids is rounded up to a multiple of `multiple`.
  ByteBpe(std::string_view encoder_json, std::string_view merges, int multiple);

  void encode(std::string_view line, std::vector<std::int32_t>& ids) const override;
  Encoded encode_spans(std::string_view line) const override;
  // BPE-dropout; `strength` is the probability of skipping a merge.
  void encode_sampled(std::string_view line, double strength, Random& random,
                      std::vector<std::int32_t>& ids) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::int32_t size() const override { return size_; }
  SpecialIds special() const override { return special_; }
  // As spelled in encoder.json: "Ġthe".
  std::string piece(std::int32_t id) const override;
  std::string serialize() const override;

 private:
  void read_vocabulary(std::string_view encoder_json);
  void read_merges(std::string_view merges);
  void add_special();
  void encode_piece(std::string_view piece, std::vector<std::int32_t>& symbols) const;

  int multiple_;
  std::int32_t size_ = 0;
  SpecialIds special_;
  std::string encoder_json_, merges_text_;
  std::vector<std::string> spellings_;        // by id, as in encoder.json
  std::vector<std::string> bytes_;            // by id; empty for special ids
  std::array<std::int32_t, 256> byte_ids_{};  // the id of each single byte
  MergeTable table_;
  mutable PieceCaches caches_;
};

// GPT-2's spelling of each byte: one printable character, as UTF-8.
const std::array<std::string, 256>& byte_spellings();

}  // namespace dragoman::text
