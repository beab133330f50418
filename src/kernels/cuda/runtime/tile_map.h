#pragma once

#include <cuda.h>

#include "kernels/contract.h"

namespace dragoman::kernels::cuda {

// The TMA descriptor (tensor map) of a matrix with rows of `cols` numbers, `stride` apart, that is copied in tiles of
// 64 x 64 with the 128-byte swizzle of wgmma (compute capability 9.0). The rows may be divided into `groups` equal
// groups; a tile then has the same 64 / groups rows of each group.
CUtensorMap tile_map(const bf16* x, Size rows, Size cols, Size stride, unsigned groups = 1);

}  // namespace dragoman::kernels::cuda
