// For x86-64 CPUs with AVX2 and AVX-VNNI: int8 (VPDPBUSD on 256 bits).
#if defined(__x86_64__)
#include "kernels/cpu/narrow_avx2-inl.h"

namespace dragoman::kernels::cpu_filling {

const NarrowKernel kInt8AvxVnni = {"AVX-VNNI", 4, 1, 4, 0, 0, multiply<Int8>};

}  // namespace dragoman::kernels::cpu_filling
#endif
