#pragma once

#include <functional>
#include <memory>
#include <string>

#include "text/prepare.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/tokenizer.h"
#include "text/word_tokenizer.h"

// Builds tokenizers from corpora.
namespace dragoman::text {

// Returns one line per call, without its newline; false at the end.
using LineSource = std::function<bool(std::string& line)>;

struct WordVocabularyOptions {
  std::int64_t min_count = 1;
  std::int64_t size = 0;  // 0: no limit
  int multiple = 1;
};
std::unique_ptr<Tokenizer> build_words(const LineSource& lines, const WordOptions& rules,
                                       const WordVocabularyOptions& options);

struct SubwordOptions {
  SubwordKind kind = SubwordKind::unigram;
  std::int32_t size = 8000;
  int multiple = 1;
  double character_coverage = 0.9995;
  bool byte_fallback = true;
  bool split_digits = false;  // each digit is a piece, so that numbers are copied digit by digit
  std::uint64_t seed = 1;
  std::int64_t sample = 2'000'000;
};
// SentencePiece is trained on at most `sample` lines, a uniform sample of the corpus (reservoir sampling by `seed`) in
// corpus order. The same lines, options and seed give the same model.
std::unique_ptr<Tokenizer> build_subwords(const LineSource& lines, const SubwordText& text,
                                          const SubwordOptions& options);

// `size` includes the 256 bytes, the special ids and the merges; pairs that occur only once are not merged.
std::unique_ptr<Tokenizer> build_byte_bpe(const LineSource& lines, std::int32_t size, int multiple);

// Statistics of an encoded corpus. `words` are separated by spaces.
struct EncodingStatistics {
  std::int64_t lines = 0, bytes = 0, words = 0, ids = 0, unknown = 0;
  std::int64_t longest = 0;  // ids in the longest line
  std::int64_t used = 0;     // number of distinct ids that occur
};
EncodingStatistics measure_encoding(const Tokenizer& tokenizer, const LineSource& lines);

}  // namespace dragoman::text
