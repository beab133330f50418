#pragma once

#include <cuda.h>

#include "kernels/contract.h"

// A step of search in one launch. What a Transformer's decoder does to a hypothesis concerns no other: layers, norms
// and attention to keys of its own go row by row. So some rows are taken through all of it, one instruction after the
// other, by blocks that share them, while others take other rows.
namespace dragoman::kernels::cuda {

// A layer of no activation or relu; its columns in tiles of 64 are dealt out to the blocks.
struct ProductPart {
  const bf16* bias;  // optional
  bf16* y;
  int depth, across;  // tiles
  bool relu;
};

// The norm that the layer's result is the branch of; y is null where there is none.
struct NormPart {
  const bf16 *x, *gain, *bias;
  bf16 *sum, *y;
  float *mean, *rstd;
  float epsilon;
};

// Where the layer has another one before it, each block uses up what it has of that one's result, and parts of sums go
// from block to block; up.y is null where there is none.
struct LayerPart {
  ProductPart up, product;
  NormPart norm;
};

// Which keys there are, as in Attention.
struct KeyPart {
  const std::int32_t *offsets, *rows;
};

// A block has one head of 64.
struct AttentionPart {
  const bf16 *q, *k, *v;
  int q_stride, k_stride, v_stride;
  bool by_sentence;  // otherwise each row has keys of its own
  bf16* out;
  float* log_sum;
  float scale;
};

struct Instruction {
  bool attends;
  bool shared;  // the next layer reads the result: all blocks get all of it
  union {
    LayerPart layer;
    AttentionPart attention;
  };
};

struct RowLaunch {
  static constexpr int kRows = 40;  // of a cluster of blocks: with so many, 512 rows are underway at once
  static constexpr int kMostAcross = 8, kMostInstructions = 48, kMostLayers = 64;
  static constexpr int kMostTiles = 4;  // that a block has of the layer before another one

  int rows, across, count;            // across: blocks that share rows, and tiles of what they share
  const bf16* x;                      // what the first layer reads
  KeyPart keys, keys_of_sentences;    // null where nothing attends to such
  const std::int32_t* query_offsets;  // of the sentences that rows belong to
  int sentences;
  Instruction instructions[kMostInstructions];
  CUtensorMap weights[kMostLayers];  // in the order in which they are used
};

// Whether this GPU runs such programs: compute capability 9.0.
bool runs_row_programs();
void run_row_program(const RowLaunch& program);

}  // namespace dragoman::kernels::cuda
