#include "eval/shift_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

namespace dragoman::eval {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr int kMaxShiftSize = 10;          // words in a block
constexpr int kMaxShiftDistance = 50;      // between the block's positions in hypothesis and reference
constexpr int kBeamWidth = 25;             // cells of the edit matrix kept on each side of its diagonal
constexpr int kMaxShiftCandidates = 1000;  // moves tried per sentence
constexpr int kUnreached = 1 << 29;

enum class Edit : std::uint8_t { none, keep, substitute, insert, remove };

// The edit distance matrix between hypotheses of one length and a reference, restricted to a band around the diagonal.
// A row depends only on the words before it, so rows are reused when the hypothesis changes.
class EditMatrix {
 public:
  EditMatrix(const Words& reference, int hypothesis_length);

  // Fills rows and edits for `words`, whose first `same` words are those of the previous call.
  void fill(const Words& words, int same);
  int distance() const { return cost(height_, width_); }
  // The distance of `words`, which differ from the filled hypothesis only in [begin, end).
  int distance_of(const Words& words, int begin, int end);

  // For each reference word, the hypothesis position it is aligned to or follows (-1: before all), and which words of
  // either side are errors.
  struct Alignment {
    std::vector<int> place;
    std::vector<bool> hypothesis_wrong, reference_wrong;
  };
  Alignment alignment() const;

 private:
  struct Band {
    int begin, end;
  };

  int cost(int i, int j) const { return row(i)[j]; }
  const int* row(int i) const { return costs_.data() + offsets_[i]; }

  const Words& reference_;
  int height_, width_;                // lengths of hypothesis and reference
  std::vector<Band> bands_;           // of each row
  std::vector<std::size_t> offsets_;  // cell (i, j) is stored at offsets_[i] + j
  std::vector<int> costs_;
  std::vector<Edit> edits_;
  std::vector<int> above_, here_;  // rows of distance_of
};

EditMatrix::EditMatrix(const Words& reference, int hypothesis_length)
    : reference_(reference), height_(hypothesis_length), width_(static_cast<int>(reference.size())) {
  const double ratio = height_ > 0 ? static_cast<double>(width_) / height_ : 1;
  const int beam = kBeamWidth < ratio / 2 ? static_cast<int>(std::ceil(ratio / 2 + kBeamWidth)) : kBeamWidth;
  for (int i = 0; i <= height_; ++i) {
    const int diagonal = static_cast<int>(std::floor(i * ratio));
    bands_.push_back({std::max(0, diagonal - beam), std::min(width_ + 1, diagonal + beam)});
  }
  bands_.front() = {0, width_ + 1};
  bands_.back().end = width_ + 1;
  // A row is stored with the cells beside its band that it and the next row read. The first row is stored whole, so
  // that no offset is negative.
  std::size_t cells = 0;
  for (int i = 0; i <= height_; ++i) {
    const int begin = std::max(0, bands_[i].begin - 1);
    const int end = std::max(bands_[i].end, bands_[std::min(i + 1, height_)].end);
    offsets_.push_back(cells - static_cast<std::size_t>(begin));
    cells += static_cast<std::size_t>(end - begin);
  }
  costs_.assign(cells, kUnreached);
  edits_.assign(cells, Edit::none);
  for (int j = 0; j <= width_; ++j) {
    costs_[j] = j;
    edits_[j] = Edit::insert;
  }
  above_.assign(static_cast<std::size_t>(width_) + 1, kUnreached);
  here_ = above_;
}

void EditMatrix::fill(const Words& words, int same) {
  for (int i = same + 1; i <= height_; ++i) {
    const int* above = row(i - 1);
    int* here = costs_.data() + offsets_[i];
    Edit* edit = edits_.data() + offsets_[i];
    for (int j = bands_[i].begin; j < bands_[i].end; ++j) {
      // Ties go to the edit that is listed first.
      int best = kUnreached;
      if (j > 0) {
        const bool equal = words[i - 1] == reference_[j - 1];
        best = above[j - 1] + (equal ? 0 : 1);
        edit[j] = equal ? Edit::keep : Edit::substitute;
      }
      if (above[j] + 1 < best) {
        best = above[j] + 1;
        edit[j] = Edit::remove;
      }
      if (j > 0 && here[j - 1] + 1 < best) {
        best = here[j - 1] + 1;
        edit[j] = Edit::insert;
      }
      here[j] = best;
    }
  }
}

int EditMatrix::distance_of(const Words& words, int begin, int end) {
  const int* above = row(begin);
  for (int i = begin + 1; i <= height_; ++i) {
    const Band band = bands_[i];
    int* here = here_.data();
    // The cells beside the band that the next row reads.
    if (band.begin > 0) here[band.begin - 1] = kUnreached;
    if (i < height_) std::fill(here + band.end, here + std::max(band.end, bands_[i + 1].end), kUnreached);
    for (int j = band.begin; j < band.end; ++j) {
      int best = above[j] + 1;
      if (j > 0) {
        best = std::min(best, above[j - 1] + (words[i - 1] == reference_[j - 1] ? 0 : 1));
        best = std::min(best, here[j - 1] + 1);
      }
      here[j] = best;
    }
    // From here on the words are those of the filled hypothesis again: an equal row leads to an equal distance.
    if (i >= end && std::equal(here + band.begin, here + band.end, row(i) + band.begin)) return distance();
    std::swap(here_, above_);
    above = above_.data();
  }
  return above[width_];
}

EditMatrix::Alignment EditMatrix::alignment() const {
  Alignment result;
  result.place.assign(static_cast<std::size_t>(width_), -1);
  result.hypothesis_wrong.assign(static_cast<std::size_t>(height_), true);
  result.reference_wrong.assign(static_cast<std::size_t>(width_), true);
  for (int i = height_, j = width_; i > 0 || j > 0;) {
    const Edit edit = edits_[offsets_[i] + static_cast<std::size_t>(j)];
    if (edit != Edit::remove) result.place[j - 1] = i - 1;
    if (edit == Edit::keep) {
      result.hypothesis_wrong[i - 1] = false;
      result.reference_wrong[j - 1] = false;
    }
    if (edit != Edit::insert) --i;
    if (edit != Edit::remove) --j;
  }
  return result;
}

// A block of the hypothesis and the position before which it is inserted, counted in the current hypothesis.
struct Shift {
  int start, length, target;

