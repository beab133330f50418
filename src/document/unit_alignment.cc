#include "document/unit_alignment.h"

#include <algorithm>

namespace dragoman::document {
namespace {

constexpr int kNone = UnitAlignment::kNone;

// The first unit that ends after a position.
std::size_t first_after(std::span<const text::Unit> units, std::uint32_t position) {
  const auto found = std::partition_point(units.begin(), units.end(),
                                          [&](const text::Unit& unit) { return unit.span.end <= position; });
  return static_cast<std::size_t>(found - units.begin());
}

// The unit that has most of the bytes [begin, end), or kNone.
int largest_part(std::span<const text::Unit> units, std::uint32_t begin, std::uint32_t end) {
  int best = kNone;
  std::uint32_t most = 0;
  for (std::size_t i = first_after(units, begin); i < units.size() && units[i].span.begin < end; ++i) {
    const std::uint32_t bytes = std::min(units[i].span.end, end) - std::max(units[i].span.begin, begin);
    if (bytes > most) best = static_cast<int>(i);
    most = std::max(most, bytes);
  }
  return best;
}

std::vector<std::size_t> words_among(std::span<const text::Unit> units) {
  std::vector<std::size_t> words;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (units[i].is_word) words.push_back(i);
  return words;
}

std::vector<int> spread(std::span<const text::Unit> source, std::span<const text::Unit> target) {
  std::vector<int> result(target.size(), kNone);
  const std::vector<std::size_t> from = words_among(source), to = words_among(target);
  if (from.empty()) return result;
  for (std::size_t i = 0; i < to.size(); ++i)
    result[to[i]] = static_cast<int>(from[(2 * i + 1) * from.size() / (2 * to.size())]);
  return result;
}

std::vector<int> follow_links(std::span<const text::Unit> source, std::span<const text::Unit> target,
                              std::span<const SpanLink> links) {
  std::vector<int> result(target.size(), kNone);
  for (const SpanLink& link : links) {
    const int from = largest_part(source, link.source_begin, link.source_end);
    if (from == kNone) continue;
    for (std::size_t i = first_after(target, link.target_begin);
         i < target.size() && target[i].span.begin < link.target_end; ++i)
      if (target[i].is_word && result[i] == kNone) result[i] = from;
  }
  return result;
}

// Fills the gaps of an alignment.
class GapFiller {
 public:
  GapFiller(const TagTree& tree, std::span<const text::Unit> target, std::vector<int> source)
      : tree_(tree), target_(target), used_(tree.units().size()) {
    for (const int unit : source)
      if (unit != kNone) used_[static_cast<std::size_t>(unit)] = true;
    result_.source = std::move(source);
    result_.node.assign(target.size(), 0);
  }

  UnitAlignment fill() {
    const std::vector<int> linked = result_.source;
    for (std::size_t begin = 0; begin < target_.size(); ++begin) {
      if (linked[begin] != kNone) {
        result_.node[begin] = node_of(linked[begin]);
        continue;
      }
      std::size_t end = begin;
      while (end < target_.size() && linked[end] == kNone) ++end;
      fill_gap(begin, end, begin > 0 ? linked[begin - 1] : -1,
               end < target_.size() ? linked[end] : static_cast<int>(tree_.units().size()));
      begin = end - 1;
    }
    return std::move(result_);
  }

 private:
  int node_of(int unit) const { return tree_.node_of_unit(static_cast<std::size_t>(unit)); }

  // `left` and `right` are the sources of the units around the gap, or one before the first and one after the last.
  void fill_gap(std::size_t begin, std::size_t end, int left, int right) {
    const bool is_inside = left >= 0 && right < static_cast<int>(tree_.units().size());
    const int around = is_inside ? tree_.common_ancestor(node_of(left), node_of(right)) : 0;
    for (const bool words : {false, true}) {
      std::vector<int> free;
      for (int unit = left + 1; unit < right; ++unit) {
        const auto at = static_cast<std::size_t>(unit);
        if (!used_[at] && tree_.units()[at].is_word == words) free.push_back(unit);
      }
      std::size_t count = 0, index = 0;
      for (std::size_t i = begin; i < end; ++i) count += target_[i].is_word == words;
      for (std::size_t i = begin; i < end; ++i) {
        if (target_[i].is_word != words) continue;
        result_.source[i] = free.empty() ? kNone : free[index++ * free.size() / count];
        result_.node[i] = free.empty() ? around : node_of(result_.source[i]);
      }
    }
  }

  const TagTree& tree_;
  std::span<const text::Unit> target_;
  std::vector<bool> used_;
  UnitAlignment result_;
};

}  // namespace

UnitAlignment align_units(const TagTree& tree, std::span<const text::Unit> target, std::span<const SpanLink> links) {
  std::vector<int> source = links.empty() ? spread(tree.units(), target) : follow_links(tree.units(), target, links);
  return GapFiller(tree, target, std::move(source)).fill();
}

}  // namespace dragoman::document
