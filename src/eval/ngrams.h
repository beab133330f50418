#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::eval {

// Numbers distinct words, so that n-grams and edit distances compare numbers. Keeps views: the text must outlive it.
class WordNumbers {
 public:
  std::uint32_t number(std::string_view word) {
    return numbers_.try_emplace(word, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  std::vector<std::uint32_t> numbers(const std::vector<std::string_view>& words);

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

// Number of n-grams of a text of `length` units.
constexpr std::size_t ngram_count(std::size_t length, std::size_t order) {
  return length < order ? 0 : length - order + 1;
}

// Clipped n-gram matches between a hypothesis and one or more references, order by order. Exact: no n-grams collide. An
// n-gram is the pair of its (n-1)-gram prefix and its last unit, so each order needs one lookup per position. A unit is
// a word number or a code point.
class NgramMatcher {
 public:
  using Units = std::vector<std::uint32_t>;

  // The matches for n = 1 .. max_order. An n-gram of the hypothesis counts at most as often as it occurs in the
  // reference that has most of it.
  std::vector<std::size_t> match(const Units& hypothesis, std::span<const Units> references, std::size_t max_order);

 private:
  static constexpr std::uint32_t kUnseen = 0xFFFFFFFFu;

  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t id = kUnseen;
  };

  void reset(std::size_t capacity);
  std::uint32_t find(std::uint64_t key) const;
  std::uint32_t find_or_add(std::uint64_t key);
  std::size_t place(std::uint64_t key) const { return key * 0x9E3779B97F4A7C15u >> shift_; }
  std::size_t count_order(std::size_t order, const Units& hypothesis, std::span<const Units> references);

  std::vector<Slot> slots_;
  int shift_ = 0;
  std::uint32_t next_id_ = 0;
  // The ids of the n-grams of the current order that start at each position, for the hypothesis and each reference.
  Units hypothesis_ids_;
  std::vector<Units> reference_ids_;
  std::vector<std::uint32_t> credit_, seen_;
};

}  // namespace dragoman::eval