  // Words outside [begin(), end(n)) do not move.
  int begin() const { return std::min(start, target); }
  int end(int size) const {
    if (target < start) return start + length;
    return target > start + length ? target : std::min(size, target + length);
  }
  void apply(Words& words) const {
    const auto at = [&](int i) { return words.begin() + i; };
    if (target < start) {
      std::rotate(at(target), at(start), at(start + length));
    } else {
      std::rotate(at(start), at(start + length), at(end(static_cast<int>(words.size()))));
    }
  }
};

class ShiftSearch {
 public:
  ShiftSearch(const Words& hypothesis, const Words& reference)
      : words_(hypothesis), reference_(reference), matrix_(reference, static_cast<int>(hypothesis.size())) {}

  std::size_t edits() {
    std::size_t shifts = 0;
    matrix_.fill(words_, 0);
    while (make_best_shift()) ++shifts;
    return shifts + static_cast<std::size_t>(matrix_.distance());
  }

 private:
  // Reduction of the edit distance, then the longer block, the earlier block, the earlier target.
  using Rank = std::tuple<int, int, int, int>;

  bool make_best_shift();
  void try_block(const EditMatrix::Alignment& alignment, int start, int start_reference, int length);
  int distance_after(const Shift& shift);

  Words words_, moved_;
  const Words& reference_;
  EditMatrix matrix_;
  int candidates_ = 0;
  Rank best_;
  Shift best_shift_{};
  bool found_ = false;
  std::unordered_map<std::uint64_t, int> tried_;  // distance after a shift of the current words
};

bool ShiftSearch::make_best_shift() {
  const EditMatrix::Alignment alignment = matrix_.alignment();
  const int height = static_cast<int>(words_.size()), width = static_cast<int>(reference_.size());
  found_ = false;
  tried_.clear();
  for (int i = 0; i < height; ++i)
    for (int j = std::max(0, i - kMaxShiftDistance); j < std::min(width, i + kMaxShiftDistance + 1); ++j) {
      const int longest = std::min({kMaxShiftSize, height - i, width - j});
      for (int length = 1; length <= longest && words_[i + length - 1] == reference_[j + length - 1]; ++length) {
        try_block(alignment, i, j, length);
        if (candidates_ >= kMaxShiftCandidates) return false;
      }
    }
  if (!found_ || std::get<0>(best_) <= 0) return false;
  best_shift_.apply(words_);
  matrix_.fill(words_, best_shift_.begin());
  return true;
}

// Tries the positions in the hypothesis that correspond to the block in the reference.
void ShiftSearch::try_block(const EditMatrix::Alignment& alignment, int start, int start_reference, int length) {
  const auto any = [length](const std::vector<bool>& wrong, int from) {
    return std::find(wrong.begin() + from, wrong.begin() + from + length, true) != wrong.begin() + from + length;
  };
  if (!any(alignment.hypothesis_wrong, start) || !any(alignment.reference_wrong, start_reference)) return;
  const int place = alignment.place[start_reference];
  if (start <= place && place < start + length) return;
  int previous = -1;
  for (int offset = -1; offset < length; ++offset) {
    const int at = start_reference + offset;
    const int target = at < 0 ? 0 : alignment.place[at] + 1;
    if (target == previous) continue;
    previous = target;
    const Shift shift{start, length, target};
    const Rank rank{matrix_.distance() - distance_after(shift), length, -start, -target};
    ++candidates_;
    if (found_ && rank <= best_) continue;
    best_ = rank;
    best_shift_ = shift;
    found_ = true;
  }
}

int ShiftSearch::distance_after(const Shift& shift) {
  const std::uint64_t key = static_cast<std::uint64_t>(shift.start) << 40 |
                            static_cast<std::uint64_t>(shift.target) << 8 | static_cast<std::uint64_t>(shift.length);
  const auto [entry, is_new] = tried_.try_emplace(key, 0);
  if (is_new) {
    moved_ = words_;
    shift.apply(moved_);
    entry->second = matrix_.distance_of(moved_, shift.begin(), shift.end(static_cast<int>(words_.size())));
  }
  return entry->second;
}

}  // namespace

std::size_t edits_with_shifts(const Words& hypothesis, const Words& reference) {
  if (reference.empty()) return hypothesis.size();
  return ShiftSearch(hypothesis, reference).edits();
}

}  // namespace dragoman::eval
