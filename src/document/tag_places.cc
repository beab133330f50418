#include "document/tag_places.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace dragoman::document {
namespace {

// Units of the translation where an element goes.
struct Stretch {
  std::size_t first = 0, last = 0;
  std::size_t score = 0;  // by how much the element's own units outnumber the others
  bool is_found = false;
};

// Finds stretches for sibling elements, which do not overlap.
class StretchFinder {
 public:
  StretchFinder(const TagTree& tree, std::span<const text::Unit> target, const UnitAlignment& alignment,
                const std::vector<int>& siblings, TagPlace area)
      : tree_(tree), target_(target), alignment_(alignment), siblings_(siblings), area_(area), best_(siblings.size()) {}

  // One stretch per sibling; none is found for an element without units in the area.
  std::vector<Stretch> find() {
    const std::size_t back = siblings_.size() - 1;
    if (tree_[siblings_.front()].begins_before()) reach(0, true);
    if (tree_[siblings_[back]].ends_after() && !best_[back].is_found) reach(back, false);
    find_inside();
    return std::move(best_);
  }

 private:
  static constexpr std::size_t kNoSibling = std::numeric_limits<std::size_t>::max();

  // The index of the sibling that a unit belongs to.
  std::size_t owner(std::size_t unit) const {
    const int node = alignment_.node[unit];
    const auto after = std::upper_bound(siblings_.begin(), siblings_.end(), node);
    if (after == siblings_.begin() || !tree_[*std::prev(after)].contains(node, *std::prev(after))) return kNoSibling;
    return static_cast<std::size_t>(std::prev(after) - siblings_.begin());
  }

  // An element that begins before the segment reaches from its beginning to one of the element's words, one that ends
  // after it to its end. Takes these units out of the area.
  void reach(std::size_t sibling, bool forward) {
    int score = 0, most = 0;
    std::size_t length = 0;
    for (std::size_t i = 0; i < area_.last - area_.first; ++i) {
      const std::size_t unit = forward ? area_.first + i : area_.last - 1 - i;
      const bool is_own = owner(unit) == sibling;
      if (!target_[unit].is_word) {
        if (is_own && length == i && length > 0) ++length;
        continue;
      }
      score += is_own ? 1 : -1;
      if (!is_own || score < most) continue;
      most = score;
      length = i + 1;
    }
    std::size_t& end = forward ? area_.first : area_.last;
    const std::size_t begin = end;
    end = forward ? end + length : end - length;
    best_[sibling] = {std::min(begin, end), std::max(begin, end), 0, true};
  }

  // Elements inside the segment. A stretch goes on over units that belong to none of the siblings as long as its own
  // units are not outnumbered.
  void find_inside() {
    std::size_t previous = kNoSibling;
    Stretch now;
    for (std::size_t unit = area_.first; unit < area_.last; ++unit) {
      const std::size_t sibling = owner(unit);
      if (sibling == kNoSibling || reaches_out(sibling)) continue;
      const std::size_t gap = unit - now.last;
      const bool goes_on = sibling == previous && now.score >= gap;
      now = goes_on ? Stretch{now.first, unit + 1, now.score - gap + 1, true} : Stretch{unit, unit + 1, 1, true};
      previous = sibling;
      if (now.score >= best_[sibling].score) best_[sibling] = now;
    }
  }

  bool reaches_out(std::size_t sibling) const {
    return tree_[siblings_[sibling]].begins_before() || tree_[siblings_[sibling]].ends_after();
  }

  const TagTree& tree_;
  std::span<const text::Unit> target_;
  const UnitAlignment& alignment_;
  const std::vector<int>& siblings_;
  TagPlace area_;
  std::vector<Stretch> best_;
};

class TagPlacer {
 public:
  TagPlacer(const TagTree& tree, std::span<const Tag> tags, std::span<const text::Unit> target,
            const UnitAlignment& alignment)
      : tree_(tree),
        tags_(tags),
        target_(target),
        alignment_(alignment),
        places_(tree.nodes().size()),
        has_place_(tree.nodes().size()) {
    first_target_.assign(tree.units().size(), UnitAlignment::kNone);
    last_target_ = first_target_;
    for (std::size_t i = 0; i < alignment.source.size(); ++i) {
      if (alignment.source[i] == UnitAlignment::kNone) continue;
      const auto source = static_cast<std::size_t>(alignment.source[i]);
      if (first_target_[source] == UnitAlignment::kNone) first_target_[source] = static_cast<int>(i);
      last_target_[source] = static_cast<int>(i);
    }
  }

  std::vector<TagPlace> place() {
    places_[0] = {0, alignment_.node.size(), false};
    for (int node = 0; node < static_cast<int>(places_.size()); ++node) place_children(node);
    return std::move(places_);
  }

 private:
  // Neighbouring nodes that go to the same place between two units.
  struct Cluster {
    std::vector<int> nodes;
    bool space_before = false, space_after = false;
    std::size_t units_before = 0, units_after = 0;  // the number of units before it, and of those before its end
  };

