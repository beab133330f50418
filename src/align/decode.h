#pragma once

#include "align/position_model.h"
#include "align/symmetrise.h"

namespace dragoman::align {

// The posteriors of one sentence pair in both directions.
struct PairPosteriors {
  PairMatrix forward;   // [target words, source words]
  PairMatrix backward;  // [source words, target words]

  // Geometric mean of a link's two posteriors.
  float both(int source, int target) const;
};

// How links are chosen from posteriors.
struct DecodingOptions {
  Symmetrisation symmetrise = Symmetrisation::product;
  double threshold = 0.3;

  template <class V>
  void visit(V& v) {
    v("symmetrise", symmetrise, "how to combine the two directions into one alignment");
    v("threshold", threshold, "product: minimum geometric mean of a link's two posteriors", between(0, 1));
    v.only_if(
        "threshold", [this] { return symmetrise == Symmetrisation::product; }, "only symmetrise product uses it");
  }
};

// The most probable column of each row, unless NULL is more probable, as (row, column).
Links best_links(const PairMatrix& posteriors);

// Links as (source, target).
Links decode(const PairPosteriors& posteriors, const DecodingOptions& options);

}  // namespace dragoman::align
