#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::exchange {

// Before the first word Marian's decoder reads zeros, which are a word of ours.
inline constexpr std::int32_t kZeros = -1;

// A vocabulary of Marian as a tokenizer of ours, whose ids may be others.
struct MarianVocabulary {
  std::string tokenizer;           // text::Tokenizer::serialize
  std::vector<std::int32_t> rows;  // by our id: Marian's, or kZeros
  bool words = false;              // text is split at spaces, not into subwords
};

// `path` is a SentencePiece model (.spm) or a list of pieces (.yml); a list needs the SentencePiece model `subwords` or
// consists of words that are separated by spaces. `count` is the number of words of the model.
MarianVocabulary read_marian_vocabulary(const std::string& path, const std::string& subwords, int count);

}  // namespace dragoman::exchange
