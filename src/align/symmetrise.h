#pragma once

#include "align/alignment.h"
#include "base/options.h"

namespace dragoman::align {

// How the links of two directed models become one alignment (Koehn, Och, Marcu: "Statistical Phrase-Based
// Translation", 2003). `forward` and `backward` take one model as it is; `product` multiplies posteriors, for which see
// decode.h.
enum class Symmetrisation {
  forward,
  backward,
  intersection,
  unite,
  grow_diag,
  grow_diag_final,
  grow_diag_final_and,
  product
};

// `forward` are the links of the model in which target words choose source words, `backward` those of the other one,
// both as (source, target). Growing starts from the intersection and adds links of the union that touch an accepted one
// (diagonally too) and give a word its first link; "final" then adds links that give a word its first one wherever they
// stand, "final and" only those that do so for both of their words. `product` is refused: links say too little for it.
Links symmetrise(const Links& forward, const Links& backward, Symmetrisation method);

}  // namespace dragoman::align

template <>
struct dragoman::EnumNames<dragoman::align::Symmetrisation> {
  using Symmetrisation = dragoman::align::Symmetrisation;
  static constexpr std::pair<Symmetrisation, const char*> list[] = {
      {Symmetrisation::forward, "forward"},
      {Symmetrisation::backward, "backward"},
      {Symmetrisation::intersection, "intersection"},
      {Symmetrisation::unite, "union"},
      {Symmetrisation::grow_diag, "grow-diag"},
      {Symmetrisation::grow_diag_final, "grow-diag-final"},
      {Symmetrisation::grow_diag_final_and, "grow-diag-final-and"},
      {Symmetrisation::product, "product"}};
};
