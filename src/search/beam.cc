#include "search/beam.h"

#include <algorithm>
#include <map>

#include "search/ranking.h"

namespace dragoman::search {

void Beam::choose(std::span<const Row> rows) {
  candidates_.clear();
  for (std::size_t i = 0; i < before_.size(); ++i) collect(static_cast<std::int32_t>(i), before_[i], rows[i]);
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    if (a.sum != b.sum) return a.sum > b.sum;
    return a.origin != b.origin ? a.origin < b.origin : a.token < b.token;
  });
  if (goal_.constraints.empty())
    take_best();
  else
    take_from_each_bank();
  if (enough()) {
    live_.clear();
    origins_.clear();
  }
}

// The best continuations of one hypothesis: as many as could all be among the best of the beam.
void Beam::collect(std::int32_t origin, std::int32_t node, const Row& row) {
  forbidden_.clear();
  collected_.clear();
  find_forbidden(node, forbidden_);
  const Coverage covered = coverage(node);
  const auto add = [&](std::int32_t token, float value) {
    const float log_probability = row.log_probability(value);
    const int left = token == goal_.end || goal_.constraints.empty()
                         ? 0
                         : goal_.constraints.left(goal_.constraints.after(covered, token));
    candidates_.push_back(
        {tree_[node].sum + static_cast<double>(log_probability), origin, node, token, log_probability, left});
    collected_.push_back(token);
  };
  const auto has = [&](std::int32_t token) {
    return std::find(collected_.begin(), collected_.end(), token) != collected_.end();
  };
  if (tree_[node].length >= goal_.max_length) return add(goal_.end, row.end);
  if (!goal_.constraints.empty()) {
    Tokens next;
    goal_.constraints.find_next(covered, next);
    for (const std::int32_t token : next)
      if (!has(token) && allows(node, covered, token, forbidden_)) add(token, row.all[token]);
  }
  int taken = 0;
  for (std::size_t i = 0; i < row.tokens.size() && row.tokens[i] >= 0 && taken < candidates(); ++i) {
    const std::int32_t token = row.tokens[i];
    if (!allows(node, covered, token, forbidden_)) continue;
    ++taken;
    if (!has(token)) add(token, row.scores[i]);
  }
}

void Beam::take(const Candidate& c) {
  if (c.token == goal_.end)
    finish(c.node, c.log_probability);
  else
    extend(c.origin, c.node, coverage(c.node), c.token, c.log_probability);
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
