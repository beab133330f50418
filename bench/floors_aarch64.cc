#if defined(__aarch64__)
#include <sys/auxv.h>

#include "bench/floors.h"

#define DRAGOMAN_FMLA(n) "fmla v" n ".4s, v30.4s, v31.4s\n"
#define DRAGOMAN_BFMMLA(n) "bfmmla v" n ".4s, v30.8h, v31.8h\n"
#define DRAGOMAN_SDOT(n) "sdot v" n ".4s, v30.16b, v31.16b\n"
#define DRAGOMAN_SMMLA(n) "smmla v" n ".4s, v30.16b, v31.16b\n"
#define DRAGOMAN_LOOP(one)                                                                                          \
  for (std::int64_t i = 0; i < repetitions; ++i)                                                                    \
  asm volatile(DRAGOMAN_SIXTEEN(one)::                                                                              \
                   : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", \
                     "v15")

namespace dragoman::bench {

std::vector<Instruction> instructions() {
  // Bits of the kernel's interface, named here because older headers lack them.
  constexpr unsigned long kDotProduct = 1UL << 20, kInt8Matrix = 1UL << 13, kBf16Matrix = 1UL << 14;
  const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  using Count = std::int64_t;
  return {
      {"f32 (fmla)", 16 * 4, true, [](Count repetitions) { DRAGOMAN_LOOP(DRAGOMAN_FMLA); }},
      {"bf16 (bfmmla)", 16 * 16, (second & kBf16Matrix) != 0,
       [](Count repetitions) { DRAGOMAN_LOOP(DRAGOMAN_BFMMLA); }},
      {"int8 (sdot)", 16 * 16, (first & kDotProduct) != 0, [](Count repetitions) { DRAGOMAN_LOOP(DRAGOMAN_SDOT); }},
      {"int8 (smmla)", 16 * 32, (second & kInt8Matrix) != 0, [](Count repetitions) { DRAGOMAN_LOOP(DRAGOMAN_SMMLA); }}};
}

}  // namespace dragoman::bench
#endif
