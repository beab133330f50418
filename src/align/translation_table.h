#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "align/cooccurrence.h"

namespace dragoman::align {

// Expected counts as whole numbers of 2^-30: their sum does not depend on the order of the terms, so any number of
// threads gives the same one.
constexpr double kCountUnit = 1.0 / (1 << 30);
inline std::uint64_t to_fixed(float count) {
  return static_cast<std::uint64_t>(count * static_cast<float>(1 << 30) + 0.5f);
}

// p(target word | source word) and p(source word | target word) of all cells, and of NULL, with the counts that
// learning collects.
class TranslationTable {
 public:
  // Every word is as likely as any other.
  TranslationTable(const Bitext& bitext, Cooccurrence& cooccurrence);

  struct Cell {
    std::uint64_t forward_count = 0, backward_count = 0;
    float forward = 0, backward = 0;  // p(target | source), p(source | target)
  };
  const Cell& cell(std::uint32_t at) const { return cells_[at]; }
  void prefetch(std::uint32_t at) const { __builtin_prefetch(&cells_[at], 1); }
  float null_forward(std::int32_t target) const { return null_forward_[target].probability; }
  float null_backward(std::int32_t source) const { return null_backward_[source].probability; }

  // Safe from several threads. Counts that round to nothing cost nothing.
  void add(std::uint32_t at, float forward, float backward) {
    add_to(cells_[at].forward_count, forward);
    add_to(cells_[at].backward_count, backward);
  }
  void add_null_forward(std::int32_t target, float count) { add_to(null_forward_[target].count, count); }
  void add_null_backward(std::int32_t source, float count) { add_to(null_backward_[source].count, count); }

  // The M step: counts become probabilities and start again at zero. With `alpha` > 0 each distribution has a sparse
  // Dirichlet prior and takes its variational estimate, exp(ψ(count + α) - ψ(total + α·n)); 0 divides counts by totals.
  void normalise(double alpha);
  // Forgets cells whose probability is below `least` both ways.
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

// exp(ψ(x)), ψ the digamma function; x > 0.
double exp_digamma(double x);

}  // namespace dragoman::align
