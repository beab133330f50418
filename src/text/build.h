#pragma once

#include <functional>
#include <memory>
#include <string>

#include "text/prepare.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/tokenizer.h"
#include "text/word_tokenizer.h"

// Tokenizers from corpora.
namespace dragoman::text {

// Hands out one line a call, without its newline; false at the end.
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
  std::uint64_t seed = 1;
  std::int64_t sample = 2'000'000;
};
// SentencePiece sees at most `sample` lines, each line of the corpus with the same chance (reservoir sampling by
// `seed`), in the order of the corpus. Same lines, options and seed: same model.
std::unique_ptr<Tokenizer> build_subwords(const LineSource& lines, const PrepareOptions& prepare,
                                          const SubwordOptions& options);

// `size` counts the 256 bytes and the special ids as well as the merges; pairs seen less than twice are not joined.
std::unique_ptr<Tokenizer> build_byte_bpe(const LineSource& lines, std::int32_t size, int multiple);

// What a tokenizer makes of a corpus. `words` are stretches between spaces.
struct Coverage {
  std::int64_t lines = 0, bytes = 0, words = 0, ids = 0, unknown = 0;
  std::int64_t longest = 0;  // ids in the longest line
  std::int64_t used = 0;     // different ids that occur
};
Coverage measure_coverage(const Tokenizer& tokenizer, const LineSource& lines);

}  // namespace dragoman::text
