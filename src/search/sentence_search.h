#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dragoman/translator.h"
#include "search/constraints.h"
#include "search/hypothesis.h"

namespace dragoman::search {

// What one hypothesis' next token could be. Scores are log_sum more than log probabilities.
struct Row {
  std::span<const std::int32_t> tokens;  // the likeliest, best first; -1 where there are no more
  const float* scores = nullptr;         // of each
  const float* all = nullptr;            // of every token of the vocabulary, for a search that needs_all()
  float end = 0;                         // of the end mark, for a search that needs_end()
  float log_sum = 0;
  std::int32_t vocabulary = 0;

  float log_probability(float score) const { return score - log_sum; }
};

// What is asked of the translation of one sentence, in tokens.
struct Goal {
  SearchOptions options;
  std::int32_t end = 0;  // the end mark
  int max_length = 0;    // tokens before the end mark
  Tokens never;          // tokens that are not for output: begin mark and padding
  std::vector<Tokens> banned;
  Constraints constraints;
  std::uint64_t stream = 0;  // names the random numbers of this sentence
};

// The search for one sentence's translation, a step at a time: it owns the tree of hypotheses, is shown what each live
// one could continue with, and decides which live on. It knows no models.
class SentenceSearch {
 public:
  explicit SentenceSearch(Goal goal) : goal_(std::move(goal)) {}
  virtual ~SentenceSearch() = default;

  // Beam search, or sampling where the options say so.
  static std::unique_ptr<SentenceSearch> make(Goal goal);

  // Makes `token` the only continuation: for a forced prefix, before the first advance().
  void force(std::int32_t token, const Row& row);
  // One row for every live hypothesis, in order. Afterwards live() are those that go on.
  void advance(std::span<const Row> rows);

  // Live hypotheses: nodes of the tree.
  std::span<const std::int32_t> live() const { return live_; }
  // Those that were live before the last advance() or force().
  std::span<const std::int32_t> before() const { return before_; }
  // For each live one, which of those before it came from.
  std::span<const std::int32_t> origins() const { return origins_; }
  bool done() const { return live_.empty(); }
  // What the next rows must offer: how many of the likeliest tokens, so that enough are left whatever is forbidden, and
  // what beside them.
  int wanted() const;
  bool needs_all() const { return goal_.options.sample || !goal_.constraints.empty(); }
  bool needs_end() const;

  // Complete hypotheses, best first; at most n_best.
  std::vector<Finished> best() const;
  const Tree& tree() const { return tree_; }
  const Goal& goal() const { return goal_; }

 protected:
  // Adds to live_ and origins_ (both empty now) what goes on of before().
  virtual void choose(std::span<const Row> rows) = 0;
  virtual int candidates() const = 0;

  // Whether `token` may follow the hypothesis `node` with this coverage.
  bool allows(std::int32_t node, const Coverage& coverage, std::int32_t token,
              std::span<const std::int32_t> banned) const;
  // All tokens that may not follow `node`, terms aside.
  void find_forbidden(std::int32_t node, Tokens& out) const;
  void extend(std::int32_t origin, std::int32_t node, const Coverage& coverage, std::int32_t token,
              float log_probability);
  void finish(std::int32_t node, float log_probability);
  const Coverage& coverage(std::int32_t node) const {
    return coverages_[goal_.constraints.empty() ? 0 : static_cast<std::size_t>(node)];
  }

  Goal goal_;
  Tree tree_;
  std::vector<Coverage> coverages_ = {{}};  // of each node; the first one's where nothing must be covered
  std::vector<std::int32_t> live_ = {0}, before_, origins_;
  std::vector<Finished> finished_;

 private:
  // The live ones become those before.
  void turn();
};

}  // namespace dragoman::search
