#include "text/vocabulary.h"

#include <algorithm>

#include "base/error.h"
#include "base/quote.h"

namespace dragoman::text {
namespace {
const std::string kSpecialWords[Vocabulary::kSpecial] = {"<unk>", "<s>", "</s>", "<pad>"};
}

Vocabulary::Vocabulary(std::vector<std::string> words) : words_(std::move(words)) {
  for (std::size_t i = 0; i < words_.size(); ++i)
    check(ids_.emplace(words_[i], static_cast<std::int32_t>(i) + kSpecial).second, "vocabulary: '{}' occurs twice",
          excerpt(words_[i]));
}

Vocabulary Vocabulary::from_counts(const WordCounts& counts, std::int64_t min_count, std::int64_t max_size) {
  std::vector<const WordCounts::value_type*> entries;
  for (const auto& entry : counts)
    if (entry.second >= min_count) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const auto* left, const auto* right) {
    return left->second != right->second ? left->second > right->second : left->first < right->first;
  });
  if (max_size > 0) {
    check(max_size > kSpecial, "vocabulary: expected a size of more than the {} special ids but got {}", kSpecial,
          max_size);
    entries.resize(std::min<std::size_t>(entries.size(), static_cast<std::size_t>(max_size - kSpecial)));
  }
  std::vector<std::string> words;
  for (const auto* entry : entries) words.push_back(entry->first);
  return Vocabulary(std::move(words));
}

const std::string& Vocabulary::word(std::int32_t id) const {
  check(id >= 0 && id < size(), "vocabulary: expected an id from 0 to {} but got {}", size() - 1, id);
  return id < kSpecial ? kSpecialWords[id] : words_[id - kSpecial];
}

}  // namespace dragoman::text
