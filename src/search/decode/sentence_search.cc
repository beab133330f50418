#include "search/decode/sentence_search.h"

#include <algorithm>

#include "search/decode/beam.h"
#include "search/decode/sampler.h"
#include "search/decode/scores.h"

namespace dragoman::search {
namespace {

// Adds to `out` the tokens that would complete a banned sequence after the hypothesis that ends in `node`.
void find_banned(const Tree& tree, std::int32_t node, std::span<const Tokens> banned, Tokens& out) {
  for (const Tokens& sequence : banned) {
    std::int32_t at = node;
    auto expected = sequence.rbegin() + 1;
    while (expected != sequence.rend() && at > 0 && tree[at].token == *expected) ++expected, at = tree[at].parent;
    if (expected == sequence.rend()) out.push_back(sequence.back());
  }
}

}  // namespace

std::unique_ptr<SentenceSearch> SentenceSearch::make(Goal goal) {
  if (goal.options.sample) return std::make_unique<Sampler>(std::move(goal));
  return std::make_unique<Beam>(std::move(goal));
}

void SentenceSearch::force(std::int32_t token, const Row& row) {
  turn();
  const std::int32_t node = before_.front();
  extend(0, node, progress(node), token, goal_.options.score_prefix ? row.log_probability(row.all[token]) : 0);
  if (!goal_.prefix_meets_terms) progress_.back() = {};
}

void SentenceSearch::advance(std::span<const Row> rows) {
  turn();
  choose(rows);
}

void SentenceSearch::turn() {
  std::swap(before_, live_);
  live_.clear();
  origins_.clear();
}

int SentenceSearch::wanted() const {
  const std::size_t forbidden = goal_.never.size() + goal_.banned.size() + (goal_.options.min_length > 0 ? 1 : 0);
  return candidates() + static_cast<int>(forbidden);
}

// At the maximum length, EOS is the only continuation.
bool SentenceSearch::needs_end() const {
  return std::any_of(live_.begin(), live_.end(),
                     [this](std::int32_t node) { return tree_[node].length >= goal_.max_length; });
}

std::vector<Finished> SentenceSearch::best() const {
  std::vector<Finished> sorted = finished_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Finished& a, const Finished& b) { return a.score > b.score; });
  if (sorted.size() > static_cast<std::size_t>(goal_.options.n_best))
    sorted.resize(static_cast<std::size_t>(goal_.options.n_best));
  return sorted;
}

void SentenceSearch::find_forbidden(std::int32_t node, Tokens& out) const {
  out.insert(out.end(), goal_.never.begin(), goal_.never.end());
  find_banned(tree_, node, goal_.banned, out);
  if (tree_[node].length < goal_.options.min_length) out.push_back(goal_.end);
}

// A token is allowed only if the missing terms still fit after it, and another token after one that links, so a
// hypothesis never runs out of room for them. A token that continues a term is allowed even if it is banned.
bool SentenceSearch::allows(std::int32_t node, const TermProgress& terms, std::int32_t token,
                            std::span<const std::int32_t> forbidden) const {
  const bool is_forbidden = std::find(forbidden.begin(), forbidden.end(), token) != forbidden.end();
  const int length = tree_[node].length;
  if (token == goal_.end) return !is_forbidden && goal_.constraints.left(terms) == 0;
  if (length >= goal_.max_length) return false;
  if (goal_.constraints.empty()) return !is_forbidden;
  if (!goal_.constraints.may_follow(terms, token)) return false;
  const int left = goal_.constraints.left(terms);
  const int left_after = goal_.constraints.left(goal_.constraints.after(terms, token));
  const int room = goal_.max_length - length - 1;
  const int links = left_after < left || !goal_.constraints.links(terms, token) ? 0 : 1;
  if (goal_.term_start >= 0 && left > 0) {
    const bool is_in_place =
        left_after < left ? length - terms.position == goal_.term_start : length + links < goal_.term_start;
    if (!is_in_place) return false;
  }
  return (!is_forbidden || left_after < left) && left_after + links <= room;
}

void SentenceSearch::extend(std::int32_t origin, std::int32_t node, const TermProgress& terms, std::int32_t token,
                            float log_probability) {
  live_.push_back(tree_.add(node, token, log_probability));
  if (!goal_.constraints.empty()) progress_.push_back(goal_.constraints.after(terms, token));
  origins_.push_back(origin);
}

void SentenceSearch::finish(std::int32_t node, float log_probability) {
  const bool truncated = goal_.options.truncate && tree_[node].length >= goal_.max_length;
  const std::int32_t end = tree_.add(node, goal_.end, truncated ? 0 : log_probability);
  if (!goal_.constraints.empty()) progress_.push_back(progress(node));
  tree_.finish(end);
  finished_.push_back({end, score(goal_.options, tree_[end].sum, tree_[end].length - (truncated ? 1 : 0))});
}

}  // namespace dragoman::search
