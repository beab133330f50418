#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::text {

using WordCounts = std::unordered_map<std::string, std::int64_t>;

// Maps words to ids. Ids 0 to 3 are <unk>, <s>, </s> and <pad>, which do not match any text; words follow by frequency.
class Vocabulary {
 public:
  static constexpr std::int32_t kSpecial = 4;

  explicit Vocabulary(std::vector<std::string> words);
  Vocabulary(const Vocabulary& other) : Vocabulary(other.words_) {}
  Vocabulary(Vocabulary&&) = default;

  // Words that occur at least `min_count` times, at most `max_size` ids in total (0: no limit). Ties are broken by byte
  // order.
  static Vocabulary from_counts(const WordCounts& counts, std::int64_t min_count, std::int64_t max_size);

  // Returns 0, the unknown id, for a word that is not in the vocabulary.
  std::int32_t find(std::string_view word) const {
    const auto found = ids_.find(word);
    return found == ids_.end() ? 0 : found->second;
  }
  std::int32_t size() const { return static_cast<std::int32_t>(words_.size()) + kSpecial; }
  const std::string& word(std::int32_t id) const;
  // Without the special words.
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string_view, std::int32_t> ids_;
};

}  // namespace dragoman::text
