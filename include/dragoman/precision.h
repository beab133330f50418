#pragma once

namespace dragoman {

// The number format of a computation. `automatic` is bf16 on a GPU and f32 on the CPU.
//   f32    everywhere
//   tf32   on a GPU: f32 with TF32 matrix products (10 bits of mantissa)
//   bf16   on a GPU: everything, with sums in f32; on the CPU: both factors of matrix products (in training, of linear
//          layers)
//   int8   on the CPU, for inference only: both factors of matrix products, with a scale per row and column; sums are
//   exact
enum class Precision { automatic, f32, tf32, bf16, int8 };

}  // namespace dragoman