  TagPlace& at(int node) { return places_[static_cast<std::size_t>(node)]; }
  void place_children(int parent);
  std::vector<int> place_around_units(const std::vector<int>& solid, TagPlace area);
  void place_between_units(int parent, const Cluster& cluster, const std::vector<int>& placed);
  std::optional<std::size_t> counterpart(const std::vector<int>& targets, std::size_t unit, const TagPlace& area) const;
  std::vector<Cluster> clusters_of(const std::vector<int>& children) const;

  const TagTree& tree_;
  std::span<const Tag> tags_;
  std::span<const text::Unit> target_;
  const UnitAlignment& alignment_;
  std::vector<TagPlace> places_;
  std::vector<bool> has_place_;                  // whether an element goes around units
  std::vector<int> first_target_, last_target_;  // per unit of the segment: units of the translation
};

void TagPlacer::place_children(int parent) {
  const std::vector<int> children = tree_.children(parent);
  std::vector<int> solid;
  for (const int child : children)
    if (!tree_[child].is_hollow()) solid.push_back(child);
  const bool has_all =
      solid.size() == 1 && tree_[solid[0]].first == tree_[parent].first && tree_[solid[0]].last == tree_[parent].last;
  std::vector<int> placed = solid;
  if (has_all)
    at(solid[0]) = at(parent);
  else
    placed = place_around_units(solid, at(parent));
  for (const int child : placed) has_place_[static_cast<std::size_t>(child)] = true;
  for (const Cluster& cluster : clusters_of(children)) place_between_units(parent, cluster, placed);
}

// Returns the elements that have a place now, in the order of the translation.
std::vector<int> TagPlacer::place_around_units(const std::vector<int>& solid, TagPlace area) {
  if (solid.empty()) return {};
  const std::vector<Stretch> stretches = StretchFinder(tree_, target_, alignment_, solid, area).find();
  std::vector<int> placed;
  for (std::size_t i = 0; i < solid.size(); ++i) {
    if (!stretches[i].is_found) continue;
    at(solid[i]) = {stretches[i].first, stretches[i].last, false};
    placed.push_back(solid[i]);
  }
  std::stable_sort(placed.begin(), placed.end(), [&](int a, int b) { return at(a).first < at(b).first; });
  return placed;
}

std::vector<TagPlacer::Cluster> TagPlacer::clusters_of(const std::vector<int>& children) const {
  std::vector<Cluster> clusters;
  bool joins = false;
  for (const int child : children) {
    if (has_place_[static_cast<std::size_t>(child)]) {
      joins = false;
      continue;
    }
    const TagNode& node = tree_[child];
    const int opening = node.open == TagNode::kNone ? node.close : node.open;
    const int closing = node.close == TagNode::kNone ? node.open : node.close;
    if (!joins || node.first != clusters.back().units_after)
      clusters.push_back({{}, tags_[static_cast<std::size_t>(opening)].space_before, false, node.first, node.last});
    clusters.back().nodes.push_back(child);
    clusters.back().space_after = tags_[static_cast<std::size_t>(closing)].space_after;
    clusters.back().units_after = node.last;
    joins = true;
  }
  return clusters;
}

// The counterpart of a unit in the parent's place.
std::optional<std::size_t> TagPlacer::counterpart(const std::vector<int>& targets, std::size_t unit,
                                                  const TagPlace& area) const {
  const int target = targets[unit];
  if (target == UnitAlignment::kNone) return {};
  const auto found = static_cast<std::size_t>(target);
  if (found < area.first || found >= area.last) return {};
  return found;
}

void TagPlacer::place_between_units(int parent, const Cluster& cluster, const std::vector<int>& placed) {
  const TagPlace area = at(parent);
  const std::size_t first = tree_[parent].first, last = tree_[parent].last;
  std::size_t gap = area.first;
  if (cluster.units_before > first && cluster.units_after < last) {
    const auto before = counterpart(last_target_, cluster.units_before - 1, area);
    const auto after = counterpart(first_target_, cluster.units_after, area);
    const bool touches_before = !cluster.space_before && cluster.space_after;
    if (before && (touches_before || !after))
      gap = *before + 1;
    else if (after)
      gap = *after;
    else
      gap = area.first + (area.last - area.first) * (cluster.units_before - first) / (last - first);
  } else if (cluster.units_before > first) {
    gap = area.last;
  }
  // Not inside a sibling, of which the first may begin, and the last end, outside the segment.
  if (!placed.empty() && tree_[placed.front()].begins_before()) gap = std::max(gap, at(placed.front()).last);
  if (!placed.empty() && tree_[placed.back()].ends_after()) gap = std::min(gap, at(placed.back()).first);
  const auto next = std::partition_point(placed.begin(), placed.end(), [&](int node) { return at(node).first < gap; });
  if (next != placed.begin() && at(*std::prev(next)).last > gap) {
    const int sibling = *std::prev(next);
    gap = cluster.units_before >= tree_[sibling].last ? at(sibling).last : at(sibling).first;
  }
  const bool beside_previous = gap > area.first && (gap == area.last || (!cluster.space_before && cluster.space_after));
  for (const int node : cluster.nodes) at(node) = {gap, gap, beside_previous};
}

}  // namespace

std::vector<TagPlace> place_tags(const TagTree& tree, std::span<const Tag> tags, std::span<const text::Unit> target,
                                 const UnitAlignment& alignment) {
  return TagPlacer(tree, tags, target, alignment).place();
}

}  // namespace dragoman::document
