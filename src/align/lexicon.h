#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "align/alignment.h"

namespace dragoman::align {

// p(target word | source word): the most probable translations of each source word. Immutable, so threads may share
// one.
class Lexicon {
 public:
  struct Entry {
    std::int32_t target = 0;
    float probability = 0;
  };

  Lexicon(std::vector<std::string> sources, std::vector<std::string> targets, std::vector<std::uint64_t> row_begin,
          std::vector<Entry> entries);
  // Reads a binary or a text file; the content decides which.
  static Lexicon load(const std::string& path);

  void save_binary(const std::string& path) const;
  // Lines of source word, target word and probability, separated by tabs, most probable first.
  void save_text(const std::string& path) const;

  // Most probable first; empty for an unknown word.
  std::span<const Entry> translations(std::string_view source) const;
  const std::vector<std::string>& sources() const { return sources_; }
  const std::vector<std::string>& targets() const { return targets_; }
  std::span<const Entry> row(std::size_t source) const {
    return {entries_.data() + row_begin_[source], row_begin_[source + 1] - row_begin_[source]};
  }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<std::string> sources_, targets_;
  std::vector<std::uint64_t> row_begin_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> rows_;
};

// Distinct words, numbered in order of first appearance.
struct WordIndex {
  std::unordered_map<std::string, std::int32_t> ids;
  std::vector<std::string> words;
  std::int32_t of(const std::string& word);
};

// Builds a lexicon from the links of aligned pairs.
class LexiconBuilder {
 public:
  void add(std::span<const std::string> source, std::span<const std::string> target, const Links& links);
  // Relative frequencies of links; keeps the `best` translations of each source word, ties in order of first
  // appearance. Probabilities are normalised over all translations, so the kept ones may sum to less than one.
  Lexicon finish(std::size_t best) const;

 private:
  WordIndex sources_, targets_;
  std::vector<std::unordered_map<std::int32_t, std::int64_t>> counts_;  // by source word
};

}  // namespace dragoman::align
