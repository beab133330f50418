#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.h"

namespace dragoman::text {

// The result of merging two adjacent symbols; lower ranks are merged first.
struct Merge {
  static constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();
  std::int32_t rank = kNone;
  std::int32_t result = -1;
};

// The merges of a BPE model: a flat hash table from (left, right) to the result.
class MergeTable {
 public:
  explicit MergeTable(std::size_t expected = 0);

  // Keeps the first of several merges of the same pair.
  void insert(std::int32_t left, std::int32_t right, Merge merge);

  Merge find(std::int32_t left, std::int32_t right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t at = slot_of(key);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.key == key) return slot.merge;
      if (slot.key == kEmpty) return {};
    }
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = kEmpty;
    Merge merge;
  };

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15u) >> shift_; }
  void grow();

  std::vector<Slot> slots_;
  std::size_t mask_ = 0, used_ = 0;
  int shift_ = 64;
};

// The order in which pairs of equal rank and newly created pairs are merged.
enum class MergeOrder {
  rounds,    // merge all occurrences of the lowest pair from left to right, then search again (GPT-2)
  immediate  // always merge the lowest current pair, leftmost first (SentencePiece)
};

// Merges the symbols of one word until no merge applies, in O(n log n).
void apply_merges(const MergeTable& table, MergeOrder order, std::vector<std::int32_t>& symbols);

// BPE-dropout: each merge is permanently skipped with probability `dropout`.
void apply_merges(const MergeTable& table, MergeOrder order, double dropout, Random& random,
                  std::vector<std::int32_t>& symbols);

}  // namespace dragoman::text
