#include "text/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/quote.h"
#include "text/id_count.h"
#include "text/sentencepiece_model.h"
#include "text/subword_sampling.h"
#include "text/tokenizer_file.h"

namespace dragoman::text {
namespace {

// Replaces all white space by plain spaces, the only ones that SentencePiece knows.
void plain_spaces(MappedText& text) {
  std::vector<std::pair<Span, std::string>> changes;
  const std::string& bytes = text.text();
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint point = code_point_at(bytes, at);
    const auto begin = static_cast<std::uint32_t>(at);
    if (point.code != ' ' && classify(point.code) == CharClass::space)
      changes.push_back({{begin, begin + point.length}, " "});
    at += point.length;
  }
  text.replace(changes);
}

}  // namespace

MappedText SubwordText::read(std::string_view line) const {
  MappedText text = text::prepare(line, prepare);
  plain_spaces(text);
  insert_signs(text, signs);
  return text;
}

SentencePiece::SentencePiece(SubwordKind kind, SubwordText text, std::string model, int multiple)
    : kind_(kind), text_(text), model_(std::move(model)), multiple_(multiple), processor_(load_sentencepiece(model_)) {
  known_ = processor_->GetPieceSize();
  check(
      processor_->unk_id() >= 0 && processor_->bos_id() >= 0 && processor_->eos_id() >= 0 && processor_->pad_id() >= 0,
      "subwords: the SentencePiece model lacks one of <unk>, <s>, </s>, <pad>");
  size_ = rounded_id_count(static_cast<std::size_t>(known_), multiple, "subwords");
  read_pieces();
}

SentencePiece::~SentencePiece() = default;

void SentencePiece::read_pieces() {
  for (std::int32_t id = 0; id < known_; ++id) {
    check(std::isfinite(processor_->GetScore(id)), "subwords: the piece '{}' has no finite score",
          excerpt(processor_->IdToPiece(id)));
    if (processor_->IsByte(id)) byte_ids_.push_back(id);  // SentencePiece lists them from <0x00> to <0xFF>
  }
  check(byte_ids_.empty() || byte_ids_.size() == 256, "subwords: expected 256 byte pieces or none but got {}",
        byte_ids_.size());
}

ScoredPieces SentencePiece::scored_pieces() const {
  ScoredPieces pieces;
  for (std::int32_t id = 0; id < known_; ++id) {
    const bool is_text =
        !(processor_->IsUnknown(id) || processor_->IsControl(id) || processor_->IsUnused(id) || processor_->IsByte(id));
    pieces.pieces.push_back(is_text ? processor_->IdToPiece(id) : "");
    pieces.scores.push_back(processor_->GetScore(id));
  }
  return pieces;
}

void SentencePiece::need_sampler() const {
  std::call_once(sampler_made_, [this] {
    if (kind_ == SubwordKind::unigram)
      unigram_ = std::make_unique<UnigramSampler>(scored_pieces());
    else
      bpe_ = std::make_unique<BpeSampler>(scored_pieces());
  });
}

SpecialIds SentencePiece::special() const {
  return {.unknown = processor_->unk_id(),
          .begin = processor_->bos_id(),
          .end = processor_->eos_id(),
          .pad = processor_->pad_id()};
}

// Pieces do not cross spaces, so words are encoded one at a time and cached.
void SentencePiece::encode(std::string_view line, std::vector<std::int32_t>& ids) const {
  const MappedText prepared = text_.read(line);
  const std::string_view text = prepared.text();
  PieceCaches::Loan loan(caches_);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) encode_word(text.substr(begin, end - begin), *loan, ids);
    begin = end + 1;
  }
}

