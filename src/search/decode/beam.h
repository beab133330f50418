#pragma once

#include "search/decode/sentence_search.h"

namespace dragoman::search {

// Beam search (Koehn 2010, section 6.2). Each step keeps the best continuations of all live hypotheses; those that end
// in EOS are complete. The search stops when enough hypotheses are complete, at the maximum length, or when no live
// hypothesis can still win (early stopping). If terms must appear, the beam is divided into banks by the number of term
// tokens that a hypothesis contains (dynamic beam allocation, Post & Vilar 2018), so that hypotheses with an unlikely
// term are not crowded out.
class Beam : public SentenceSearch {
 public:
  explicit Beam(Goal goal) : SentenceSearch(std::move(goal)) {}

 protected:
  void choose(std::span<const Row> rows) override;
  int candidates() const override { return goal_.options.beam + 1; }

 private:
  struct Candidate {
    double sum = 0;
    std::int32_t origin = 0, token = 0;
    float log_probability = 0;
    int left = 0;  // term tokens still missing after this token

    bool before(const Candidate& other) const {
      if (sum != other.sum) return sum > other.sum;
      return origin != other.origin ? origin < other.origin : token < other.token;
    }
  };
  // The continuations of one hypothesis, best first.
  struct Queue {
    Candidate first{};
    std::size_t next = 0;                     // index into the row's tokens
    std::ptrdiff_t forbidden = 0, count = 0;  // a range of forbidden_: tokens that may not follow
    int left = 0;                             // continuations still allowed
  };
  Candidate candidate(std::int32_t origin, std::int32_t token, float score, const Row& row) const;
  // Advances to the next continuation; false if there is none.
  bool move_on(Queue& queue, const Row& row) const;
  void take(const Candidate& candidate);
  void take_best(std::span<const Row> rows);
  void collect(std::int32_t origin, const Row& row, std::vector<Candidate>& candidates);
  Tokens best_after_term(std::int32_t node, const TermProgress& terms, const Row& row) const;
  void take_from_each_bank(std::span<const Row> rows);
  bool enough() const;

  std::vector<Queue> queues_;
  Tokens forbidden_;
};

}  // namespace dragoman::search
