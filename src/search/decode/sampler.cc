#include "search/decode/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dragoman::search {

Sampler::Sampler(Goal goal) : SentenceSearch(std::move(goal)) {
  for (int i = 0; i < goal_.options.n_best; ++i)
    draws_.push_back({0, Random(goal_.options.seed, mix(goal_.stream, static_cast<std::uint64_t>(i))), true});
}

void Sampler::choose(std::span<const Row> rows) {
  for (Draw& draw_state : draws_) {
    if (!draw_state.running) continue;
    // In the first step all samples start at the same node; later each has its own.
    if (before_.size() == 1) draw_state.node = before_[0];
    const auto at = std::find(before_.begin(), before_.end(), draw_state.node) - before_.begin();
    const Row& row = rows[static_cast<std::size_t>(at)];
    const Chance drawn = draw(draw_state.node, row, draw_state.random);
    const float log_probability = row.log_probability(drawn.score);
    if (drawn.token == goal_.end) {
      finish(draw_state.node, log_probability);
      draw_state.running = false;
    } else {
      extend(static_cast<std::int32_t>(at), draw_state.node, progress(draw_state.node), drawn.token, log_probability);
      draw_state.node = live_.back();
    }
  }
}

void Sampler::find_chances(std::int32_t node, const Row& row) {
  Tokens forbidden;
  find_forbidden(node, forbidden);
  const TermProgress terms = progress(node);
  chances_.clear();
  const auto consider = [&](std::int32_t token, float score) {
    if (score > -std::numeric_limits<float>::infinity() && allows(node, terms, token, forbidden))
      chances_.push_back({token, score, static_cast<double>(row.log_probability(score)) / goal_.options.temperature});
  };
  if (needs_all()) {
    for (std::int32_t token = 0; token < row.vocabulary; ++token) consider(token, row.all[token]);
  } else {
    for (std::size_t i = 0; i < row.tokens.size() && row.tokens[i] >= 0; ++i) consider(row.tokens[i], row.scores[i]);
  }
}

Sampler::Chance Sampler::draw(std::int32_t node, const Row& row, Random& random) {
  if (tree_[node].length >= goal_.max_length) return {goal_.end, row.end, 1};
  find_chances(node, row);
  if (chances_.empty()) return {goal_.end, needs_all() ? row.all[goal_.end] : row.log_sum, 1};
  double largest = chances_.front().weight;
  for (const Chance& chance : chances_) largest = std::max(largest, chance.weight);
  for (Chance& chance : chances_) chance.weight = std::exp(chance.weight - largest);
  keep_likeliest();
  double total = 0;
  for (const Chance& chance : chances_) total += chance.weight;
  double at = random.uniform() * total;
  for (const Chance& chance : chances_) {
    at -= chance.weight;
    if (at < 0) return chance;
  }
  return chances_.back();
}

void Sampler::keep_likeliest() {
  const SearchOptions& options = goal_.options;
  if (options.top_k <= 0 && options.top_p >= 1) return;
  std::sort(chances_.begin(), chances_.end(), [](const Chance& a, const Chance& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
  });
  if (options.top_k > 0 && chances_.size() > static_cast<std::size_t>(options.top_k))
    chances_.resize(static_cast<std::size_t>(options.top_k));
  if (options.top_p >= 1) return;
  double total = 0, sum = 0;
  for (const Chance& chance : chances_) total += chance.weight;
  std::size_t kept = 0;
  while (kept < chances_.size() && sum < options.top_p * total) sum += chances_[kept++].weight;
  chances_.resize(std::max<std::size_t>(kept, 1));
}

}  // namespace dragoman::search
