#pragma once

#include <vector>

#include "train/buffer.h"

namespace dragoman::train {

// The sum of 2^n terms as a balanced tree, ((1 + 2) + (3 + 4)) + ..., of flat tensors that are computed one after the
// other in the same memory. Needs n buffers more.
class TreeSum {
 public:
  // `term` is the memory of the terms and, in the end, of the sum. `terms` is a power of two.
  TreeSum(const Tensor& term, int terms);

  // Begins a new sum.
  void clear() { added_ = 0; }
  // Takes the next term from the memory. After the last one, the memory holds the sum.
  void add();
  // Of the buffers.
  std::size_t bytes() const { return sums_.size() * term_.bytes(); }

 private:
  Tensor term_;
  std::vector<Buffer> sums_;  // sums_[k]: of 2^k terms, waiting for the next 2^k
  unsigned added_ = 0;
};

}  // namespace dragoman::train