void SentencePiece::encode_word(std::string_view word, PieceCache& cache, std::vector<std::int32_t>& ids) const {
  PieceCache::Key key;
  PieceCache::Slot* slot = nullptr;
  if (word.size() <= PieceCache::kMaxBytes) {
    key = PieceCache::key_of(word);
    slot = &cache.slot(key);
    if (PieceCache::holds(*slot, key)) {
      ids.insert(ids.end(), slot->ids, slot->ids + slot->count);
      return;
    }
  }
  std::vector<int> pieces;
  check(processor_->Encode(word, &pieces).ok(), "subwords: the SentencePiece model cannot encode '{}'", excerpt(word));
  if (slot) PieceCache::store(*slot, key, pieces);
  ids.insert(ids.end(), pieces.begin(), pieces.end());
}

Encoded SentencePiece::encode_spans(std::string_view line) const {
  const MappedText text = text_.read(line);
  Encoded encoded;
  std::size_t open = 0;  // bytes of a character so far: the library gives its place to the last one only
  const auto proto = processor_->EncodeAsImmutableProto(text.text());  // owns the strings its pieces refer to
  for (const auto& piece : proto.pieces()) {
    encoded.ids.push_back(static_cast<std::int32_t>(piece.id()));
    encoded.spans.push_back(text.original(piece.begin(), piece.end()));
    if (piece.begin() == piece.end() && processor_->IsByte(static_cast<int>(piece.id()))) {
      ++open;
      continue;
    }
    for (; open > 0; --open) *(encoded.spans.end() - 1 - static_cast<std::ptrdiff_t>(open)) = encoded.spans.back();
  }
  return encoded;
}

// The text as the model sees it: the concatenated pieces of its segmentation.
std::string SentencePiece::normalized(std::string_view text) const {
  std::string all;
  const auto proto = processor_->EncodeAsImmutableProto(text);
  for (const auto& piece : proto.pieces()) {
    const auto id = static_cast<int>(piece.id());
    if (processor_->IsByte(id))
      all += static_cast<char>(id - byte_ids_[0]);
    else
      all += piece.piece();
  }
  return all;
}

// A character without a piece is spelled in bytes if the model has byte pieces; otherwise a run of such characters is
// one unknown id.
void SentencePiece::append_unknown(std::string_view character, bool& after_unknown,
                                   std::vector<std::int32_t>& ids) const {
  if (!byte_ids_.empty()) {
    for (const char byte : character) ids.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
  } else if (!after_unknown) {
    ids.push_back(processor_->unk_id());
    after_unknown = true;
  }
}

void SentencePiece::encode_sampled(std::string_view line, double strength, Random& random,
                                   std::vector<std::int32_t>& ids) const {
  if (strength <= 0) return encode(line, ids);
  need_sampler();
  const MappedText prepared = text_.read(line);
  const std::string text = normalized(prepared.text());
  const std::vector<Segment> segments = kind_ == SubwordKind::unigram
                                            ? unigram_->sample(text, (1 - strength) / strength, random)
                                            : bpe_->sample(text, strength, random);
  std::size_t at = 0;
  bool after_unknown = false;
  for (const Segment& segment : segments) {
    if (segment.id >= 0) {
      ids.push_back(segment.id);
      after_unknown = false;
    } else {
      append_unknown(std::string_view(text).substr(at, segment.length), after_unknown, ids);
    }
    at += segment.length;
  }
}

std::string SentencePiece::decode(std::span<const std::int32_t> ids) const {
  std::vector<int> known;
  for (const std::int32_t id : ids) {
    check(id >= 0 && id < size_, "subwords: expected an id from 0 to {} but got {}", size_ - 1, id);
    if (id < known_) known.push_back(id);
  }
  std::string text;
  check(processor_->Decode(known, &text).ok(), "subwords: the SentencePiece model cannot decode its own ids");
  return resolve_signs(std::move(text), text_.signs);
}

std::string SentencePiece::piece(std::int32_t id) const {
  check(id >= 0 && id < size_, "subwords: expected an id from 0 to {} but got {}", size_ - 1, id);
  return id < known_ ? processor_->IdToPiece(id) : "";
}

std::string SentencePiece::serialize() const {
  SubwordText options = text_;
  return pack({{{"kind", name_of(kind_)}, {"multiple", multiple_}, {"options", Settings(options).dump()}}, model_});
}

}  // namespace dragoman::text
