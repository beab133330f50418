#pragma once

#include "align/position_model.h"
#include "align/symmetrise.h"

namespace dragoman::align {

// Both directions' posteriors of one pair.
struct PairPosteriors {
  PairMatrix forward;   // rows are target words, columns source words
  PairMatrix backward;  // rows are source words, columns target words

  // Geometric mean of what the two directions believe of a link.
  float both(int source, int target) const;
};

// How posteriors become links.
struct DecodingOptions {
  Symmetrisation symmetrise = Symmetrisation::product;
  double threshold = 0.3;

  template <class V>
  void visit(V& v) {
    v("symmetrise", symmetrise, "how the two directions become one alignment");
    v("threshold", threshold, "product: links whose mean posterior of both directions is at least this", between(0, 1));
  }
};

// Each row's likeliest column where it is likelier than NULL, as (row, column).
Links best_links(const PairMatrix& posteriors);

// Links as (source, target).
Links decode(const PairPosteriors& posteriors, const DecodingOptions& options);

}  // namespace dragoman::align
