#pragma once

#include "kernels/cuda/device.cuh"

namespace dragoman::kernels::cuda {

// Where each sentence's [nq, nk] matrix begins when they lie one after the other: one number a sentence, in scratch.
const std::int64_t* pair_starts(Size sentences, const std::int32_t* query_offsets, const std::int32_t* key_offsets);

}  // namespace dragoman::kernels::cuda
