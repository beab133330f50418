#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/arguments/attention.h"
#include "kernels/arguments/products.h"
#include "kernels/cuda/runtime/alignment.h"
#include "kernels/cuda/runtime/gpus.h"

// Chooses the kernel that computes an attention: pure functions of shapes and of the GPU's limits, without CUDA calls.
// The launches in attention.cu and project_length.cu switch on the result.
namespace dragoman::kernels::cuda {

// Everything that the choice depends on.
struct AttentionShape {
  bool half = true;  // bf16
  Size sentences = 0, key_size = 0, value_size = 0;
  Size queries = 0, keys = 0;
  Size longest_queries = 0, longest = 0;
  bool causal = false, drops = false, positive_scale = true;
  bool vectors = true;  // q, k, v and out allow vector loads of eight: aligned, strides divisible by 8
  bool scattered_keys = false, values_are_keys = false, weights = false, independent_keys = false;
};

struct AttentionBackwardShape {
  AttentionShape forward;
  bool dout_vectors = true;      // dout allows vector loads of eight
  bool gradient_vectors = true;  // requested gradients (dq, dk, dv) allow vector stores of eight
  bool dq = true, dk_or_dv = true;
};

// The first kernel whose conditions hold is chosen. "n x 8" is a multiple of 8, including 0. All but the general
// kernels need bf16 and vectors, and cannot return the weights. Independent keys do not
// depend on the previous kernel.
//
//   kernel           head size           further conditions                               file
//   few_queries      64                  no dropout; one query per sentence, or not       attention_step.cu
//                                        causal, at most 8 queries and 128 keys
//   wgmma            64                  as tiles; no dropout, on average at least 128    attention_wgmma.cu
//                                        queries and keys, compute capability 9.0
//   tiles            64                  positive scale, keys not scattered, at most      attention_tensor.cu
//                                        65535 sentences
//   prefetch         n x 8, up to 512    independent keys, no dropout, one query per      attention_prefetch.cu
//                                        sentence, keys not scattered, at most
//                                        kPrefetchBytes
//   rows             n x 8, up to 512                                                     attention_rows.cu
//   general_vectors  n x 8, 8 to 2048    also f32, also with weights; vectors             attention.cu
//   general          any                 also f32, also with weights                      attention.cu
enum class AttentionKernel { few_queries, wgmma, tiles, prefetch, rows, general_vectors, general };

// The same for the gradients. All but the general kernels need bf16 and vectors, also for dout and the gradients.
//
//   kernel              head size           further conditions                            file
//   tiles               64                  positive scale, keys not scattered, at most   attention_tensor_back.cu
//                                           65535 sentences
//   prefetch            n x 8, up to 512    as forward; only dq requested                 attention_prefetch.cu
//   rows_and_wide_keys  n x 64, the larger  at least kWideKeysBytes of shared memory      attention_rows.cu (dq),
//                       128 to 512                                                        attention_wide.cu
//   rows                n x 8, up to 512                                                  attention_rows.cu
//   general_vectors     n x 8, 8 to 2048    also f32; vectors, including dout             attention.cu
//   general             any                 also f32                                      attention.cu
enum class AttentionBackwardKernel { tiles, prefetch, rows_and_wide_keys, rows, general_vectors, general };

// Head size of the kernels on tensor cores.
inline constexpr Size kTileHead = 64;
// The largest heads of kernels that hold a row in registers, and of blocks whose threads read eight numbers each.
inline constexpr Size kMostRow = 512, kMostEights = 2048;
inline constexpr Size kMostGridSentences = 65535;

// Shared memory of the prefetch kernels: the keys and values of one sentence and two floats per key. With this limit, a
// block fits on a multiprocessor together with a block of the previous kernel.
inline constexpr Size kPrefetchBytes = 100 << 10;
inline Size prefetch_bytes(Size key_size, Size value_size, bool values_are_keys, Size longest) {
  const Size numbers = key_size + (values_are_keys ? 0 : value_size);
  return longest * (numbers * Size{sizeof(bf16)} + 2 * Size{sizeof(float)});
}

// Shared memory of the key gradients of wide heads: four strips of 32 padded rows, and two padded tiles of 32 x 32 bf16
// with 64 floats.
inline constexpr Size kWideKeysRows = 32;
constexpr Size wide_keys_dynamic_bytes(Size size) { return 4 * kWideKeysRows * (size + 8) * Size{sizeof(bf16)}; }
inline constexpr Size kWideKeysBytes =
    wide_keys_dynamic_bytes(kMostRow) +
    2 * kWideKeysRows * (Size{sizeof(bf16)} * (kWideKeysRows + 8) + Size{sizeof(float)});

namespace choice {

inline bool has_heads_of_64(const AttentionShape& s) { return s.key_size == kTileHead && s.value_size == kTileHead; }

inline bool has_one_query_each(const AttentionShape& s) { return s.longest_queries == 1 && s.queries == s.sentences; }

inline bool fits_few_queries(const AttentionShape& s) {
  constexpr Size kFew = 8, kMostKeys = 128;  // beyond these, tensor cores are faster
  const bool one_each = s.longest_queries == 1 && s.queries >= s.sentences;
  return has_heads_of_64(s) && !s.drops &&
         (one_each || (!s.causal && s.longest_queries <= kFew && s.longest <= kMostKeys));
}

inline bool fits_tiles(const AttentionShape& s) {
  return has_heads_of_64(s) && s.positive_scale && !s.scattered_keys && s.sentences <= kMostGridSentences;
}

inline bool fits_wgmma(const AttentionShape& s, const GpuLimits& gpu) {
  constexpr Size kLong = 128;  // average sentence length from which it is faster
  return fits_tiles(s) && gpu.capability_90 && !s.drops && s.queries >= kLong * s.sentences &&
         s.keys >= kLong * s.sentences;
}

inline bool fits_rows(const AttentionShape& s) {
  return s.key_size % 8 == 0 && s.value_size % 8 == 0 && std::max(s.key_size, s.value_size) <= kMostRow;
}

inline bool fits_prefetch(const AttentionShape& s, const GpuLimits& gpu) {
  return fits_rows(s) && s.independent_keys && !s.drops && !s.scattered_keys && has_one_query_each(s) &&
         s.queries > 0 && prefetch_bytes(s.key_size, s.value_size, s.values_are_keys, s.longest) <= kPrefetchBytes &&
         gpu.shared_bytes >= kPrefetchBytes;
}

inline bool fits_general_vectors(const AttentionShape& s) {
  const auto fits = [](Size size) { return size > 0 && size % 8 == 0 && size <= kMostEights; };
  return s.vectors && fits(s.key_size) && fits(s.value_size);
}

inline bool fits_wide_keys(const AttentionShape& s, const GpuLimits& gpu) {
  const Size largest = std::max(s.key_size, s.value_size);
  const Size blocks = (s.longest + kWideKeysRows - 1) / kWideKeysRows;  // along z of the grid
  return s.key_size % kTileHead == 0 && s.value_size % kTileHead == 0 && largest > kTileHead && largest <= kMostRow &&
         blocks <= 65535 && gpu.shared_bytes >= kWideKeysBytes;
}

}  // namespace choice

inline AttentionKernel choose_attention(const AttentionShape& s, const GpuLimits& gpu) {
  if (s.half && s.vectors && !s.weights) {
    if (choice::fits_few_queries(s)) return AttentionKernel::few_queries;
    if (choice::fits_wgmma(s, gpu)) return AttentionKernel::wgmma;
    if (choice::fits_tiles(s)) return AttentionKernel::tiles;
    if (choice::fits_prefetch(s, gpu)) return AttentionKernel::prefetch;
    if (choice::fits_rows(s)) return AttentionKernel::rows;
  }
  return choice::fits_general_vectors(s) ? AttentionKernel::general_vectors : AttentionKernel::general;
}

inline AttentionBackwardKernel choose_attention_backward(const AttentionBackwardShape& b, const GpuLimits& gpu) {
  const AttentionShape& s = b.forward;
  if (s.half && s.vectors && b.dout_vectors && b.gradient_vectors) {
    if (choice::fits_tiles(s)) return AttentionBackwardKernel::tiles;
    if (choice::fits_prefetch(s, gpu) && b.dq && !b.dk_or_dv) return AttentionBackwardKernel::prefetch;
    if (choice::fits_rows(s))
      return choice::fits_wide_keys(s, gpu) ? AttentionBackwardKernel::rows_and_wide_keys
                                            : AttentionBackwardKernel::rows;
  }
  return choice::fits_general_vectors(s) && b.dout_vectors ? AttentionBackwardKernel::general_vectors
                                                           : AttentionBackwardKernel::general;
}

template <class T>
AttentionShape shape_of(const Attention<T>& a) {
  return {
      .half = std::is_same_v<T, bf16>,
      .sentences = a.sentences,
      .key_size = a.key_size,
      .value_size = a.value_size,
      .queries = a.queries,
      .keys = a.keys,
      .longest_queries = a.longest_queries,
      .longest = a.longest,
      .causal = a.causal,
      .drops = a.dropout.rate > 0,
      .positive_scale = a.scale > 0,
      .vectors = a.q_stride % 8 == 0 && a.k_stride % 8 == 0 && a.v_stride % 8 == 0 && aligned16(a.q, a.k, a.v, a.out),
      .scattered_keys = a.key_rows != nullptr,
      .values_are_keys = a.values_are_keys,
      .weights = a.weights != nullptr,
      .independent_keys = a.independent_keys};
}

template <class T>
AttentionBackwardShape shape_of(const AttentionBackward<T>& b) {
  const auto vectors = [](const T* x, Size stride) { return x == nullptr || (stride % 8 == 0 && aligned16(x)); };
  return {.forward = shape_of(b.forward),
          .dout_vectors = aligned16(b.dout),
          .gradient_vectors = vectors(b.dq, b.dq_stride) && vectors(b.dk, b.dk_stride) && vectors(b.dv, b.dv_stride),
          .dq = b.dq != nullptr,
          .dk_or_dv = b.dk != nullptr || b.dv != nullptr};
}

// Linformer's projections along the length (Wang et al. 2020). They use tensor cores in bf16 where rows consist of
// whole tiles of 64 columns and allow vector loads of eight.
enum class ProjectLengthKernel { tiles, general };

template <class T>
ProjectLengthKernel choose_project_length(const ProjectLength<T>& a) {
  const bool fits = std::is_same_v<T, bf16> && a.size % kTileHead == 0 && a.length % 8 == 0 && a.x_stride % 8 == 0 &&
                    aligned16(a.x, a.y[0], a.y[1], a.projections[0], a.projections[1]);
  return fits ? ProjectLengthKernel::tiles : ProjectLengthKernel::general;
}

template <class T>
ProjectLengthKernel choose_project_length(const ProjectLengthBackward<T>& b) {
  const bool fits =
      aligned16(b.dy[0], b.dy[1], b.dx) && b.dx_stride % 8 == 0 && (b.dy[0] != nullptr || b.dy[1] != nullptr);
  return fits ? choose_project_length(b.forward) : ProjectLengthKernel::general;
}

}  // namespace dragoman::kernels::cuda
