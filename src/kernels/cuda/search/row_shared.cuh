#pragma once

#include "kernels/cuda/products/wgmma.cuh"
#include "kernels/cuda/runtime/cluster.cuh"
#include "kernels/cuda/search/row_program.h"

// Parts of the row program kernel: the shared memory of a block, the producer thread that prefetches weights into it
// (TMA), and the products of weights and rows (wgmma).
namespace dragoman::kernels::cuda::row_programs {

inline constexpr int kRows = RowLaunch::kRows, kEights = kTile / 8;
// One worker thread per eight columns of a tile of rows, and one warp for the producer thread.
inline constexpr int kWorkers = kRows * kEights, kThreads = kWorkers + kWarp;
inline constexpr int kGroups = 2, kMultiply = kGroups * kGroup;  // warp groups that multiply, one tile each
inline constexpr int kStages = 4;  // of the ring buffer of weights, one pair of tiles each
inline constexpr int kParts = kRows / 8;

using RowTile = WideRows<kRows>;

// A stage of the ring buffer: two weight tiles, consecutive in the depth of a product, that share an mbarrier.
struct Pair {
  WideTile tiles[2];
};

// The key range [first, end) of each row, and the rows in k and v of each warp's first 32 keys.
struct KeysOfRows {
  int first[kRows], end[kRows], key_rows[kWorkers];
};

struct Shared {
  Pair weights[kStages];
  RowTile rows[3][RowLaunch::kMostAcross];
  RowTile staging[RowLaunch::kMostTiles];         // results on their way between threads of the block
  float2 moments[RowLaunch::kMostAcross][kRows];  // per block: mean and sum of squared deviations of its columns
  int sentences[kRows];
  KeysOfRows keys, keys_of_sentences;
  Instruction program[RowLaunch::kMostInstructions];
  Barrier full[kStages], empty[kStages];
  Arrivals arrivals[2], statistics;

  __device__ void init() {
    for (Barrier& barrier : full) barrier.init(1);
    for (Barrier& barrier : empty) barrier.init(kGroup / kWarp);
    for (Arrivals& one : arrivals) one.begin();
    statistics.begin();
    fence_barrier_init();
  }
};

// The stage of the n-th pair of weight tiles, and the parity of its mbarrier phase.
struct Stage {
  unsigned stage, parity;

  __device__ explicit Stage(unsigned n) : stage(n % kStages), parity(n / kStages % 2) {}
};

// The producer thread: prefetches the weights of all layers in order of use.
class Producer {
 public:
  __device__ Producer(const RowLaunch& program, Shared& shared, int rank)
      : program_(program), shared_(shared), rank_(rank) {}

  __device__ void work() {
    const CUtensorMap* weights = program_.weights;
    for (int i = 0; i < program_.count; ++i) {
      if (shared_.program[i].attends) continue;
      const auto& [up, product, norm] = shared_.program[i].layer;
      if (up.y != nullptr) fetch_own_tiles(*weights++, up);
      if (up.y != nullptr)
        fetch_parts(*weights++, up.across / program_.across);
      else
        fetch_own_tiles(*weights++, product);
    }
  }

 private:
  // Fetches the weights of the block's own tiles of columns: every n-th tile, for n blocks.
  __device__ void fetch_own_tiles(const CUtensorMap& weights, const ProductPart& p) {
    for (int t = rank_; t < p.across; t += kGroups * program_.across)
      for (int k = 0; k < p.depth; k += 2)
        for (int own = t; own < p.across && own < t + kGroups * program_.across; own += program_.across)
          fetch(weights, own, k, k + 1);
  }
  // Fetches, for all tiles of columns, the weights that multiply the block's own `tiles` tiles of the depth.
  __device__ void fetch_parts(const CUtensorMap& weights, int tiles) {
    for (int i = 0; i < program_.across; i += kGroups)
      for (int k = 0; k < tiles; k += 2)
        for (int g = 0; g < kGroups; ++g)
          fetch(weights, (rank_ + i + g) % program_.across, rank_ + k * program_.across,
                rank_ + (k + 1) * program_.across);
  }
  __device__ void fetch(const CUtensorMap& weights, int tile, int depth0, int depth1) {
    const Stage at(fetched_++);
    shared_.empty[at.stage].wait(at.parity ^ 1);
    shared_.full[at.stage].arrive_and_expect(sizeof(Pair));
    shared_.full[at.stage].copy(shared_.weights[at.stage].tiles[0], weights, depth0 * kTile, tile * kTile);
    shared_.full[at.stage].copy(shared_.weights[at.stage].tiles[1], weights, depth1 * kTile, tile * kTile);
  }

  const RowLaunch& program_;
  Shared& shared_;
  const int rank_;
  unsigned fetched_ = 0;
};

// The accumulators of a tile of 64 columns in the register layout of wgmma: in warp w of the group, part[n][e] of a
// lane is column 16 w + lane / 4 + 8 (e / 2) of row 8 n + lane % 4 * 2 + e % 2.
struct Sums {
  float part[kParts][4];

  // Starts sum += weights * rows for a depth of 16, or sum = weights * rows without `add`. The operands are the lower
  // halves of wgmma matrix descriptors.
  __device__ void begin_product(std::uint32_t weights, std::uint32_t rows, bool add) {
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        ".reg .b64 left, right;\n"
        "setp.ne.b32 add, %22, 0;\n"
        "mov.b64 left, {%20, %23};\n"
        "mov.b64 right, {%21, %23};\n"
        "wgmma.mma_async.sync.aligned.m64n40k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
        "%13, %14, %15, %16, %17, %18, %19}, left, right, add, 1, 1, 0, 0;\n"
        "}"
        : "+f"(part[0][0]), "+f"(part[0][1]), "+f"(part[0][2]), "+f"(part[0][3]), "+f"(part[1][0]), "+f"(part[1][1]),
          "+f"(part[1][2]), "+f"(part[1][3]), "+f"(part[2][0]), "+f"(part[2][1]), "+f"(part[2][2]), "+f"(part[2][3]),
          "+f"(part[3][0]), "+f"(part[3][1]), "+f"(part[3][2]), "+f"(part[3][3]), "+f"(part[4][0]), "+f"(part[4][1]),
          "+f"(part[4][2]), "+f"(part[4][3])
        : "r"(weights), "r"(rows), "r"(add ? 1 : 0), "n"(kUpperDescriptor));
  }
  // See fence_operands() in wgmma.cuh.
  __device__ void fence_operands() {
#pragma unroll
    for (auto& one : part)
#pragma unroll
      for (float& value : one) asm volatile("" : "+f"(value)::"memory");
  }
};

}  // namespace dragoman::kernels::cuda::row_programs
