#pragma once

#include <span>
#include <vector>

#include "smt/phrase_decoder.h"

namespace dragoman::smt {

struct Hypothesis;

// One way to reach a hypothesis: predecessor, phrase and score.
struct Arc {
  double score = 0;
  const Hypothesis* previous = nullptr;
  const PhraseOption* option = nullptr;  // null in arcs to the goal
};

// Partial translations that no continuation can tell apart (recombined). `best` is the best arc to the hypothesis;
// `others` are kept only for n-best lists.
struct Hypothesis {
  Arc best;
  std::vector<Arc> others;
  double estimate = 0;  // score plus future cost estimate
  Coverage coverage;
  std::uint32_t last_begin = 0, last_end = 0;  // source words of the last phrase
  NgramState state;
};

// The orientation of `next` when it follows the phrase of source words [last_begin, last_end) in the translation.
Orientation orientation_of(std::uint32_t last_begin, std::uint32_t last_end, const PhraseOption& next);

// Stack decoding: one stack of hypotheses per number of covered words, filled by cube pruning.
class PhraseSearch {
 public:
  PhraseSearch(const PhraseModel& model, const PhraseDecoderConfig& config, const SentenceOptions& options,
               bool keep_all_arcs);

  // The goal: its arcs lead to the complete hypotheses.
  const Hypothesis& run();

 private:
  // Hypotheses (rows, best first) that share their translation options (columns, best first).
  struct Cube {
    std::span<const Hypothesis> rows;
    std::span<const PhraseOption> columns;
    Coverage coverage;
    double future = 0;
  };
  struct Candidate {
    std::uint32_t cube = 0, row = 0, column = 0;
    bool scored = false;
    double score = 0;
    NgramState state;
  };
  // Index into `candidates_`, ordered by estimate.
  struct Queued {
    double estimate;
    std::uint32_t candidate;
    bool operator<(const Queued& other) const {
      return estimate != other.estimate ? estimate < other.estimate : candidate > other.candidate;
    }
  };

  void fill(std::uint32_t covered);
  void queue_corner(std::uint32_t cube);
  void queue_scored(std::uint32_t cube, std::uint32_t row, std::uint32_t column);
  double step_score(const Hypothesis& from, const PhraseOption& option, NgramState& state) const;
  double jump_score(const Hypothesis& from, const PhraseOption& option) const;
  void keep(const Candidate& candidate, double estimate);
  void grow_slots();
  bool can_recombine(const Hypothesis& a, const Hypothesis& b) const;
  std::uint64_t recombination_hash(const Hypothesis& hypothesis) const;
  std::uint32_t swap_border(const Hypothesis& hypothesis) const;
  void prune(std::uint32_t covered);
  void make_cubes(std::uint32_t covered);
  void spread_group(std::uint32_t covered, std::span<const Hypothesis> group);
  void finish();

  const PhraseModel& model_;
  const PhraseDecoderConfig& config_;
  const SentenceOptions& options_;
  bool keep_all_arcs_, reorders_;
  std::vector<std::vector<Hypothesis>> stacks_;
  std::vector<std::vector<Cube>> cubes_;
  // Of the stack being filled.
  std::vector<Candidate> candidates_;
  std::vector<Queued> queue_;
  std::vector<std::uint32_t> slots_;  // hash table of the stack's hypotheses: index + 1
  std::vector<Cube>* active_ = nullptr;
  std::vector<Hypothesis>* stack_ = nullptr;
  Hypothesis goal_;
};

// The best distinct translations among the paths to `goal`, best first.
std::vector<std::vector<const PhraseOption*>> best_paths(const Hypothesis& goal, int count);

}  // namespace dragoman::smt
