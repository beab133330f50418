#pragma once

#include <cuda.h>

#include "kernels/contract.h"

namespace dragoman::kernels::cuda {

// The TMA descriptor of a matrix (compute capability 9.0): rows of `cols` numbers, `stride` apart, fetched in tiles of
// 64 x 64 with the 128-byte swizzle that wgmma reads. The rows may consist of `groups` equal groups; a tile then has
// the same 64 / groups rows of each group.
CUtensorMap tile_map(const bf16* x, Size rows, Size cols, Size stride, unsigned groups = 1);

}  // namespace dragoman::kernels::cuda
