#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.h"

namespace dragoman::text {

// What joining two neighbouring symbols gives; lower ranks are joined first.
struct Merge {
  static constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();
  std::int32_t rank = kNone;
  std::int32_t result = -1;
};

// The merges of a BPE model: a flat hash table from (left, right) to what they become.
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

// In which order equal ranks and freshly made pairs are joined.
enum class MergeOrder {
  rounds,    // all occurrences of the lowest pair from left to right, then look again: GPT-2's rule
  immediate  // always the lowest pair there is now, leftmost first: SentencePiece's rule
};

// Joins the symbols of one word until no merge applies. Time n log n.
void apply_merges(const MergeTable& table, MergeOrder order, std::vector<std::int32_t>& symbols);

// BPE-dropout: each merge, when its turn comes, is skipped for good with probability `dropout`.
void apply_merges(const MergeTable& table, MergeOrder order, double dropout, Random& random,
                  std::vector<std::int32_t>& symbols);

}  // namespace dragoman::text
