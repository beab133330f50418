#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "smt/phrase_corpus.h"
#include "smt/phrase_extract.h"

namespace dragoman::smt {

// One translation of a source phrase. Scores are natural logarithms.
struct PhraseEntry {
  std::vector<std::uint32_t> words;
  // p(source | target), its lexical weight, p(target | source), its lexical weight.
  std::array<float, 4> translation{};
  // Orientation to the previous phrase (monotone, swap, discontinuous), then to the next one.
  std::array<float, 6> reordering{};
  // Four bits per target word, lowest first: 1 + the source word it is aligned to, or 0.
  std::uint32_t alignment = 0;
};

// The 64-bit hash of a source phrase, built word by word.
constexpr std::uint64_t kEmptyPhrase = 0x243F6A8885A308D3u;
constexpr std::uint64_t extend_phrase(std::uint64_t phrase, std::uint32_t word) {
  std::uint64_t x = (phrase ^ (std::uint64_t{word} + 1)) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 27);
}
std::uint64_t phrase_hash(Words words);

// The number of translations of a source phrase that a table may hold.
constexpr int kMaxPhraseOptions = 1000;

// A compact phrase table: source phrases are stored as 64-bit hashes, target words take one to three bytes, scores one
// byte (steps of 1/12 for translation, 1/32 for orientation).
class PhraseTable {
 public:
  // Phrases must be added in increasing order of their hashes.
  void add(std::uint64_t source, const std::vector<PhraseEntry>& entries);

  // Appends the translations of a source phrase, in the order they were added.
  void find(std::uint64_t source, std::vector<PhraseEntry>& entries) const;

  std::uint64_t source_phrases() const { return hashes_.size(); }
  std::uint64_t pairs() const { return pairs_; }
  std::size_t bytes() const { return hashes_.size() * (sizeof hashes_[0] + sizeof offsets_[0]) + bytes_.size(); }

  std::string serialize() const;
  // Fails unless every phrase is complete and every word is below `target_words`.
  static PhraseTable deserialize(std::string_view bytes, std::uint32_t target_words);

 private:
  void check_entries(std::uint32_t target_words) const;

  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> offsets_;  // where a phrase's entries begin in bytes_
  std::vector<std::uint8_t> bytes_;
  std::uint64_t pairs_ = 0;
};

}  // namespace dragoman::smt
