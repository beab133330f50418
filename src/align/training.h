#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "align/decode.h"
#include "align/position_model.h"
#include "align/translation_table.h"

namespace dragoman::align {

// How the models are learned.
struct TrainingOptions {
  int model1 = 5, model2 = 0, hmm = 5;
  double null = 0.1;
  double alpha = 0;
  bool agree = true;
  double prune = 1e-6;

  template <class V>
  void visit(V& v) {
    v("model1", model1, "iterations of IBM Model 1", between(0, 1000));
    v("model2", model2, "iterations of Model 2 with a diagonal prior", between(0, 1000));
    v("hmm", hmm, "iterations of the HMM", between(0, 1000));
    v("null", null, "probability that a word has no partner", between(1e-6, 0.999999));
    v("alpha", alpha, "strength of the sparse prior on translations; 0: none", at_least(0));
    v("agree", agree, "let the two directions agree while the HMM learns: their posteriors are multiplied");
    v("prune", prune, "forget translations less likely than this both ways after the first model", between(0, 1));
  }
};

// What the two directions believe about positions.
struct Directions {
  std::unique_ptr<PositionModel> forward, backward;
};

// What one pass over the text found.
struct Iteration {
  PositionKind kind = PositionKind::model1;
  int number = 0;  // of this kind, from 1
  // Σ log p(target | source) and Σ log p(source | target) under the parameters before the pass.
  double forward = 0, backward = 0;
};

// What is learned from a text: table and position models, both ways.
class Trainer {
 public:
  // `bitext` and `cooccurrence` must outlive this.
  Trainer(const Bitext& bitext, Cooccurrence& cooccurrence, const TrainingOptions& options);

  // Runs all models' iterations; `watch` is told after each.
  void run(const std::function<void(const Iteration&, const Directions&)>& watch);

  const TranslationTable& table() const { return table_; }
  const Directions& directions() const { return directions_; }

 private:
  void start(PositionKind kind);
  Iteration step();

  const Bitext& bitext_;
  TrainingOptions options_;
  TranslationTable table_;
  Directions directions_;
};

// Multiplies the posteriors of the two directions place by place, into both; those of NULL stay.
void multiply_posteriors(PairMatrix& forward, PairMatrix& backward);

}  // namespace dragoman::align
