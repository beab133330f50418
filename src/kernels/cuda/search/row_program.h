#pragma once

#include <cuda.h>

#include "kernels/contract.h"

// A fused kernel for row programs (kernels::RowProgram): one launch computes a whole step of beam search. In a step of
// a Transformer decoder no hypothesis depends on another, so each thread block cluster takes a few rows through the
// whole program, instruction by instruction, without waiting for other clusters.
namespace dragoman::kernels::cuda {

// A linear layer, optionally with relu. Its columns are divided among the blocks of a cluster in tiles of 64.
struct ProductPart {
  const bf16* bias;  // optional
  bf16* y;
  int depth, across;  // tiles
  bool relu;
};

// The residual connection and layer norm after a layer; the layer's result is the residual branch. y is null where
// there is no norm.
struct NormPart {
  const bf16 *x, *gain, *bias;
  bf16 *sum, *y;
  float *mean, *rstd;
  float epsilon;
};

// One layer, or the two layers of a feed-forward sublayer; up.y is null where there is only one. With two, each thread
// block multiplies its own columns of the first layer's result by the matching weights of the second layer, and the
// blocks exchange partial sums (split-K).
struct LayerPart {
  ProductPart up, product;
  NormPart norm;
};

// The keys of each sentence or hypothesis: key_offsets and key_rows of Attention.
struct KeyPart {
  const std::int32_t *offsets, *rows;
};

// Attention with heads of 64; each block computes one head.
struct AttentionPart {
  const bf16 *q, *k, *v;
  int q_stride, k_stride, v_stride;
  bool by_sentence;  // rows of a sentence share its keys; otherwise each row has its own keys
  bf16* out;
  float* log_sum;
  float scale;
};

struct Instruction {
  bool attends;
  bool shared;  // the next layer reads the result, so it is sent to all blocks
  union {
    LayerPart layer;
    AttentionPart attention;
  };
};

struct RowLaunch {
  static constexpr int kRows = 40;  // rows per cluster; 512 rows then run at the same time
  static constexpr int kMostAcross = 8, kMostInstructions = 48, kMostLayers = 64;
  static constexpr int kMostTiles = 4;  // tiles per block of the first layer of a feed-forward sublayer

  int rows, across, count;            // across: blocks per cluster, and tiles per row of shared results
  const bf16* x;                      // input of the first layer
  KeyPart keys, keys_of_sentences;    // per row, and per sentence; null where not used
  const std::int32_t* query_offsets;  // rows of each sentence
  int sentences;
  Instruction instructions[kMostInstructions];
  CUtensorMap weights[kMostLayers];  // in order of use
};

// Whether this GPU can run the kernel: compute capability 9.0.
bool runs_row_programs();
void run_row_program(const RowLaunch& program);

}  // namespace dragoman::kernels::cuda
