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
  for (const char* core : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"})
    EXPECT_EQ(better_core(core), "") << core;
#if defined(__x86_64__)
  const std::string better = better_core("Prescott");
  EXPECT_EQ(!better.empty(), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(better_core(better.empty() ? "Haswell" : better), "");
#else
  EXPECT_EQ(better_core("Prescott"), "");
#endif
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::test
