#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "align/cooccurrence.h"

namespace dragoman::align {

// Expected counts are fixed-point numbers in units of 2^-30: integer sums do not depend on the order of their terms, so
// results do not depend on the number of threads.
constexpr double kCountUnit = 1.0 / (1 << 30);
inline std::uint64_t to_fixed(float count) {
  return static_cast<std::uint64_t>(count * static_cast<float>(1 << 30) + 0.5f);
}

// p(target word | source word) and p(source word | target word) of all cells and of NULL, with the expected counts that
// EM collects.
class TranslationTable {
 public:
  // Starts with uniform probabilities.
  TranslationTable(const Bitext& bitext, Cooccurrence& cooccurrence);

  struct Cell {
    std::uint64_t forward_count = 0, backward_count = 0;
    float forward = 0, backward = 0;  // p(target | source), p(source | target)
  };
  const Cell& cell(std::uint32_t at) const { return cells_[at]; }
  void prefetch(std::uint32_t at) const { __builtin_prefetch(&cells_[at], 1); }
  float null_forward(std::int32_t target) const { return null_forward_[target].probability; }
  float null_backward(std::int32_t source) const { return null_backward_[source].probability; }

  // Thread-safe. Counts that round to zero are skipped.
  void add(std::uint32_t at, float forward, float backward) {
    add_to(cells_[at].forward_count, forward);
    add_to(cells_[at].backward_count, backward);
  }
  void add_null_forward(std::int32_t target, float count) { add_to(null_forward_[target].count, count); }
  void add_null_backward(std::int32_t source, float count) { add_to(null_backward_[source].count, count); }

  // The M step: turns counts into probabilities and resets them. With `alpha` > 0 each distribution has a sparse
  // Dirichlet prior and gets its variational Bayes estimate, exp(ψ(count + α) - ψ(total + α·n)); with 0, relative
  // frequencies.
  void normalise(double alpha);
  // Drops cells whose probability is below `least` in both directions.
  void prune(float least);

  const Cooccurrence& cooccurrence() const { return cooccurrence_; }

 private:
  struct NullCell {
    std::uint64_t count = 0;
    float probability = 0;
  };
  static void add_to(std::uint64_t& count, float value) {
    const std::uint64_t fixed = to_fixed(value);
    if (fixed > 0) std::atomic_ref<std::uint64_t>(count).fetch_add(fixed, std::memory_order_relaxed);
  }

  Cooccurrence& cooccurrence_;
  std::vector<Cell> cells_;
  std::vector<NullCell> null_forward_, null_backward_;
};

// exp(ψ(x)), where ψ is the digamma function; x > 0.
double exp_digamma(double x);

}  // namespace dragoman::align
