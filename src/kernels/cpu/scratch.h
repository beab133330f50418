#pragma once

#include "kernels/types.h"

namespace dragoman::kernels::cpu_filling {

// A kernel that splits its work holds at most two buffers: one that the caller prepares for all threads, and one that
// each piece of the work uses alone. (The caller's thread takes pieces too, hence two.)
enum class Scratch { shared, piece };

// Memory of the calling thread for `count` floats, on a cache line's border, with undefined contents. It is kept and
// only grows, so kernels allocate nothing once sizes have settled.
float* scratch(Scratch which, Size count);

}  // namespace dragoman::kernels::cpu_filling
