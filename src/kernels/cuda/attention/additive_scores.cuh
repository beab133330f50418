#pragma once

#include "kernels/contract.h"

namespace dragoman::kernels::cuda {

// The offset of each sentence's [queries, keys] matrix when the matrices are stored contiguously; in scratch memory.
const std::int64_t* pair_starts(Size sentences, const std::int32_t* query_offsets, const std::int32_t* key_offsets);

template <class T>
void fill_additive_scores(Kernels<T>& kernels);

}  // namespace dragoman::kernels::cuda
