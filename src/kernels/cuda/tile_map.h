#pragma once

#include <cuda.h>

#include "kernels/contract.h"

namespace dragoman::kernels::cuda {

// How the copy engine of compute capability 9.0 is told where a matrix lies: rows of `cols` numbers, `stride` apart, of
// which it fetches tiles of 64 columns and `height` rows with their eights exchanged as matrix instructions read them.
CUtensorMap tile_map(const bf16* x, Size rows, Size cols, Size stride, unsigned height = 64);

}  // namespace dragoman::kernels::cuda
