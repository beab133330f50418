#include "text/merge_table.h"

#include <algorithm>
#include <bit>
#include <queue>

namespace dragoman::text {
namespace {

// Words of up to this many symbols are merged by scanning, longer ones with a heap.
constexpr std::size_t kShortWord = 40;

// Merges a short word round by round, with the ranks of all adjacent pairs in an array.
void merge_short(const MergeTable& table, std::vector<std::int32_t>& symbols) {
  constexpr std::int32_t kChanged = -1;
  Merge merges[kShortWord];
  std::size_t count = symbols.size();
  for (std::size_t i = 0; i + 1 < count; ++i) merges[i] = table.find(symbols[i], symbols[i + 1]);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i)
      if (merges[i].rank < merges[best].rank) best = i;
    if (merges[best].rank == Merge::kNone) break;
    const Merge chosen = merges[best];
    // Replaces all occurrences of the lowest pair in place; `to` never passes `from`. Pairs with a changed member are
    // marked and looked up again.
    std::size_t to = best;
    for (std::size_t from = best; from < count; ++to) {
      const bool join = from + 1 < count && merges[from].rank == chosen.rank;
      symbols[to] = join ? chosen.result : symbols[from];
      merges[to] = merges[from];
      if (join) {
        merges[to].rank = kChanged;
        if (to > 0) merges[to - 1].rank = kChanged;
      }
      from += join ? 2 : 1;
    }
    count = to;
    for (std::size_t i = best > 0 ? best - 1 : 0; i + 1 < count; ++i)
      if (merges[i].rank == kChanged) merges[i] = table.find(symbols[i], symbols[i + 1]);
  }
  symbols.resize(count);
}

// An adjacent pair as it was when it was queued; stale once a neighbour has been merged.
struct Candidate {
  Merge merge;
  std::int32_t at, left, right;
  bool operator>(const Candidate& other) const {
    return merge.rank != other.merge.rank ? merge.rank > other.merge.rank : at > other.at;
  }
};

class HeapMerger {
 public:
  HeapMerger(const MergeTable& table, MergeOrder order, std::vector<std::int32_t>& symbols)
      : table_(table), order_(order), symbols_(symbols), previous_(symbols.size()), next_(symbols.size()) {
    const auto count = static_cast<std::int32_t>(symbols.size());
    for (std::int32_t i = 0; i < count; ++i) {
      previous_[i] = i - 1;
      next_[i] = i + 1 < count ? i + 1 : -1;
    }
    for (std::int32_t i = 0; i < count; ++i) propose(i, fresh_);
    queue_fresh();
  }

  template <class Drop>
  void run(Drop drop) {
    std::int32_t round = -1;
    while (!heap_.empty() || !fresh_.empty()) {
      if (heap_.empty() || order_ == MergeOrder::immediate || heap_.top().merge.rank != round) queue_fresh();
      const Candidate candidate = heap_.top();
      heap_.pop();
      round = candidate.merge.rank;
      if (current(candidate) && !drop()) join(candidate);
    }
    std::size_t to = 0;
    for (std::int32_t i = symbols_.empty() ? -1 : 0; i >= 0; i = next_[i]) symbols_[to++] = symbols_[i];
    symbols_.resize(to);
  }

 private:
  using Heap = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

  bool current(const Candidate& candidate) const {
    const std::int32_t right = next_[candidate.at];
    return symbols_[candidate.at] == candidate.left && right >= 0 && symbols_[right] == candidate.right;
  }

  void propose(std::int32_t at, std::vector<Candidate>& into) const {
    if (at < 0 || next_[at] < 0) return;
    const std::int32_t left = symbols_[at], right = symbols_[next_[at]];
    const Merge merge = table_.find(left, right);
    if (merge.rank != Merge::kNone) into.push_back({merge, at, left, right});
  }

  void queue_fresh() {
    for (const Candidate& candidate : fresh_) heap_.push(candidate);
    fresh_.clear();
  }

  void join(const Candidate& candidate) {
    const std::int32_t gone = next_[candidate.at];
    symbols_[candidate.at] = candidate.merge.result;
    symbols_[gone] = -1;
    next_[candidate.at] = next_[gone];
    if (next_[gone] >= 0) previous_[next_[gone]] = candidate.at;
    next_[gone] = -1;
    propose(previous_[candidate.at], fresh_);
    propose(candidate.at, fresh_);
  }

  const MergeTable& table_;
  MergeOrder order_;
  std::vector<std::int32_t>& symbols_;
  std::vector<std::int32_t> previous_, next_;
  Heap heap_;
  std::vector<Candidate> fresh_;
};

}  // namespace

MergeTable::MergeTable(std::size_t expected) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(16, expected * 2));
  slots_.resize(size);
  mask_ = size - 1;
  shift_ = 64 - std::countr_zero(size);
}

void MergeTable::grow() {
  std::vector<Slot> old = std::move(slots_);
  *this = MergeTable(old.size());
  for (const Slot& slot : old)
    if (slot.key != kEmpty)
      insert(static_cast<std::int32_t>(slot.key >> 32), static_cast<std::int32_t>(slot.key & 0xFFFFFFFFu), slot.merge);
}

void MergeTable::insert(std::int32_t left, std::int32_t right, Merge merge) {
  if ((used_ + 1) * 2 > slots_.size()) grow();
  const std::uint64_t key = key_of(left, right);
  std::size_t at = slot_of(key);
  while (slots_[at].key != kEmpty && slots_[at].key != key) at = (at + 1) & mask_;
  if (slots_[at].key == key) return;
  slots_[at] = {key, merge};
  ++used_;
}

void apply_merges(const MergeTable& table, MergeOrder order, std::vector<std::int32_t>& symbols) {
  if (order == MergeOrder::rounds && symbols.size() <= kShortWord)
    merge_short(table, symbols);
  else
    HeapMerger(table, order, symbols).run([] { return false; });
}

void apply_merges(const MergeTable& table, MergeOrder order, double dropout, Random& random,
                  std::vector<std::int32_t>& symbols) {
  HeapMerger(table, order, symbols).run([&] { return random.uniform() < dropout; });
}

}  // namespace dragoman::text
