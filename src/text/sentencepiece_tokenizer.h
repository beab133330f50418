#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "text/piece_cache.h"
#include "text/prepare.h"
#include "text/signs.h"
#include "text/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace dragoman::text {

enum class SubwordKind { bpe, unigram };

// What happens to a line before it is split into subwords.
struct SubwordText {
  PrepareOptions prepare{};
  SignOptions signs{};

  template <class V>
  void visit(V& v) {
    prepare.visit(v);
    signs.visit(v);
  }

  MappedText read(std::string_view line) const;
};

struct ScoredPieces;
class UnigramSampler;
class BpeSampler;

// Subwords of a SentencePiece model, BPE or unigram, with the ids of the model.
class SentencePiece final : public Tokenizer {
 public:
  // `model` is a serialised SentencePiece model with <unk>, <s>, </s> and <pad>.
  SentencePiece(SubwordKind kind, SubwordText text, std::string model, int multiple);
  ~SentencePiece() override;

  void encode(std::string_view line, std::vector<std::int32_t>& ids) const override;
  Encoded encode_spans(std::string_view line) const override;
  // Strength s in [0, 1]. BPE: s is the probability of skipping a merge. Unigram: segmentations x are sampled with
  // probability proportional to P(x)^((1 - s) / s), so that 0.5 is the model's own distribution and 1 is uniform.
  void encode_sampled(std::string_view line, double strength, Random& random,
                      std::vector<std::int32_t>& ids) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  std::int32_t size() const override { return size_; }
  SpecialIds special() const override;
  std::string piece(std::int32_t id) const override;
  std::string serialize() const override;

 private:
  // Checks the scores and finds the byte pieces.
  void read_pieces();
  ScoredPieces scored_pieces() const;
  // Makes unigram_ or bpe_. Only training samples, so translation saves their memory and the time to build them.
  void need_sampler() const;
  void encode_word(std::string_view word, PieceCache& cache, std::vector<std::int32_t>& ids) const;
  std::string normalized(std::string_view text) const;
  void append_unknown(std::string_view character, bool& after_unknown, std::vector<std::int32_t>& ids) const;

  SubwordKind kind_;
  SubwordText text_;
  std::string model_;
  int multiple_;
  std::int32_t size_ = 0, known_ = 0;
  std::vector<std::int32_t> byte_ids_;  // by byte; empty if the model has no byte pieces
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  mutable PieceCaches caches_;
  mutable std::once_flag sampler_made_;
  mutable std::unique_ptr<UnigramSampler> unigram_;
  mutable std::unique_ptr<BpeSampler> bpe_;
};

}  // namespace dragoman::text

namespace dragoman {
template <>
struct EnumNames<text::SubwordKind> {
  static constexpr std::pair<text::SubwordKind, const char*> list[] = {{text::SubwordKind::bpe, "bpe"},
                                                                       {text::SubwordKind::unigram, "unigram"}};
};
}  // namespace dragoman
