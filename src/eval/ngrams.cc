#include "eval/ngrams.h"

#include <algorithm>
#include <bit>

namespace dragoman::eval {

std::vector<std::uint32_t> WordNumbers::numbers(const std::vector<std::string_view>& words) {
  std::vector<std::uint32_t> result;
  result.reserve(words.size());
  for (const std::string_view word : words) result.push_back(number(word));
  return result;
}

void NgramMatcher::reset(std::size_t capacity) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(16, 2 * capacity));
  slots_.assign(size, Slot{});
  shift_ = 64 - std::countr_zero(size);
  next_id_ = 0;
}

std::uint32_t NgramMatcher::find(std::uint64_t key) const {
  for (std::size_t i = place(key);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].id == kUnseen) return kUnseen;
    if (slots_[i].key == key) return slots_[i].id;
  }
}

std::uint32_t NgramMatcher::find_or_add(std::uint64_t key) {
  for (std::size_t i = place(key);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].id == kUnseen) slots_[i] = {key, next_id_++};
    if (slots_[i].key == key) return slots_[i].id;
  }
}

// Advances all ids from order - 1 to `order` and returns the clipped matches. All ids of order 0 are 0.
std::size_t NgramMatcher::count_order(std::size_t order, const Units& hypothesis, std::span<const Units> references) {
  const auto grams = [order](const Units& units) { return ngram_count(units.size(), order); };
  const auto key = [order](const Units& units, const Units& ids, std::size_t i) {
    return std::uint64_t{ids[i]} << 32 | units[i + order - 1];
  };
  std::size_t capacity = 0;
  for (const Units& reference : references) capacity += grams(reference);
  reset(capacity);
  credit_.assign(capacity, 0);
  for (std::size_t r = 0; r < references.size(); ++r) {
    seen_.assign(capacity, 0);
    for (std::size_t i = 0; i < grams(references[r]); ++i) {
      const std::uint32_t id = reference_ids_[r][i] = find_or_add(key(references[r], reference_ids_[r], i));
      credit_[id] = std::max(credit_[id], ++seen_[id]);
    }
  }
  // Each reference occurrence is a credit; a hypothesis n-gram matches while credits last, which clips the count.
  std::size_t matches = 0;
  for (std::size_t i = 0; i < grams(hypothesis); ++i) {
    std::uint32_t& id = hypothesis_ids_[i];
    if (id == kUnseen) continue;
    id = find(key(hypothesis, hypothesis_ids_, i));
    if (id == kUnseen || credit_[id] == 0) continue;
    --credit_[id];
    ++matches;
  }
  return matches;
}

std::vector<std::size_t> NgramMatcher::match(const Units& hypothesis, std::span<const Units> references,
                                             std::size_t max_order) {
  hypothesis_ids_.assign(hypothesis.size(), 0);
  reference_ids_.resize(references.size());
  for (std::size_t r = 0; r < references.size(); ++r) reference_ids_[r].assign(references[r].size(), 0);
  std::vector<std::size_t> matches;
  for (std::size_t order = 1; order <= max_order; ++order)
    matches.push_back(count_order(order, hypothesis, references));
  return matches;
}

}  // namespace dragoman::eval
