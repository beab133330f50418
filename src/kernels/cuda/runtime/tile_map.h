#pragma once

#include <cuda.h>

#include "kernels/contract.h"

namespace dragoman::kernels::cuda {

// How the copy engine of compute capability 9.0 is told where a matrix lies: rows of `cols` numbers, `stride` apart, of
// which it fetches tiles of 64 x 64 with their eights exchanged as matrix instructions read them. With groups, a tile
// has the same few rows of each of so many equal groups of rows.
CUtensorMap tile_map(const bf16* x, Size rows, Size cols, Size stride, unsigned groups = 1);

}  // namespace dragoman::kernels::cuda
