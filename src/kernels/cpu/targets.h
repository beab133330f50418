#pragma once

// Included before Highway by every source of this folder: which instruction sets the bodies are compiled for.
// Scalable vectors (SVE) are left out: register tiles are arrays of vectors, which sizeless types cannot form, and
// the CPUs that have them run the 128-bit set at the same width per cycle.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
