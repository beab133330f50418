#include "kernels/cpu/blas.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace dragoman::kernels::cpu_filling::test {
namespace {

TEST(Blas, UsesTheInstructionsOfThisCpu) {
  if (std::getenv("OPENBLAS_CORETYPE")) GTEST_SKIP() << "OPENBLAS_CORETYPE names a core";
  EXPECT_EQ(better_core(blas().get_corename()), "");
}

TEST(Blas, IsToldACoreOnlyIfItKnowsNoBetter) {
  for (const char* core : {"SkylakeX", "Cooperlake", "SapphireRapids"}) EXPECT_EQ(better_core(core), "") << core;
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  for (const char* core : {"Haswell", "Zen", "Excavator"})
    EXPECT_EQ(better_core(core), avx512 ? "SkylakeX" : "") << core;
  EXPECT_EQ(better_core("Prescott"), avx512 ? "SkylakeX" : avx2 ? "Haswell" : "");
#else
  EXPECT_EQ(better_core("Prescott"), "");
#endif
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::test
