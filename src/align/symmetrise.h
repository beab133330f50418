#pragma once

#include "align/alignment.h"
#include "base/options.h"

namespace dragoman::align {

// How the links of two directed models are combined into one alignment (Och, Ney 2003; Koehn, Och, Marcu: "Statistical
// Phrase-Based Translation", 2003). `forward` and `backward` use one model alone; `product` multiplies posteriors (see
// decode.h).
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

// `forward` are the links of the model that aligns each target word to a source word, `backward` those of the reverse
// model, both as (source, target). grow_diag starts from the intersection and adds links of the union that neighbour an
// accepted link, also diagonally, and have an unaligned word. "final" then adds the remaining links with an unaligned
// word on either side, "final and" only those with unaligned words on both sides. Refuses `product`, which needs
// posteriors.
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
