#pragma once

// Chooses the instruction sets that the bodies are compiled for. Every source of this folder includes it before
// Highway. Scalable vectors (SVE) are disabled: register tiles are arrays of vectors, which sizeless types do not
// allow, and CPUs with SVE reach the same throughput per cycle with NEON.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
