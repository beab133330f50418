#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dragoman/translator.h"
#include "search/constrain/constraints.h"
#include "search/decode/hypothesis.h"

namespace dragoman::search {

// Scores of the next token of one hypothesis. A score minus log_sum is a log probability.
struct Row {
  std::span<const std::int32_t> tokens;  // the top-k, best first; -1 pads the end
  const float* scores = nullptr;         // of these tokens
  const float* all = nullptr;            // of the whole vocabulary, for a search that needs_all(); may be -inf
  float end = 0;                         // of EOS, for a search that needs_end()
  float log_sum = 0;
  std::int32_t vocabulary = 0;

  float log_probability(float score) const { return score - log_sum; }
};

// The requirements on one sentence's translation, in tokens.
struct Goal {
  SearchOptions options;
  std::int32_t end = 0;  // the EOS token
  int max_length = 0;    // tokens before EOS
  Tokens never;          // tokens that are never written, such as BOS and padding
  std::vector<Tokens> banned;
  Constraints constraints;
  bool prefix_meets_terms = true;  // tokens of a forced prefix count as tokens of terms
  int term_start = -1;             // the token at which the only term begins; -1 means any
  std::uint64_t stream = 0;        // selects the random numbers of this sentence
};

// The search for one sentence's translation, one step at a time. It owns the tree of hypotheses, receives the scores of
// the next token of each live hypothesis, and decides which hypotheses stay alive. It does not depend on models.
class SentenceSearch {
 public:
  explicit SentenceSearch(Goal goal) : goal_(std::move(goal)) {}
  virtual ~SentenceSearch() = default;

  // Creates a beam search, or a sampler if options.sample is set.
  static std::unique_ptr<SentenceSearch> make(Goal goal);

  // Appends one token of a forced prefix. Call before the first advance().
  void force(std::int32_t token, const Row& row);
  // Takes one row per live hypothesis, in order, and updates live().
  void advance(std::span<const Row> rows);

  // Live hypotheses, as nodes of the tree.
  std::span<const std::int32_t> live() const { return live_; }
  // The hypotheses that were live before the last advance() or force().
  std::span<const std::int32_t> before() const { return before_; }
  // For each live hypothesis, the index in before() of the one it extends.
  std::span<const std::int32_t> origins() const { return origins_; }
  bool done() const { return live_.empty(); }
  // What the next rows must contain: the number of top tokens (enough to drop the forbidden ones), the scores of all
  // tokens, the score of EOS.
  int wanted() const;
  virtual bool needs_all() const { return !goal_.constraints.empty(); }
  bool needs_end() const;

  // Complete hypotheses, best first; at most n_best.
  std::vector<Finished> best() const;
  const Tree& tree() const { return tree_; }
  const Goal& goal() const { return goal_; }

 protected:
  // Chooses continuations of before() and adds them to live_ and origins_, which are empty.
  virtual void choose(std::span<const Row> rows) = 0;
  virtual int candidates() const = 0;

  // Whether `token` may follow the hypothesis `node`, given its progress in the terms.
  bool allows(std::int32_t node, const TermProgress& progress, std::int32_t token,
              std::span<const std::int32_t> banned) const;
  // Adds to `out` all tokens that may not follow `node`, terms aside.
  void find_forbidden(std::int32_t node, Tokens& out) const;
  void extend(std::int32_t origin, std::int32_t node, const TermProgress& progress, std::int32_t token,
              float log_probability);
  // `log_probability` is that of EOS.
  void finish(std::int32_t node, float log_probability);
  const TermProgress& progress(std::int32_t node) const {
    return progress_[goal_.constraints.empty() ? 0 : static_cast<std::size_t>(node)];
  }

  Goal goal_;
  Tree tree_;
  std::vector<TermProgress> progress_ = {{}};  // of each node; only the first if there are no terms
  std::vector<std::int32_t> live_ = {0}, before_, origins_;
  std::vector<Finished> finished_;

 private:
  // Moves live_ to before_.
  void turn();
};

}  // namespace dragoman::search
