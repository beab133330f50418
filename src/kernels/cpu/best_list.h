#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/types.h"

namespace dragoman::kernels::cpu_filling {

struct Candidate {
  float score;
  std::int32_t id;
};

// The higher score comes first, or the lower id of equal scores.
struct ComesFirst {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.score > b.score || (a.score == b.score && a.id < b.id);
  }
};

// The top-k so far, in memory of the caller. A short list is kept sorted by insertion, which is fastest for the usual
// beams. A long one is a heap with the worst candidate at the root, so that a beam of a thousand takes k log k steps
// instead of k^2.
class BestList {
 public:
  BestList(Candidate* list, Size size)
      : list_(list), size_(size), worst_(is_heap() || size == 0 ? list : list + size - 1) {}

  bool empty() const { return size_ == 0; }
  void clear() { std::fill_n(list_, size_, Candidate{-std::numeric_limits<float>::infinity(), -1}); }
  // A lower score is not taken.
  float least() const { return worst_->score; }

  void offer(const Candidate& candidate) {
    if (!ComesFirst()(candidate, *worst_)) return;
    if (is_heap())
      replace_root(candidate);
    else
      insert(candidate);
  }
  // Puts the best first. Nothing may be offered afterwards.
  void sort() {
    if (is_heap()) std::sort(list_, list_ + size_, ComesFirst());
  }

 private:
  static constexpr Size kLongestSorted = 32;
  bool is_heap() const { return size_ > kLongestSorted; }

  void insert(const Candidate& candidate) {
    Size i = size_ - 1;
    for (; i > 0 && ComesFirst()(candidate, list_[i - 1]); --i) list_[i] = list_[i - 1];
    list_[i] = candidate;
  }

  void replace_root(const Candidate& candidate) {
    Size at = 0;
    for (Size child = 1; child < size_; child = 2 * at + 1) {
      if (child + 1 < size_ && ComesFirst()(list_[child], list_[child + 1])) ++child;
      if (!ComesFirst()(candidate, list_[child])) break;
      list_[at] = list_[child];
      at = child;
    }
    list_[at] = candidate;
  }

  Candidate* list_;
  Size size_;
  const Candidate* worst_;
};

}  // namespace dragoman::kernels::cpu_filling
