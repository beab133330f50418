#include <algorithm>
#include <cstdint>
#include <queue>
#include <set>
#include <unordered_map>

#include "smt/phrase_search.h"

namespace dragoman::smt {
namespace {

// Best-first search from the goal back to the start. Every hypothesis knows the best path to itself, so the score of
// the best completion of a partial path is exact and paths come out in order.
class BackwardWalk {
 public:
  explicit BackwardWalk(const Hypothesis& goal) { visit({&goal, 0, goal.best.score, kNone}); }

  // The next best path; empty if there are no more.
  std::vector<const PhraseOption*> next() {
    while (!queue_.empty()) {
      const Entry entry = queue_.top();
      queue_.pop();
      const Place place = places_[entry.place];
      const std::vector<Arc>& arcs = sorted(*place.node);
      const Arc& arc = arcs[place.arc];
      if (place.arc + 1 < arcs.size())
        visit({place.node, place.arc + 1, place.score + arcs[place.arc + 1].score - arc.score, place.from});
      if (arc.previous->best.previous == nullptr) return path_from(entry.place);
      visit({arc.previous, 0, place.score, entry.place});
    }
    return {};
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // A partial path to `node`, which continues with arc number `arc`.
  struct Place {
    const Hypothesis* node;
    std::size_t arc;
    double score;      // of the best complete path that continues this way
    std::size_t from;  // index of the previous place
  };
  // Ties go to the newest entry, so that a path is completed before others of the same score.
  struct Entry {
    double score;
    std::size_t place;
    bool operator<(const Entry& other) const {
      return score != other.score ? score < other.score : place < other.place;
    }
  };

  // All arcs to a hypothesis, best first.
  const std::vector<Arc>& sorted(const Hypothesis& node) {
    auto& arcs = arcs_[&node];
    if (arcs.empty()) {
      arcs = node.others;
      std::stable_sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) { return a.score > b.score; });
      arcs.insert(arcs.begin(), node.best);
    }
    return arcs;
  }

  void visit(const Place& place) {
    queue_.push({place.score, places_.size()});
    places_.push_back(place);
  }

  std::vector<const PhraseOption*> path_from(std::size_t place) {
    std::vector<const PhraseOption*> path;
    for (; place != kNone; place = places_[place].from) {
      const Arc& arc = sorted(*places_[place].node)[places_[place].arc];
      if (arc.option != nullptr) path.push_back(arc.option);
    }
    return path;
  }

  std::priority_queue<Entry> queue_;
  std::vector<Place> places_;
  std::unordered_map<const Hypothesis*, std::vector<Arc>> arcs_;
};

std::vector<const PhraseOption*> single_best(const Hypothesis& goal) {
  std::vector<const PhraseOption*> path;
  for (const Hypothesis* node = goal.best.previous; node->best.previous != nullptr; node = node->best.previous)
    path.push_back(node->best.option);
  std::reverse(path.begin(), path.end());
  return path;
}

// The identity of a translation: its words, and which source words were copied.
std::vector<std::uint64_t> spelling(const std::vector<const PhraseOption*>& path) {
  std::vector<std::uint64_t> words;
  for (const PhraseOption* option : path) {
    if (option->copied) words.push_back(~std::uint64_t{option->begin});
    if (!option->copied) words.insert(words.end(), option->entry.words.begin(), option->entry.words.end());
  }
  return words;
}

}  // namespace

std::vector<std::vector<const PhraseOption*>> best_paths(const Hypothesis& goal, int count) {
  if (count == 1) return {single_best(goal)};
  // Many paths yield the same words: the limit of paths to examine per translation.
  constexpr std::int64_t kPatience = 50;
  std::vector<std::vector<const PhraseOption*>> paths;
  std::set<std::vector<std::uint64_t>> seen;
  BackwardWalk walk(goal);
  for (std::int64_t tried = 0; tried < kPatience * count && static_cast<int>(paths.size()) < count; ++tried) {
    std::vector<const PhraseOption*> path = walk.next();
    if (path.empty()) break;
    if (seen.insert(spelling(path)).second) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace dragoman::smt
