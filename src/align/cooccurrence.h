#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/bitext.h"

namespace dragoman::align {

// Which source and target words stand in a pair together. Each such pair of words is one cell, numbered from 1, in
// order of the source and then the target word; cell 0 stands for all others. Every place of every sentence pair's
// matrix knows its cell, so that learning looks nothing up.
class Cooccurrence {
 public:
  explicit Cooccurrence(const Bitext& bitext);

  // Number of cells, cell 0 included.
  std::size_t size() const { return targets_.size(); }
  std::size_t rows() const { return row_begin_.size() - 1; }
  // Cells [row_begin(s), row_begin(s + 1)) belong to source word s.
  std::size_t row_begin(std::size_t source) const { return row_begin_[source]; }
  std::int32_t target(std::size_t cell) const { return targets_[cell]; }
  const std::vector<std::int32_t>& targets() const { return targets_; }
  const std::vector<std::size_t>& row_begins() const { return row_begin_; }

  // The cells of a sentence pair's matrix, source words down, target words across.
  std::span<const std::uint32_t> cells(std::size_t pair) const {
    return {cells_.data() + pair_begin_[pair], pair_begin_[pair + 1] - pair_begin_[pair]};
  }

  // Keeps the cells for which keep(cell) holds and gives the others' places cell 0. Returns the old number of each
  // cell.
  std::vector<std::uint32_t> drop(const std::vector<bool>& keep);

 private:
  std::vector<std::int32_t> targets_;
  std::vector<std::size_t> row_begin_;
  std::vector<std::uint64_t> pair_begin_;
  std::vector<std::uint32_t> cells_;
};

}  // namespace dragoman::align
