#pragma once

namespace dragoman {

// The number format a GPU computes in: f32, f32 with TF32 matrix products (10 bits of mantissa), or bf16 with weights
// and sums in f32. `automatic` is bf16 on a GPU and f32 on the host, which computes in f32 only.
enum class Precision { automatic, f32, tf32, bf16 };

}  // namespace dragoman
