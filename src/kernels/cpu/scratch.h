#pragma once

#include "kernels/types.h"

namespace dragoman::kernels::cpu_filling {

// A kernel with parallel work uses at most two buffers: one that the caller prepares for all threads, and one private
// to each piece of the work. They differ because the calling thread takes pieces, too.
enum class Scratch { shared, piece };

// Thread-local memory for `count` floats, aligned to a cache line, with undefined contents. It is kept and only grows,
// so kernels stop allocating once sizes have settled.
float* scratch(Scratch which, Size count);

}  // namespace dragoman::kernels::cpu_filling
