#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::text {

using WordCounts = std::unordered_map<std::string, std::int64_t>;

// Words by id. Ids 0 to 3 are <unk>, <s>, </s> and <pad>, which no text can spell; the most frequent word follows.
class Vocabulary {
 public:
  static constexpr std::int32_t kSpecial = 4;

  explicit Vocabulary(std::vector<std::string> words);
  Vocabulary(const Vocabulary& other) : Vocabulary(other.words_) {}
  Vocabulary(Vocabulary&&) = default;

  // Words seen at least `min_count` times, at most `max_size` ids in all (0: no limit). Ties go by the bytes.
  static Vocabulary from_counts(const WordCounts& counts, std::int64_t min_count, std::int64_t max_size);

  // 0, the unknown id, for a word it does not hold.
  std::int32_t find(std::string_view word) const {
    const auto found = ids_.find(word);
    return found == ids_.end() ? 0 : found->second;
  }
  std::int32_t size() const { return static_cast<std::int32_t>(words_.size()) + kSpecial; }
  const std::string& word(std::int32_t id) const;
  // Without the special ones.
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string_view, std::int32_t> ids_;
};

}  // namespace dragoman::text
