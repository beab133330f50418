#include "search/decode/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "search/decode/scores.h"

namespace dragoman::search {
namespace {

// Before a term that has its place, tokens must be nearly as likely as the best one: at most e^3 times less.
constexpr float kClose = 3;

}  // namespace

void Beam::choose(std::span<const Row> rows) {
  if (goal_.constraints.empty())
    take_best(rows);
  else
    take_from_each_bank(rows);
  if (enough()) {
    live_.clear();
    origins_.clear();
  }
}

Beam::Candidate Beam::candidate(std::int32_t origin, std::int32_t token, float score, const Row& row) const {
  const std::int32_t node = before_[static_cast<std::size_t>(origin)];
  const float log_probability = row.log_probability(score);
  return {tree_[node].sum + static_cast<double>(log_probability), origin, token, log_probability, 0};
}

bool Beam::move_on(Queue& queue, const Row& row) const {
  const auto begin = forbidden_.begin() + queue.forbidden, end = begin + queue.count;
  while (queue.left > 0 && queue.next < row.tokens.size() && row.tokens[queue.next] >= 0) {
    const std::int32_t token = row.tokens[queue.next];
    const float score = row.scores[queue.next++];
    if (std::find(begin, end, token) != end) continue;
    queue.first = candidate(queue.first.origin, token, score, row);
    --queue.left;
    return true;
  }
  return false;
}

// Merges the sorted continuations of all hypotheses. An EOS among the `beam` best completes its hypothesis, and the
// next best continuation takes its place in the beam.
void Beam::take_best(std::span<const Row> rows) {
  queues_.clear();
  forbidden_.clear();
  Queue last;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    Queue queue;
    queue.first.origin = static_cast<std::int32_t>(i);
    // Without banned words, the forbidden tokens depend on the length alone.
    if (i > 0 && goal_.banned.empty() && tree_[before_[i]].length == tree_[before_[i - 1]].length) {
      queue.forbidden = last.forbidden, queue.count = last.count;
    } else {
      queue.forbidden = std::ssize(forbidden_);
      find_forbidden(before_[i], forbidden_);
      queue.count = std::ssize(forbidden_) - queue.forbidden;
    }
    last = queue;
    if (tree_[before_[i]].length >= goal_.max_length) {
      queue.first = candidate(queue.first.origin, goal_.end, rows[i].end, rows[i]);
    } else {
      queue.left = candidates();
      if (!move_on(queue, rows[i])) continue;
    }
    queues_.push_back(queue);
  }
  // A heap with the best continuation at the root.
  const auto comes_last = [](const Queue& a, const Queue& b) { return b.first.before(a.first); };
  std::make_heap(queues_.begin(), queues_.end(), comes_last);
  const auto width = static_cast<std::size_t>(goal_.options.beam);
  for (std::size_t rank = 0; !queues_.empty() && live_.size() < width; ++rank) {
    std::pop_heap(queues_.begin(), queues_.end(), comes_last);
    Queue& best = queues_.back();
    if (best.first.token != goal_.end || rank < width) take(best.first);
    if (move_on(best, rows[static_cast<std::size_t>(best.first.origin)]))
      std::push_heap(queues_.begin(), queues_.end(), comes_last);
    else
      queues_.pop_back();
  }
}

void Beam::take(const Candidate& c) {
  const std::int32_t node = before_[static_cast<std::size_t>(c.origin)];
  if (c.token == goal_.end)
    finish(node, c.log_probability);
  else
    extend(c.origin, node, progress(node), c.token, c.log_probability);
}

// Adds the best continuations of one hypothesis (beam + 1, enough to fill the beam even if one of them is EOS) and
// those that start or continue a term.
void Beam::collect(std::int32_t origin, const Row& row, std::vector<Candidate>& candidates) {
  const std::int32_t node = before_[static_cast<std::size_t>(origin)];
  const TermProgress terms = progress(node);
  const std::ptrdiff_t first = std::ssize(candidates);
  std::ptrdiff_t end_of_terms = first;  // tokens of terms may be among the best ones, too, which are all different
  const auto add = [&](std::int32_t token, float score) {
    const auto same = [&](const Candidate& other) { return other.token == token; };
    if (std::any_of(candidates.begin() + first, candidates.begin() + end_of_terms, same)) return;
    candidates.push_back(candidate(origin, token, score, row));
    if (token != goal_.end) candidates.back().left = goal_.constraints.left(goal_.constraints.after(terms, token));
  };
  if (tree_[node].length >= goal_.max_length) return add(goal_.end, row.end);
  Tokens next;
  forbidden_.clear();
  find_forbidden(node, forbidden_);
  goal_.constraints.find_next(terms, next);
  for (const std::int32_t token : next) {
    if (allows(node, terms, token, forbidden_)) add(token, row.all[token]);
    end_of_terms = std::ssize(candidates);
  }
  if (terms.ending != Ending::any) {
    for (const std::int32_t token : best_after_term(node, terms, row)) add(token, row.all[token]);
    return;
  }
  int left = this->candidates();
  float least = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < row.tokens.size() && row.tokens[i] >= 0 && left > 0; ++i) {
    if (!allows(node, terms, row.tokens[i], forbidden_)) continue;
    if (goal_.term_start >= tree_[node].length && row.scores[i] < least) break;
    least = std::max(least, row.scores[i] - kClose);
    --left;
    add(row.tokens[i], row.scores[i]);
  }
}

// The best tokens of the whole vocabulary: the top-k may all be endings that the term cannot have.
Tokens Beam::best_after_term(std::int32_t node, const TermProgress& terms, const Row& row) const {
  Tokens allowed;
  for (std::int32_t token = 0; token < row.vocabulary; ++token)
    if (std::isfinite(row.all[token]) && allows(node, terms, token, forbidden_)) allowed.push_back(token);
  const auto count = std::min(std::ssize(allowed), static_cast<std::ptrdiff_t>(candidates()));
  std::partial_sort(allowed.begin(), allowed.begin() + count, allowed.end(),
                    [&](std::int32_t a, std::int32_t b) { return row.all[a] > row.all[b]; });
  allowed.resize(static_cast<std::size_t>(count));
  return allowed;
}

void Beam::take_from_each_bank(std::span<const Row> rows) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < before_.size(); ++i) collect(static_cast<std::int32_t>(i), rows[i], candidates);
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.before(b); });
  const auto width = static_cast<std::size_t>(goal_.options.beam);
  std::map<int, std::vector<const Candidate*>> banks;  // by the number of term tokens still missing
  for (const Candidate& one : candidates) banks[one.left].push_back(&one);
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
  std::sort(taken.begin(), taken.end());  // by position in `candidates`, which is sorted by score
  for (const Candidate* one : taken) take(*one);
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
