#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "align/side.h"

namespace dragoman::align {

// Keys of words by number. Number 0 is shared by all rare and unknown words.
class WordIds {
 public:
  WordIds() : keys_{""}, counts_{0} {}
  explicit WordIds(std::vector<std::string> keys);

  std::int32_t add(const std::string& key);
  // Counts a key that was added before once more.
  void count(std::int32_t id) { ++counts_[id]; }
  std::int32_t find(const std::string& key) const;
  std::int32_t size() const { return static_cast<std::int32_t>(keys_.size()); }
  const std::string& key(std::int32_t id) const { return keys_[id]; }
  const std::vector<std::string>& keys() const { return keys_; }

  // Gives the keys added fewer than `min_count` times number 0 and closes the gaps. Returns the new number of each.
  std::vector<std::int32_t> cut(std::int64_t min_count);

 private:
  std::vector<std::string> keys_;
  std::vector<std::int64_t> counts_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

// The words of one language, sentence after sentence, as numbers.
class IdText {
 public:
  explicit IdText(const SideOptions& options) : side_(options) {}

  void add(std::span<const std::string> words);
  void cut(std::int64_t min_count);

  std::span<const std::int32_t> sentence(std::size_t at) const {
    return {ids_.data() + begin_[at], begin_[at + 1] - begin_[at]};
  }
  std::size_t length(std::size_t at) const { return begin_[at + 1] - begin_[at]; }
  std::size_t sentences() const { return begin_.size() - 1; }
  std::size_t tokens() const { return ids_.size(); }
  // Drops the last sentence's words.
  void empty_last();
  const WordIds& words() const { return words_; }
  const Side& side() const { return side_; }

 private:
  Side side_;
  WordIds words_;
  std::unordered_map<std::string, std::int32_t> surface_;  // numbers of words as they are written
  std::vector<std::int32_t> ids_;
  std::vector<std::uint64_t> begin_{0};
};

// Sentence pairs as numbers. A pair with an empty side, or one above the limit, is kept as a pair of empty sentences so
// that numbers of pairs stay numbers of lines; nothing is learned from it.
class Bitext {
 public:
  Bitext(const SideOptions& source, const SideOptions& target, std::size_t max_words)
      : source_(source), target_(target), max_words_(max_words) {}

  // `plain` text is cut into words; other text has blanks between them.
  void add(std::string_view source, std::string_view target, bool plain);
  void add(std::span<const std::string> source, std::span<const std::string> target);
  // Words seen fewer than `min_count` times share one number.
  void cut(std::int64_t min_count);

  const IdText& source() const { return source_; }
  const IdText& target() const { return target_; }
  std::size_t size() const { return source_.sentences(); }
  // Pairs with exactly one empty side, and pairs above the limit.
  std::size_t one_sided() const { return one_sided_; }
  std::size_t too_long() const { return too_long_; }

 private:
  IdText source_, target_;
  std::size_t max_words_, one_sided_ = 0, too_long_ = 0;
};

}  // namespace dragoman::align
