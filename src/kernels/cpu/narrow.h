#pragma once

#include <cstdint>

// Matrix products in narrow number formats: int8 with sums in int32, for inference, and bf16 with sums in f32.
//
// int8: weights are rounded to 127 steps of a scale per column, activations to 127 steps of a scale per row. The sum of
// products is exact, so that every kernel gives the same bits on every CPU: y = bias + sum * (row scale * column
// scale). bf16: weights and activations are rounded to bf16; a sum is rounded in an order that depends on the kernel
// but not on the number of rows and threads.
//
// One layout fits all instructions that multiply several values of k at a time. `group` is the number of bytes of one
// column that an instruction reads: 4 or 8. The right operand consists of panels of kNarrowCols columns, each
// [groups of k][column][group bytes]. The left operand consists of sets of `row_set` rows, each
// [groups of k][row][group bytes]. k is padded with zeros.
//
// This header is included by files that are compiled for one CPU alone, so it contains no code.
namespace dragoman::kernels::cpu_filling {

constexpr std::int64_t kNarrowCols = 16;

// A block of the result: all rows times whole panels.
struct NarrowBlock {
  std::int64_t rows = 0, cols = 0, groups = 0;
  const char* a = nullptr;            // sets of rows
  std::int64_t row_stride = 0;        // bytes of a row of `a`, with padding
  const char* b = nullptr;            // panels
  const float* row_scales = nullptr;  // int8: [rows]
  const float* col_scales = nullptr;  // int8: [cols]
  const float* start = nullptr;       // optional, what the products are added to: [cols], or [rows, cols] with a stride
  std::int64_t start_stride = 0;
  float* c = nullptr;
  std::int64_t c_stride = 0;
};

struct NarrowKernel {
  const char* name;
  int group;    // bytes
  int row_set;  // rows
  int unit;     // the bytes of a row are padded to a multiple of this
  int padding;  // bytes after each row, so that rows do not share few sets of the cache; 0 if row_set is not 1
  int flip;     // the bytes of the left operand are XORed with this, if row_set is 1; 0x80 makes int8 unsigned
  void (*multiply)(const NarrowBlock& block);
  bool emulated = false;  // the CPU has no such instruction; products take longer than in f32
};

// The kernels of each CPU feature (narrow_*.cc); narrow_weights.h chooses among them.
extern const NarrowKernel kInt8Portable, kBf16Portable;
#if defined(__aarch64__)
extern const NarrowKernel kInt8Dot, kInt8Matrix, kBf16Matrix;
#endif
#if defined(__x86_64__) || defined(DRAGOMAN_EMULATED_AMX)
constexpr std::int64_t kFewRows = 4;
// int8 by AVX-512 VNNI, for at most kFewRows rows; the left operand is signed, as kInt8Amx takes it.
void multiply_few_rows_avx512(const NarrowBlock& block);
extern const NarrowKernel kInt8Amx, kInt8Avx512, kInt8AvxVnni, kInt8Avx2;
extern const NarrowKernel kBf16Amx, kBf16Avx512, kBf16Avx2;
#endif

}  // namespace dragoman::kernels::cpu_filling
