#pragma once

#include <cstdint>

// Products of numbers in f32 by tiles of bf16. A number in f32 is the sum of three in bf16: it rounded to bf16, the
// rest rounded, and what is left, which is exact. Of the nine products of parts the six largest are computed; the
// others are below the rounding errors of a product in f32. Sums are in f32.
//
// An operand consists of sets of kSplitLines lines (rows of the left operand, columns of the right one). A set is
// [chunk of k][part][16 rows of 64 bytes]: of the left operand, a row holds 32 values of one line; of the right
// operand, it holds two values of each line. Lines and values that are missing are zero.
//
// This header is included by a file that is compiled for one CPU alone, so it contains no code.
namespace dragoman::kernels::cpu_filling {

constexpr std::int64_t kSplitLines = 16, kSplitDepth = 32, kSplitParts = 3;
constexpr std::int64_t kSplitTile = 1024, kSplitChunk = kSplitParts * kSplitTile;  // bytes

// Memory that is prefetched into the L2 cache: rows of `row_bytes` bytes.
struct SplitFetch {
  const char* at = nullptr;
  std::int64_t rows = 0, row_bytes = 0, stride = 0;
};

// All rows times two sets of columns.
struct SplitStripe {
  std::int64_t rows = 0, cols = 0, chunks = 0;  // at most 32 columns
  const char* a = nullptr;                      // an even number of sets
  const char* b = nullptr;                      // two sets
  bool add = false;                             // to c
  float* c = nullptr;
  std::int64_t c_stride = 0;
  SplitFetch next = {};
};

using SplitKernel = void (*)(const SplitStripe& stripe);
void multiply_split_amx(const SplitStripe& stripe);
// The kernel that this CPU has; null if none.
SplitKernel split_kernel();

}  // namespace dragoman::kernels::cpu_filling
