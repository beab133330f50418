#pragma once

#include "nn/layers.h"

namespace dragoman::nn {

// A layer of simpler simple recurrent units (SSRU, Kim et al. 2019), which takes the place of self-attention in a
// decoder. Its only matrix product reads the input, so a whole sentence is multiplied at once; what remains of the
// recurrence is arithmetic on single columns.
class Ssru {
 public:
  Ssru() = default;
  Ssru(Parameters& list, const std::string& name, Size size) : gates_(list, name, size, 2 * size) {}

  // Appends rows to sentences whose states so far are `state`, and updates these.
  Tensor operator()(RowProgram& program, const Tensor& x, const Segments& rows, Tensor& state) const {
    const Tensor gates = gates_(program, x);
    const SsruOutput out = ssru(program.run(), gates, state, rows);
    state = out.last;
    return out.h;
  }

 private:
  Linear gates_;  // forget gates, then candidates
};

}  // namespace dragoman::nn
