#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/bitext.h"

namespace dragoman::align {

// The word pairs that occur in some sentence pair. Each is a cell, numbered from 1 by source word, then target word;
// cell 0 stands for all other pairs. The cell numbers of every sentence pair's matrix are precomputed, so that EM needs
// no lookups.
class Cooccurrence {
 public:
  explicit Cooccurrence(const Bitext& bitext);

  // Number of cells, including cell 0.
  std::size_t size() const { return targets_.size(); }
  std::size_t rows() const { return row_begin_.size() - 1; }
  // Cells [row_begin(s), row_begin(s + 1)) belong to source word s.
  std::size_t row_begin(std::size_t source) const { return row_begin_[source]; }
  std::int32_t target(std::size_t cell) const { return targets_[cell]; }
  const std::vector<std::int32_t>& targets() const { return targets_; }
  const std::vector<std::size_t>& row_begins() const { return row_begin_; }

  // The cells of a sentence pair's matrix, [source words, target words].
  std::span<const std::uint32_t> cells(std::size_t pair) const {
    return {cells_.data() + pair_begin_[pair], pair_begin_[pair + 1] - pair_begin_[pair]};
  }

  // Removes the cells whose entry in `keep` is false; their places in sentence pairs become cell 0. Returns the old
  // number of each remaining cell.
  std::vector<std::uint32_t> drop(const std::vector<bool>& keep);

 private:
  std::vector<std::int32_t> targets_;
  std::vector<std::size_t> row_begin_;
  std::vector<std::uint64_t> pair_begin_;
  std::vector<std::uint32_t> cells_;
};

}  // namespace dragoman::align
