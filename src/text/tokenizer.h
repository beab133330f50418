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

// The ids of one line and, for each, the bytes of the input it covers.
struct Encoded {
  std::vector<std::int32_t> ids;
  std::vector<Span> spans;
};

// Ids with a special meaning. Every tokenizer has all four; encode() never emits begin, end or pad.
struct SpecialIds {
  std::int32_t unknown = 0, begin = 1, end = 2, pad = 3;
};

// The ids that name languages, one per language.
struct LanguageTags {
  static constexpr std::int32_t kNone = -1;
  enum class Side { source, target };

  std::vector<std::string> languages{};  // empty: there is no choice of languages
  std::vector<std::int32_t> ids{};

  // The id of a language; kNone if it is not in the list.
  std::int32_t find(std::string_view language) const;
  // The id that stands for a translation into `language` (or, for the other side, from it); kNone if there are no
  // languages and none was asked for. An empty name means the only language. Throws Error with the list of languages.
  std::int32_t choose(std::string_view language, Side side = Side::target) const;
};

// Converts text to ids and back: words, SentencePiece subwords or byte-level BPE. Immutable, so threads may share one.
// It does not add the begin and end of sentence ids; batch construction does.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Appends the ids of `line` to `ids`. The line must be valid UTF-8, except for byte-level BPE, which accepts any
  // bytes.
  virtual void encode(std::string_view line, std::vector<std::int32_t>& ids) const = 0;
  // The same ids with the span of the input that each covers.
  virtual Encoded encode_spans(std::string_view line) const = 0;
  // Subword regularisation: samples one segmentation (unigram sampling or BPE-dropout, depending on the tokenizer).
  // `strength` 0 gives the deterministic segmentation. Word tokenizers have only one segmentation.
  virtual void encode_sampled(std::string_view line, double strength, Random& random,
                              std::vector<std::int32_t>& ids) const = 0;
  // Converts ids to text; drops special ids except unknown, which becomes `<unk>`.
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;

  // Number of ids, including special ids and rounding.
  virtual std::int32_t size() const = 0;
  virtual SpecialIds special() const = 0;
  // The text of a single id, for pictures and listings; empty for ids that exist only for rounding.
  virtual std::string piece(std::int32_t id) const = 0;

  // The languages that a model with this source tokenizer translates into; none for most tokenizers.
  virtual const LanguageTags& language_tags() const {
    static const LanguageTags none;
    return none;
  }

  // Ids that no translation contains.
  virtual std::vector<std::int32_t> never_written() const { return {special().begin, special().pad}; }

  // Everything needed to restore this tokenizer. Stored in model files; its hash is part of the names of cached
  // corpora.
  virtual std::string serialize() const = 0;
};

// The inverse of Tokenizer::serialize for all kinds. `where` names the file in errors.
std::unique_ptr<Tokenizer> deserialize_tokenizer(std::string_view data, const std::string& where = "");

}  // namespace dragoman::text
