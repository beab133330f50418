#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.h"

namespace dragoman::data {

// A vocabulary limited to words with a minimum count.
struct VocabularyCounts {
  std::uint64_t types = 0;           // number of words kept
  std::uint64_t unknown_tokens = 0;  // occurrences of words that were not kept

  double unknown_share(std::uint64_t tokens) const {
    return tokens == 0 ? 0.0 : static_cast<double>(unknown_tokens) / static_cast<double>(tokens);
  }
};

// Word counts of one side of a corpus.
class SideStatistics {
 public:
  // Counts words between white space, or the tokens of `tokenizer`, which must outlive this object.
  explicit SideStatistics(const text::Tokenizer* tokenizer = nullptr) : tokenizer_(tokenizer) {}
  SideStatistics(const SideStatistics&) = delete;
  SideStatistics& operator=(const SideStatistics&) = delete;

  void add(std::string_view sentence);

  std::uint64_t sentences() const { return sentences_; }
  std::uint64_t tokens() const { return tokens_; }
  std::uint64_t types() const { return counts_.size(); }
  // Number of words that occur once.
  std::uint64_t singletons() const;
  double mean_length() const;
  std::uint64_t min_length() const { return lengths_.empty() ? 0 : lengths_.begin()->first; }
  std::uint64_t max_length() const { return lengths_.empty() ? 0 : lengths_.rbegin()->first; }
  VocabularyCounts vocabulary(std::uint64_t min_count) const;
  // Number of sentences of each length.
  const std::map<std::uint64_t, std::uint64_t>& lengths() const { return lengths_; }

  // Number of words that both sides keep at `min_count`.
  static std::uint64_t shared_types(const SideStatistics& a, const SideStatistics& b, std::uint64_t min_count);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::uint64_t add_words(std::string_view sentence);
  std::uint64_t add_pieces(std::string_view sentence);

  const text::Tokenizer* tokenizer_;
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> counts_;
  std::vector<std::int32_t> ids_;
  std::vector<std::uint64_t*> count_of_id_;  // into counts_, whose nodes never move
  std::map<std::uint64_t, std::uint64_t> lengths_;
  std::uint64_t sentences_ = 0, tokens_ = 0;
};

// A histogram of sentence lengths as text, at most `rows` bars.
std::string length_histogram(const SideStatistics& side, int rows = 12, int width = 50);

}  // namespace dragoman::data
