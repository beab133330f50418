#include "document/unit_alignment.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

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

struct UnitText {
  std::string_view text;
  std::string_view of(const text::Unit& unit) const {
    return text.substr(unit.span.begin, unit.span.end - unit.span.begin);
  }
};

// Units of the translation without a source, between two that have one.
struct Gap {
  std::size_t begin = 0, end = 0;
};

// Fills the gaps of an alignment.
class GapFiller {
 public:
  GapFiller(const TagTree& tree, UnitText source_text, std::span<const text::Unit> target, UnitText target_text,
            std::vector<int> source)
      : tree_(tree), source_text_(source_text), target_(target), target_text_(target_text), used_(tree.units().size()) {
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
      fill_gap({begin, end}, begin > 0 ? linked[begin - 1] : -1,
               end < target_.size() ? linked[end] : static_cast<int>(tree_.units().size()));
      begin = end - 1;
    }
    return std::move(result_);
  }

 private:
  int node_of(int unit) const { return tree_.node_of_unit(static_cast<std::size_t>(unit)); }

  // `left` and `right` are the sources of the units around the gap, or one before the first and one after the last.
  void fill_gap(Gap gap, int left, int right) {
    const bool is_inside = left >= 0 && right < static_cast<int>(tree_.units().size());
    const int around = is_inside ? tree_.common_ancestor(node_of(left), node_of(right)) : 0;
    for (std::size_t i = gap.begin; i < gap.end; ++i) result_.node[i] = around;
    std::vector<int> marks, words;
    for (int unit = left + 1; unit < right; ++unit) {
      const auto at = static_cast<std::size_t>(unit);
      if (!used_[at]) (tree_.units()[at].is_word ? words : marks).push_back(unit);
    }
    take_same(gap, marks);
    std::erase_if(marks, [this](int unit) { return used_[static_cast<std::size_t>(unit)]; });
    take_in_order(gap, marks, false);
    take_in_order(gap, words, true);
  }

  void take(std::size_t target, int unit) {
    result_.source[target] = unit;
    result_.node[target] = node_of(unit);
    used_[static_cast<std::size_t>(unit)] = true;
  }

  // The marks of a gap take the same marks of the source, the first one the first.
  void take_same(Gap gap, const std::vector<int>& marks) {
    std::unordered_map<std::string_view, std::deque<int>> same;
    for (const int unit : marks) same[source_text_.of(tree_.units()[static_cast<std::size_t>(unit)])].push_back(unit);
    for (std::size_t i = gap.begin; i < gap.end; ++i) {
      std::deque<int>& units = same[target_text_.of(target_[i])];
      if (units.empty()) continue;
      take(i, units.front());
      units.pop_front();
    }
  }

  // The words, or the marks, of a gap that have no source are spread over units that are left.
  void take_in_order(Gap gap, const std::vector<int>& units, bool words) {
    std::vector<std::size_t> takers;
    for (std::size_t i = gap.begin; i < gap.end; ++i)
      if (target_[i].is_word == words && result_.source[i] == kNone) takers.push_back(i);
    for (std::size_t i = 0; i < takers.size() && !units.empty(); ++i)
      take(takers[i], units[i * units.size() / takers.size()]);
  }

  const TagTree& tree_;
  UnitText source_text_;
  std::span<const text::Unit> target_;
  UnitText target_text_;
  std::vector<bool> used_;  // units of the segment that have a counterpart
  UnitAlignment result_;
};

}  // namespace

UnitAlignment align_units(const TagTree& tree, std::string_view source_text, std::span<const text::Unit> target,
                          const Translated& translated) {
  std::vector<int> source =
      translated.links.empty() ? spread(tree.units(), target) : follow_links(tree.units(), target, translated.links);
  return GapFiller(tree, {source_text}, target, {translated.text}, std::move(source)).fill();
}

}  // namespace dragoman::document
