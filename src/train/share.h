#pragma once

#include <algorithm>
#include <vector>

#include "train/buffer.h"

namespace dragoman::train {

// Elements [first, first + count) of a flat buffer, which lie at `local` in a buffer of a share.
struct Piece {
  Size first = 0, count = 0, local = 0;
};

// A part of a flat buffer: pieces in ascending order.
class Share {
 public:
  Share() = default;
  // A whole buffer.
  explicit Share(Size count) { add(0, count); }

  // Adjacent pieces merge.
  void add(Size first, Size count) {
    if (count == 0) return;
    if (!pieces_.empty() && pieces_.back().first + pieces_.back().count == first)
      pieces_.back().count += count;
    else
      pieces_.push_back({first, count, count_});
    count_ += count;
  }

  const std::vector<Piece>& pieces() const { return pieces_; }
  Size count() const { return count_; }
  // The parts of its pieces within elements [first, end) of the whole buffer.
  std::vector<Piece> within(Size first, Size end) const {
    std::vector<Piece> parts;
    for (const Piece& piece : pieces_) {
      const Size begin = std::max(first, piece.first), stop = std::min(end, piece.first + piece.count);
      if (begin < stop) parts.push_back({begin, stop - begin, piece.local + begin - piece.first});
    }
    return parts;
  }

 private:
  std::vector<Piece> pieces_;
  Size count_ = 0;
};

}  // namespace dragoman::train
