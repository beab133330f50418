#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "align/decode.h"
#include "align/position_model.h"
#include "align/translation_table.h"

namespace dragoman::align {

// Settings of EM training.
struct EmOptions {
  int model1 = 5, model2 = 0, hmm = 5;
  double null = 0.1;
  double alpha = 0;
  bool agree = true;
  double prune = 1e-6;

  template <class V>
  void visit(V& v) {
    v("model1", model1, "iterations of IBM Model 1", between(0, 1000));
    v("model2", model2, "iterations of IBM Model 2 with a diagonal prior (fast_align)", between(0, 1000));
    v("hmm", hmm, "iterations of the HMM alignment model", between(0, 1000));
    v("null", null, "probability that a word is aligned to NULL", between(1e-6, 0.999999));
    v("alpha", alpha, "Dirichlet prior on translation probabilities (variational Bayes); 0 means maximum likelihood",
      at_least(0));
    v("agree", agree, "train both directions of the HMM to agree (multiply their posteriors)");
    v("prune", prune, "after the first model, drop word translations below this probability in both directions",
      between(0, 1));
  }
};

// The position models of both directions.
struct Directions {
  std::unique_ptr<PositionModel> forward, backward;
};

// The result of one EM iteration.
struct Iteration {
  AlignmentKind kind = AlignmentKind::model1;
  int number = 0;  // of this model, from 1
  // Σ log p(target | source) and Σ log p(source | target) under the parameters before the iteration.
  double forward = 0, backward = 0;
};

// Trains translation tables and position models in both directions by expectation maximisation (Brown et al. 1993).
class EmTraining {
 public:
  // `bitext` and `cooccurrence` must outlive this object.
  EmTraining(const Bitext& bitext, Cooccurrence& cooccurrence, const EmOptions& options);

  // Runs the iterations of all models and calls `watch` after each.
  void run(const std::function<void(const Iteration&, const Directions&)>& watch);

  const TranslationTable& table() const { return table_; }
  const Directions& directions() const { return directions_; }

 private:
  void start(AlignmentKind kind);
  Iteration step();

  const Bitext& bitext_;
  EmOptions options_;
  TranslationTable table_;
  Directions directions_;
};

// Multiplies the posteriors of the two directions elementwise and stores the product in both (Liang, Taskar, Klein:
// "Alignment by Agreement", NAACL 2006). NULL posteriors stay as they are.
void multiply_posteriors(PairMatrix& forward, PairMatrix& backward);

}  // namespace dragoman::align
