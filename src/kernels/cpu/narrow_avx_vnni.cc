// For x86-64 CPUs with AVX2 and AVX-VNNI: int8 (VPDPBUSD on 256 bits).
#if defined(__x86_64__)
#include "kernels/cpu/narrow_avx2-inl.h"

namespace dragoman::kernels::cpu_filling {

const NarrowKernel kInt8AvxVnni = {
    .name = "AVX-VNNI", .group = 4, .row_set = 1, .unit = 4, .padding = 0, .flip = 0, .multiply = multiply<Int8>};

}  // namespace dragoman::kernels::cpu_filling
#endif
