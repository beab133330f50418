#include "search/beam.h"

#include <algorithm>
#include <map>

#include "search/ranking.h"

namespace dragoman::search {

void Beam::choose(std::span<const Row> rows) {
  candidates_.clear();
  const bool free = goal_.constraints.empty();
  for (std::size_t i = 0; i < before_.size(); ++i) {
    forbidden_.clear();
    find_forbidden(before_[i], forbidden_);
    const auto origin = static_cast<std::int32_t>(i);
    if (tree_[before_[i]].length >= goal_.max_length)
      offer(origin, goal_.end, rows[i].end, rows[i]);
    else if (free)
      collect(origin, rows[i]);
    else
      collect_with_terms(origin, rows[i]);
  }
  if (free) {
    take_best();
  } else {
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.before(b); });
    take_from_each_bank();
  }
  if (enough()) {
    live_.clear();
    origins_.clear();
  }
}

// The best continuations of one hypothesis: as many as could all be among the best of the beam.
void Beam::collect(std::int32_t origin, const Row& row) {
  int left = candidates();
  for (std::size_t i = 0; i < row.tokens.size() && row.tokens[i] >= 0 && left > 0; ++i) {
    if (std::find(forbidden_.begin(), forbidden_.end(), row.tokens[i]) != forbidden_.end()) continue;
    if (!offer(origin, row.tokens[i], row.scores[i], row)) return;
    --left;
  }
}

// The same, and what goes on with the terms.
void Beam::collect_with_terms(std::int32_t origin, const Row& row) {
  const std::int32_t node = before_[static_cast<std::size_t>(origin)];
  const Coverage covered = coverage(node);
  Tokens next, collected;
  const auto add = [&](std::int32_t token, float score) {
    if (std::find(collected.begin(), collected.end(), token) != collected.end()) return;
    collected.push_back(token);
    offer(origin, token, score, row);
  };
  goal_.constraints.find_next(covered, next);
  for (const std::int32_t token : next)
    if (allows(node, covered, token, forbidden_)) add(token, row.all[token]);
  int left = candidates();
  for (std::size_t i = 0; i < row.tokens.size() && row.tokens[i] >= 0 && left > 0; ++i) {
    if (!allows(node, covered, row.tokens[i], forbidden_)) continue;
    --left;
    add(row.tokens[i], row.scores[i]);
  }
}

// Adds a continuation; without terms in its place among the others, best first. False where it, and with it whatever
// is less likely, comes too late: no more are looked at than the beam takes and one end for each hypothesis.
bool Beam::offer(std::int32_t origin, std::int32_t token, float score, const Row& row) {
  const std::int32_t node = before_[static_cast<std::size_t>(origin)];
  Candidate one{.origin = origin, .token = token, .log_probability = row.log_probability(score)};
  one.sum = tree_[node].sum + static_cast<double>(one.log_probability);
  auto place = candidates_.end();
  if (!goal_.constraints.empty()) {
    if (token != goal_.end) one.left = goal_.constraints.left(goal_.constraints.after(coverage(node), token));
  } else {
    if (candidates_.size() == 2 * static_cast<std::size_t>(goal_.options.beam)) {
      if (!one.before(candidates_.back())) return false;
      candidates_.pop_back();
      place = candidates_.end();
    }
    while (place != candidates_.begin() && one.before(*(place - 1))) --place;
  }
  candidates_.insert(place, one);
  return true;
}

void Beam::take(const Candidate& c) {
  const std::int32_t node = before_[static_cast<std::size_t>(c.origin)];
  if (c.token == goal_.end)
    finish(node, c.log_probability);
  else
    extend(c.origin, node, coverage(node), c.token, c.log_probability);
}

// A hypothesis is complete if its end is among the `beam` best continuations; then the next best takes its place.
void Beam::take_best() {
  const auto width = static_cast<std::size_t>(goal_.options.beam);
  for (std::size_t rank = 0; rank < candidates_.size() && live_.size() < width; ++rank)
    if (candidates_[rank].token != goal_.end || rank < width) take(candidates_[rank]);
}

void Beam::take_from_each_bank() {
  const auto width = static_cast<std::size_t>(goal_.options.beam);
  std::map<int, std::vector<const Candidate*>> banks;  // by what is left; complete ones first
  for (const Candidate& candidate : candidates_) banks[candidate.left].push_back(&candidate);
  std::vector<const Candidate*> taken;
  for (std::size_t place = 0; taken.size() < width && !banks.empty(); ++place)
    for (auto bank = banks.begin(); bank != banks.end() && taken.size() < width;) {
      if (place < bank->second.size()) {
        taken.push_back(bank->second[place]);
        ++bank;
      } else {
        bank = banks.erase(bank);
      }
    }
  std::sort(taken.begin(), taken.end());  // candidates are in order of their sums
  for (const Candidate* candidate : taken) take(*candidate);
}

bool Beam::enough() const {
  const SearchOptions& options = goal_.options;
  const int wanted = options.finished > 0 ? options.finished : options.beam;
  if (static_cast<int>(finished_.size()) >= std::max(wanted, options.n_best)) return true;
  if (live_.empty() || static_cast<int>(finished_.size()) < options.n_best) return live_.empty();
  const double to_beat = best().back().score;
  for (const std::int32_t node : live_)
    if (best_possible(options, tree_[node].sum, tree_[node].length, goal_.max_length + 1) > to_beat) return false;
  return true;
}

}  // namespace dragoman::search
