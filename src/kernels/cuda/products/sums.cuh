#pragma once

#include <algorithm>
#include <array>

#include "kernels/cuda/products/tiles.cuh"
#include "kernels/cuda/runtime/cluster.cuh"
#include "kernels/cuda/runtime/dependent_launch.cuh"

// The sum of one or two small matrix products in one launch, in bf16 on tensor cores, for sizes where a call of
// cuBLASLt would take longer. A block computes a 64 x 64 tile and applies the epilogue (an End) to it. Where there are
// few tiles, the blocks of a cluster divide the depth of a tile (split-K), exchange partial sums through distributed
// shared memory, and each apply the epilogue to some of the rows.
namespace dragoman::kernels::cuda::sums {

// One product: x W^T with W [cols, size] or, where End::kBack, x W with W [size, cols]. It contributes nothing to rows
// of the sum beyond those of x.
struct Term {
  const bf16 *x = nullptr, *weight = nullptr;
  Size x_stride = 0, weight_stride = 0;
  int rows = 0, size = 0;
};

struct Work {
  int rows = 0, cols = 0;
  std::array<Term, 2> terms{};
  int independent = 0;   // the first `independent` terms do not depend on the previous kernel
  bool swapped = false;  // the caller's terms were swapped; with kSeparate, End gets the sums in the caller's order
};

// ---- vectors of four ---------------------------------------------------------------------------------------------

struct Four {
  float values[4];

  __device__ float& operator[](int i) { return values[i]; }
  __device__ float operator[](int i) const { return values[i]; }
  __device__ void operator+=(const Four& other) {
#pragma unroll
    for (int i = 0; i < 4; ++i) values[i] += other[i];
  }
};

// Four numbers as stored in memory: a load can be in flight until they are converted.
struct Raw4 {
  uint2 raw{};

  __device__ operator Four() const { return {{low_bf16(raw.x), high_bf16(raw.x), low_bf16(raw.y), high_bf16(raw.y)}}; }
};
// Loads zeros where the pointer is null.
__device__ inline Raw4 load4(const bf16* from) {
  return {from != nullptr ? *reinterpret_cast<const uint2*>(from) : uint2{}};
}
__device__ inline Four load4(const float* from) {
  const float4 value = *reinterpret_cast<const float4*>(from);
  return {{value.x, value.y, value.z, value.w}};
}
__device__ inline void store4(bf16* to, const Four& x) {
  *reinterpret_cast<uint2*>(to) = make_uint2(pack_bf16(x[0], x[1]), pack_bf16(x[2], x[3]));
}

// An End is the epilogue of a sum. It defines
//   kBack                the layout of the weights (see Term);
//   kIndependentWeights  the weights do not depend on the previous kernel and can be prefetched while it drains;
//   kGroups              the number of column groups, such as the four gates of an LSTM cell; a tile holds the same
//                        columns of every group;
//   kSeparate            the sums of the two terms are passed separately;
// and two functions for every four columns (of each group): load_operands(row, col) starts loading the other operands
// of the epilogue, and finish(row, col, operands, sums) computes and stores the result.
template <int kGroups, bool kSeparate>
using Sums = Four[kSeparate ? 2 : 1][kGroups];

// ---- tiles ------------------------------------------------------------------------------------------------------

constexpr int kWarps = 8, kThreads = kWarps * kWarp;
constexpr int kHalves = 2;  // of a tile's depth: two warps compute the same sums, each over one half

// The number of tiles along the depth of a term; 0 where x ends before this row.
__host__ __device__ inline int depth_of(const Term& term, int row) {
  return row < term.rows ? (term.size + kTile - 1) / kTile : 0;
}

// A block's slice of each term's depth, in tiles (split-K).
struct Share {
  int begin[2], count[2];

  __device__ Share(const Work& work, int row, int rank, int blocks) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int depth = depth_of(work.terms[i], row);
      begin[i] = rank * depth / blocks;
      count[i] = (rank + 1) * depth / blocks - begin[i];
    }
  }
};

// The sums over one half of the depth, in shared memory that held the tiles before.
struct Part {
  static constexpr int kStride = kTile + 8;
  float values[kTile * kStride];
};

// Four sums, added up over both halves.
__device__ inline Four sum_of(const Part* halves, int row, int col) {
  Four sum{};
#pragma unroll
  for (int half = 0; half < kHalves; ++half) sum += load4(halves[half].values + row * Part::kStride + col);
  return sum;
}

// The partial sums that a block receives from all blocks of its cluster, for the rows it finishes:
// [planes][blocks][kTile / blocks][kTile].
struct Gathered {
  float* values;
  int blocks;

  static constexpr Size bytes(int planes, int blocks) {
    return blocks > 1 ? planes * Size{kTile * kTile * sizeof(float)} : 0;
  }
  __device__ float* at(int plane, int rank, int row, int col) const {
    return values + ((plane * blocks + rank) * (kTile / blocks) + row) * kTile + col;
  }
  // Sends each row of the block's partial sums to the block that finishes this row; called by all threads.
  __device__ void send(const Part* parts, int planes, int rank, const Arrivals& arrivals) const {
    const int height = kTile / blocks;
    for (int e = static_cast<int>(threadIdx.x); e < planes * kTile * kTile / 4; e += kThreads) {
      const int plane = e / (kTile * kTile / 4), row = e / (kTile / 4) % kTile, col = e % (kTile / 4) * 4;
      const Four sum = sum_of(parts + plane * kHalves, row, col);
      arrivals.send(static_cast<std::uint32_t>(row / height), at(plane, rank, row % height, col), sum.values);
    }
  }
  // Adds partial sums in the order of the blocks, so that results are deterministic.
  __device__ Four total(int plane, int row, int col) const {
    constexpr int kAtOnce = 4;
    Four sum{};
    for (int first = 0; first < blocks; first += kAtOnce) {
      Four some[kAtOnce] = {};
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        if (first + i < blocks) some[i] = load4(at(plane, first + i, row, col));
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) sum += some[i];
    }
    return sum;
  }
};

