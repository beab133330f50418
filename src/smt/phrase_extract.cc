#include "smt/phrase_extract.h"

#include <algorithm>
#include <vector>

namespace dragoman::smt {
namespace {

class Extractor {
 public:
  Extractor(std::uint32_t source_words, std::uint32_t target_words, const align::Links& links, int max_length)
      : source_words_(source_words),
        target_words_(target_words),
        max_length_(static_cast<std::uint32_t>(max_length)),
        links_(links),
        of_source_(source_words),
        of_target_(target_words) {
    for (const align::Link& link : links) {
      of_source_[std::uint32_t(link.source)].include(std::uint32_t(link.target));
      of_target_[std::uint32_t(link.target)].include(std::uint32_t(link.source));
    }
  }

  void run(const std::function<void(const PhrasePair&)>& body) const {
    for (std::uint32_t begin = 0; begin < source_words_; ++begin) {
      Range target;
      const std::uint32_t last = std::min(begin + max_length_, source_words_);
      for (std::uint32_t end = begin + 1; end <= last; ++end) {
        target.include(of_source_[end - 1]);
        if (!target.empty() && target.end - target.begin <= max_length_ && links_stay_inside(begin, end, target))
          widen(begin, end, target, body);
      }
    }
  }

 private:
  // Words [begin, end); initially empty.
  struct Range {
    std::uint32_t begin = ~std::uint32_t{0}, end = 0;
    bool empty() const { return end == 0; }
    void include(std::uint32_t word) {
      begin = std::min(begin, word);
      end = std::max(end, word + 1);
    }
    void include(const Range& other) {
      begin = std::min(begin, other.begin);
      end = std::max(end, other.end);
    }
  };

  bool links_stay_inside(std::uint32_t begin, std::uint32_t end, const Range& target) const {
    for (std::uint32_t t = target.begin; t < target.end; ++t)
      if (!of_target_[t].empty() && (of_target_[t].begin < begin || of_target_[t].end > end)) return false;
    return true;
  }

  // The minimal pair and its extensions by unaligned target words at the borders.
  void widen(std::uint32_t begin, std::uint32_t end, const Range& target,
             const std::function<void(const PhrasePair&)>& body) const {
    for (std::uint32_t left = target.begin;; --left) {
      for (std::uint32_t right = target.end; right - left <= max_length_; ++right) {
        body(with_orientations({begin, end, left, right}));
        if (right == target_words_ || !of_target_[right].empty()) break;
      }
      if (left == 0 || !of_target_[left - 1].empty() || target.end - left >= max_length_) break;
    }
  }

  // Positions are signed: the positions before the first words are linked to each other, as are those after the last.
  bool linked(std::int64_t source, std::int64_t target) const {
    if (source < 0 || target < 0) return source == target;
    if (source == source_words_ || target == target_words_) return source == source_words_ && target == target_words_;
    return std::binary_search(links_.begin(), links_.end(),
                              align::Link{static_cast<int>(source), static_cast<int>(target)});
  }

  PhrasePair with_orientations(PhrasePair pair) const {
    const std::int64_t before = std::int64_t{pair.source_begin} - 1, after = pair.source_end;
    const std::int64_t above = std::int64_t{pair.target_begin} - 1, below = pair.target_end;
    pair.previous = linked(before, above)  ? Orientation::monotone
                    : linked(after, above) ? Orientation::swap
                                           : Orientation::apart;
    pair.next = linked(after, below)    ? Orientation::monotone
                : linked(before, below) ? Orientation::swap
                                        : Orientation::apart;
    return pair;
  }

  std::uint32_t source_words_, target_words_, max_length_;
  const align::Links& links_;
  std::vector<Range> of_source_, of_target_;
};

}  // namespace

void extract_phrases(std::uint32_t source_words, std::uint32_t target_words, const align::Links& links, int max_length,
                     const std::function<void(const PhrasePair&)>& body) {
  Extractor(source_words, target_words, links, max_length).run(body);
}

}  // namespace dragoman::smt
