#include "align/cooccurrence.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/threads.h"

namespace dragoman::align {
namespace {

// The occurrences of each source word (pair and position), in text order.
struct Occurrence {
  std::uint32_t pair, position;
};

struct Occurrences {
  std::vector<std::size_t> begin;  // by source word
  std::vector<Occurrence> list;

  explicit Occurrences(const IdText& text) : begin(text.words().size() + 1), list(text.tokens()) {
    for (std::size_t pair = 0; pair < text.sentences(); ++pair)
      for (const std::int32_t id : text.sentence(pair)) ++begin[id + 1];
    for (std::size_t id = 1; id < begin.size(); ++id) begin[id] += begin[id - 1];
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t pair = 0; pair < text.sentences(); ++pair) {
      const auto ids = text.sentence(pair);
      for (std::size_t i = 0; i < ids.size(); ++i)
        list[next[ids[i]]++] = {static_cast<std::uint32_t>(pair), static_cast<std::uint32_t>(i)};
    }
  }
  std::span<const Occurrence> of(std::size_t word) const {
    return {list.data() + begin[word], begin[word + 1] - begin[word]};
  }
};

// Splits the source words into chunks of similar work: a chunk ends after a given number of occurrences.
std::vector<std::size_t> cut_rows(const Occurrences& occurrences) {
  constexpr std::size_t kPiece = 20000;
  std::vector<std::size_t> borders{0};
  const std::size_t rows = occurrences.begin.size() - 1;
  for (std::size_t row = 0; row < rows; ++row)
    if (occurrences.begin[row + 1] - occurrences.begin[borders.back()] >= kPiece || row + 1 == rows)
      borders.push_back(row + 1);
  return borders;
}

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

// Collects the target words that co-occur with one source word, sorted. `place` is all kUnseen on entry and on return.
void collect(std::span<const Occurrence> occurrences, const IdText& target, std::vector<std::uint32_t>& place,
             std::vector<std::int32_t>& found) {
  found.clear();
  for (const Occurrence& occurrence : occurrences)
    for (const std::int32_t id : target.sentence(occurrence.pair)) {
      if (place[id] != kUnseen) continue;
      place[id] = 0;
      found.push_back(id);
    }
  std::sort(found.begin(), found.end());
  for (const std::int32_t id : found) place[id] = kUnseen;
}

}  // namespace

Cooccurrence::Cooccurrence(const Bitext& bitext) {
  const IdText& target = bitext.target();
  pair_begin_.resize(bitext.size() + 1);
  for (std::size_t pair = 0; pair < bitext.size(); ++pair)
    pair_begin_[pair + 1] = pair_begin_[pair] + bitext.source().length(pair) * target.length(pair);
  cells_.resize(pair_begin_.back());
  const Occurrences occurrences(bitext.source());
  const std::vector<std::size_t> borders = cut_rows(occurrences);
  const auto pieces = static_cast<std::int64_t>(borders.size() - 1);
  std::vector<std::vector<std::int32_t>> piece_targets(pieces);
  row_begin_.resize(occurrences.begin.size());
  threads::each(pieces, [&](std::int64_t piece) {
    std::vector<std::uint32_t> place(target.words().size(), kUnseen);
    std::vector<std::int32_t> found;
    for (std::size_t row = borders[piece]; row < borders[piece + 1]; ++row) {
      collect(occurrences.of(row), target, place, found);
      row_begin_[row + 1] = found.size();
      piece_targets[piece].insert(piece_targets[piece].end(), found.begin(), found.end());
    }
    piece_targets[piece].shrink_to_fit();
  });
  row_begin_[0] = 1;
  for (std::size_t row = 1; row < row_begin_.size(); ++row) row_begin_[row] += row_begin_[row - 1];
  check(row_begin_.back() < kUnseen, "{} word pairs exceed the limit of {}; use less text or a larger --min-count",
        row_begin_.back(), kUnseen);
  targets_.resize(row_begin_.back());
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    std::copy(piece_targets[piece].begin(), piece_targets[piece].end(),
              targets_.begin() + static_cast<std::ptrdiff_t>(row_begin_[borders[piece]]));
    piece_targets[piece] = {};
  }
  threads::each(pieces, [&](std::int64_t piece) {
    std::vector<std::uint32_t> place(target.words().size());
    for (std::size_t row = borders[piece]; row < borders[piece + 1]; ++row) {
      for (std::size_t cell = row_begin_[row]; cell < row_begin_[row + 1]; ++cell)
        place[targets_[cell]] = static_cast<std::uint32_t>(cell);
      for (const Occurrence& occurrence : occurrences.of(row)) {
        const auto ids = target.sentence(occurrence.pair);
        std::uint32_t* out = cells_.data() + pair_begin_[occurrence.pair] + occurrence.position * ids.size();
        for (std::size_t j = 0; j < ids.size(); ++j) out[j] = place[ids[j]];
      }
    }
  });
}

std::vector<std::uint32_t> Cooccurrence::drop(const std::vector<bool>& keep) {
  std::vector<std::uint32_t> renamed(size()), old{0};
  for (std::size_t row = 0, kept = 1; row < rows(); ++row) {
    const std::size_t begin = row_begin_[row];
    row_begin_[row] = kept;
    for (std::size_t cell = begin; cell < row_begin_[row + 1]; ++cell) {
      if (!keep[cell]) continue;
      renamed[cell] = static_cast<std::uint32_t>(kept);
      old.push_back(static_cast<std::uint32_t>(cell));
      targets_[kept++] = targets_[cell];
    }
    if (row + 1 == rows()) row_begin_[row + 1] = kept;
  }
  targets_.resize(old.size());
  targets_.shrink_to_fit();
  threads::split(static_cast<std::int64_t>(cells_.size()), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; ++at) cells_[at] = renamed[cells_[at]];
  });
  return old;
}

}  // namespace dragoman::align
