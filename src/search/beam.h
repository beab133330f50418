#pragma once

#include "search/sentence_search.h"

namespace dragoman::search {

// Beam search (S2): each step keeps the best of all continuations of all live hypotheses. One that ends among the best
// is set aside. The search stops when enough are complete, at the greatest length, or when no live one can still win.
// Where terms must appear, the places of the beam are shared among hypotheses that have different amounts of them, so
// that those which do the unlikely thing and write a term are not crowded out.
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
    int left = 0;  // tokens of terms that are missing afterwards

    bool before(const Candidate& other) const {
      if (sum != other.sum) return sum > other.sum;
      return origin != other.origin ? origin < other.origin : token < other.token;
    }
  };
  void collect(std::int32_t origin, const Row& row);
  void collect_with_terms(std::int32_t origin, const Row& row);
  bool offer(std::int32_t origin, std::int32_t token, float score, const Row& row);
  void take(const Candidate& candidate);
  void take_best();
  void take_from_each_bank();
  bool enough() const;

  std::vector<Candidate> candidates_;
  Tokens forbidden_;  // of the hypothesis being looked at
};

}  // namespace dragoman::search
