#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace dragoman::text {

// Bytes [begin, end) of the input line.
struct Span {
  std::uint32_t begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

// Ids of one line and, for each, the bytes of the input it stands for.
struct Encoded {
  std::vector<std::int32_t> ids;
  std::vector<Span> spans;
};

// Ids with a meaning of their own. Every tokenizer has all four; encode() never emits begin, end or pad.
struct SpecialIds {
  std::int32_t unknown = 0, begin = 1, end = 2, pad = 3;
};

// Text to ids and back: words, SentencePiece subwords or byte-level BPE. Immutable once made, so threads may share
// one. begin and end of sentence are added by whoever builds batches, not here.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Appends the ids of `line` to `ids`. The line is valid UTF-8 (byte-level BPE takes any bytes).
  virtual void encode(std::string_view line, std::vector<std::int32_t>& ids) const = 0;
  // The same ids with the span of the input that each covers.
  virtual Encoded encode_spans(std::string_view line) const = 0;
  // Subword regularisation: one random segmentation (unigram sampling or BPE-dropout, by the kind of tokenizer).
  // `strength` 0 is the plain segmentation. Word tokenizers have only one segmentation and give it.
  virtual void encode_sampled(std::string_view line, double strength, Random& random,
                              std::vector<std::int32_t>& ids) const = 0;
  // Ids back to text; special ids other than unknown vanish, unknown ones read `<unk>`.
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;

  // Number of ids, special ids and rounding included.
  virtual std::int32_t size() const = 0;
  virtual SpecialIds special() const = 0;
  // How an id is written on its own, for pictures and listings; empty for ids that only round the size up.
  virtual std::string piece(std::int32_t id) const = 0;

  // Everything needed to make this tokenizer again: goes into the model file, and its hash names cached corpora.
  virtual std::string serialize() const = 0;
};

// The inverse of Tokenizer::serialize, whatever the kind.
std::unique_ptr<Tokenizer> deserialize_tokenizer(std::string_view data);

}  // namespace dragoman::text
