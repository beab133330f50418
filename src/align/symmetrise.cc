#include "align/symmetrise.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace dragoman::align {
namespace {

// The accepted links among those of the union. Memory grows with the number of links, not with the size of the matrix.
class Growth {
 public:
  Growth(const Links& forward, const Links& backward) {
    std::set_union(forward.begin(), forward.end(), backward.begin(), backward.end(), std::back_inserter(union_));
    accepted_.resize(union_.size());
    int sources = 0, targets = 0;
    for (const Link& link : union_) {
      sources = std::max(sources, link.source + 1);
      targets = std::max(targets, link.target + 1);
    }
    source_linked_.resize(sources);
    target_linked_.resize(targets);
    for (std::size_t at = 0; at < union_.size(); ++at)
      if (std::binary_search(forward.begin(), forward.end(), union_[at]) &&
          std::binary_search(backward.begin(), backward.end(), union_[at]))
        accept(at);
  }

  // Visits the neighbours of accepted links, in order, until nothing changes.
  void grow_diagonally() {
    constexpr std::array<Link, 8> kNeighbours = {
        {{0, -1}, {-1, 0}, {0, 1}, {1, 0}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}}};
    for (bool added = true; added;) {
      added = false;
      for (std::size_t at = 0; at < union_.size(); ++at) {
        if (!accepted_[at]) continue;
        for (const Link& step : kNeighbours) {
          const std::size_t near = find({union_[at].source + step.source, union_[at].target + step.target});
          if (near == union_.size() || accepted_[near]) continue;
          if (source_linked_[union_[near].source] && target_linked_[union_[near].target]) continue;
          accept(near);
          added = true;
        }
      }
    }
  }

  // Adds the links of one direction with an unaligned word, or with two.
  void finish(const Links& direction, bool both_free) {
    for (const Link& link : direction) {
      const bool source_free = !source_linked_[link.source], target_free = !target_linked_[link.target];
      if (both_free ? source_free && target_free : source_free || target_free) accept(find(link));
    }
  }

  Links links() const {
    Links result;
    for (std::size_t at = 0; at < union_.size(); ++at)
      if (accepted_[at]) result.push_back(union_[at]);
    return result;
  }

 private:
  void accept(std::size_t at) {
    accepted_[at] = true;
    source_linked_[union_[at].source] = true;
    target_linked_[union_[at].target] = true;
  }
  std::size_t find(const Link& link) const {
    const auto found = std::lower_bound(union_.begin(), union_.end(), link);
    return found != union_.end() && *found == link ? static_cast<std::size_t>(found - union_.begin()) : union_.size();
  }

  Links union_;
  std::vector<bool> accepted_, source_linked_, target_linked_;
};

}  // namespace

Links symmetrise(const Links& forward, const Links& backward, Symmetrisation method) {
  Links result;
  switch (method) {
    case Symmetrisation::forward: return forward;
    case Symmetrisation::backward: return backward;
    case Symmetrisation::intersection:
      std::set_intersection(forward.begin(), forward.end(), backward.begin(), backward.end(),
                            std::back_inserter(result));
      return result;
    case Symmetrisation::unite:
      std::set_union(forward.begin(), forward.end(), backward.begin(), backward.end(), std::back_inserter(result));
      return result;
    case Symmetrisation::product: fail("the product method needs the posteriors of both directions, not their links");
    default: break;
  }
  Growth growth(forward, backward);
  growth.grow_diagonally();
  if (method != Symmetrisation::grow_diag) {
    const bool both_free = method == Symmetrisation::grow_diag_final_and;
    growth.finish(forward, both_free);
    growth.finish(backward, both_free);
  }
  return growth.links();
}

}  // namespace dragoman::align