// Applies the epilogue to the rows of a tile that a block finishes. Each thread takes every kThreads-th group of four
// columns.
template <class End>
class Finish {
 public:
  static constexpr int kWide = kTile / End::kGroups, kPlanes = End::kSeparate ? 2 : 1;

  __device__ Finish(const Work& work, const End& end, int row, int col, int rank, int blocks)
      : work_(work), end_(end), row_(row), col_(col), rank_(rank), height_(kTile / blocks) {}

  // Starts loading the operands of the thread's first group of four.
  __device__ void load_operands() {
    const int e = static_cast<int>(threadIdx.x);
    if (exists(e)) operands_ = end_.load_operands(row_of(e), col_of(e));
  }
  // Applies the epilogue to the sums of both halves, or of all blocks of the cluster.
  __device__ void run(const Part* parts, const Gathered& gathered, const Arrivals& arrivals) {
    if (gathered.blocks > 1) {
      wait_for_cluster();
      gathered.send(parts, kPlanes, rank_, arrivals);
      arrivals.wait(0);
    }
    for (int e = static_cast<int>(threadIdx.x); e < height_ * kWide / 4; e += kThreads) {
      if (!exists(e)) continue;
      if (e >= kThreads) operands_ = end_.load_operands(row_of(e), col_of(e));
      Sums<End::kGroups, End::kSeparate> all;
#pragma unroll
      for (int plane = 0; plane < kPlanes; ++plane)
#pragma unroll
        for (int group = 0; group < End::kGroups; ++group) {
          const int r = e / (kWide / 4), c = group * kWide + e % (kWide / 4) * 4;
          all[plane][group] = gathered.blocks > 1 ? gathered.total(plane, r, c) : sum_of(parts + plane * kHalves, r, c);
        }
      end_.finish(row_of(e), col_of(e), operands_, all);
    }
  }

 private:
  __device__ int row_of(int e) const { return row_ + rank_ * height_ + e / (kWide / 4); }
  __device__ int col_of(int e) const { return col_ + e % (kWide / 4) * 4; }
  __device__ bool exists(int e) const {
    return e < height_ * kWide / 4 && row_of(e) < work_.rows && col_of(e) < work_.cols / End::kGroups;
  }

  const Work& work_;
  const End& end_;
  const int row_, col_, rank_, height_;
  typename End::Operands operands_{};
};

// ---- the launch -------------------------------------------------------------------------------------------------

// Whether all operands are aligned for loads of eight numbers at once.
template <class End>
bool fits(const Work& work) {
  if (work.cols % (End::kGroups == 1 ? 8 : kTile) != 0) return false;
  return std::all_of(work.terms.begin(), work.terms.end(), [](const Term& term) {
    return term.rows == 0 || (term.size % 8 == 0 && term.x_stride % 8 == 0 && term.weight_stride % 8 == 0 &&
                              aligned16(term.x, term.weight));
  });
}

// The grid: tiles across and down, and the number of blocks that divide the depth of a tile (split-K). The last is the
// largest power of two, up to 8, with which all blocks fit on the GPU at once and each has at least two tiles of depth.
struct Grid {
  unsigned across, down, blocks = 1;

  Grid(const Work& work, bool clusters) : across(blocks_for(work.cols, kTile)), down(blocks_for(work.rows, kTile)) {
    const int depth = depth_of(work.terms[0], 0) + depth_of(work.terms[1], 0);
    while (clusters && blocks < 8 && 2 * blocks * across * down <= static_cast<unsigned>(multiprocessors()) &&
           depth >= 4 * static_cast<int>(blocks))
      blocks *= 2;
  }
  // The largest number of tiles of depth that a block has.
  int deepest(const Work& work) const {
    int tiles = 0;
    for (const Term& term : work.terms)
      tiles += static_cast<int>(blocks_for(depth_of(term, 0), static_cast<int>(blocks)));
    return tiles;
  }
};

// Launches a kernel on a Grid, as a programmatic dependent launch where clusters are supported.
template <class... Parameters, class... Arguments>
void launch_over(const Grid& grid, bool clusters, std::size_t bytes, int threads, const char* name,
                 void (*kernel)(Parameters...), const Arguments&... arguments) {
  cudaLaunchAttribute attributes[2]{dependent_launch_attribute(), {}};
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {1, 1, grid.blocks};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid.across, grid.down, grid.blocks);
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = bytes;
  config.stream = stream();
  config.attrs = attributes;
  config.numAttrs = !clusters ? 0 : grid.blocks > 1 ? 2 : 1;
  check_status(cudaLaunchKernelEx(&config, kernel, arguments...), name);
}

}  // namespace dragoman::kernels::cuda::sums
