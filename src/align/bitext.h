#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "align/side.h"

namespace dragoman::align {

// Maps word keys to ids. Rare and unknown words share id 0.
class WordIds {
 public:
  WordIds() : keys_{""}, counts_{0} {}
  explicit WordIds(std::vector<std::string> keys);

  std::int32_t add(const std::string& key);
  // Counts one more occurrence of a known key.
  void count(std::int32_t id) { ++counts_[id]; }
  std::int32_t find(const std::string& key) const;
  std::int32_t size() const { return static_cast<std::int32_t>(keys_.size()); }
  const std::string& key(std::int32_t id) const { return keys_[id]; }
  const std::vector<std::string>& keys() const { return keys_; }

  // Gives keys that occur fewer than `min_count` times id 0 and renumbers the rest. Returns the new id of each old one.
  std::vector<std::int32_t> cut(std::int64_t min_count);

 private:
  std::vector<std::string> keys_;
  std::vector<std::int64_t> counts_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

// The text of one language as word ids.
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
  // Removes the words of the last sentence.
  void empty_last();
  const WordIds& words() const { return words_; }
  const Side& side() const { return side_; }

 private:
  Side side_;
  WordIds words_;
  std::unordered_map<std::string, std::int32_t> surface_;  // ids by surface form
  std::vector<std::int32_t> ids_;
  std::vector<std::uint64_t> begin_{0};
};

// A parallel corpus as word ids. A pair with an empty or too long side is stored as a pair of empty sentences, so that
// pair numbers match line numbers; training ignores it.
class Bitext {
 public:
  Bitext(const SideOptions& source, const SideOptions& target, std::size_t max_words)
      : source_(source), target_(target), max_words_(max_words) {}

  // Plain text is tokenised; other text has spaces between words.
  void add(std::string_view source, std::string_view target, bool plain);
  void add(std::span<const std::string> source, std::span<const std::string> target);
  // Gives words that occur fewer than `min_count` times one common id.
  void cut(std::int64_t min_count);

  const IdText& source() const { return source_; }
  const IdText& target() const { return target_; }
  std::size_t size() const { return source_.sentences(); }
  // Number of pairs with exactly one empty side, and of pairs over the length limit.
  std::size_t one_sided() const { return one_sided_; }
  std::size_t too_long() const { return too_long_; }

 private:
  IdText source_, target_;
  std::size_t max_words_, one_sided_ = 0, too_long_ = 0;
};

}  // namespace dragoman::align
