#pragma once

#include <algorithm>
#include <array>

#include "kernels/cuda/tiles.cuh"

// Sums of one or two products in one launch, in bf16 on tensor cores, where the library would be slow to ask: a block
// adds up a tile of 64 x 64 sums, and what follows them (an End) is done where they are. Where tiles are few, a cluster
// of blocks shares the depth of a tile: each has a part of the products, and each finishes some rows.
namespace dragoman::kernels::cuda::sums {

// x W^T with W [cols, size], or, going back, x W with W [size, cols]. Rows behind the last of x get nothing.
struct Term {
  const bf16 *x = nullptr, *weight = nullptr;
  Size x_stride = 0, weight_stride = 0;
  int rows = 0, size = 0;
};

struct Work {
  int rows = 0, cols = 0;
  std::array<Term, 2> terms{};
};

// ---- four numbers side by side ----------------------------------------------------------------------------------

struct Four {
  float values[4];

  __device__ float& operator[](int i) { return values[i]; }
  __device__ float operator[](int i) const { return values[i]; }
  __device__ void operator+=(const Four& other) {
#pragma unroll
    for (int i = 0; i < 4; ++i) values[i] += other[i];
  }
};

// Null: zeros.
__device__ inline Four load4(const bf16* from) {
  if (from == nullptr) return {};
  const uint2 two = *reinterpret_cast<const uint2*>(from);
  return {{low_bf16(two.x), high_bf16(two.x), low_bf16(two.y), high_bf16(two.y)}};
}
__device__ inline void store4(bf16* to, const Four& x) {
  *reinterpret_cast<uint2*>(to) = make_uint2(pack_bf16(x[0], x[1]), pack_bf16(x[2], x[3]));
}

// An End says
//   kBack    how weights lie;
//   kSteady  weights are none of what the kernel before wrote, so that they can be brought while it still runs;
//   kGroups  a tile has the same columns of so many groups of columns: those of a cell's four gates;
//   kApart   the sums of the first term are wanted apart from those of the second;
// and has finish(row, column of a group, sums), which is called once for every four columns.
template <int kGroups, bool kApart>
using Sums = Four[kApart ? 2 : 1][kGroups];

// ---- clusters ---------------------------------------------------------------------------------------------------

// All blocks that share a tile are here, and see what the others wrote before.
__device__ inline void meet() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __syncthreads();
#endif
}

// The kernel before has ended; from here on the blocks of the next one may come and bring its weights.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Four numbers of shared memory as the `rank`-th of these blocks has them.
__device__ inline Four load_of([[maybe_unused]] unsigned rank, const float* from) {
  float4 value;
#if __CUDA_ARCH__ >= 900
  const auto here = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
  std::uint32_t there = 0;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "r"(there)
               : "memory");
#else
  value = *reinterpret_cast<const float4*>(from);
#endif
  return {{value.x, value.y, value.z, value.w}};
}

// ---- tiles ------------------------------------------------------------------------------------------------------

constexpr int kWarps = 8, kThreads = kWarps * kWarp, kStages = 5;
constexpr int kHalves = 2;  // warps that have the same sixteen rows, each with half of a tile's depth

struct Stage {
  Tile left, right;
};

// Begins to copy rows into a tile, as load_tile does; `address` tells where a row begins.
template <class Address>
__device__ void load_rows(Tile& tile, int count, int columns, const bf16* anything, Address address) {
#pragma unroll
  for (int i = 0; i < kTile * 8 / kThreads; ++i) {
    const int e = static_cast<int>(threadIdx.x) + i * kThreads, row = e / 8, col = e % 8 * 8;
    const bool inside = row < count && col < columns;
    const bf16* source = inside ? address(row) + col : anything;
    const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile.at(row, col)));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "r"(inside ? 16 : 0)
                 : "memory");
  }
}

// One tile of depth of each operand begins to arrive.
__device__ inline void load_left(Stage& stage, const Term& term, int k, int row) {
  load_rows(stage.left, term.rows - row, term.size - k, term.x,
            [&](int r) { return term.x + (row + r) * term.x_stride + k; });
}
template <class End>
__device__ void load_right(Stage& stage, const Term& term, int k, int col, int cols) {
  const int rest = term.size - k;
  if constexpr (End::kBack) {
    load_rows(stage.right, rest, cols - col, term.weight,
              [&](int r) { return term.weight + (k + r) * term.weight_stride + col; });
  } else {
    constexpr int kWide = kTile / End::kGroups;
    const int apart = cols / End::kGroups;
    load_rows(stage.right, End::kGroups == 1 ? cols - col : kTile, rest, term.weight,
              [&](int r) { return term.weight + (r / kWide * apart + col + r % kWide) * term.weight_stride + k; });
  }
}

// A warp's sixteen rows times its half of a tile's depth.
template <bool kBack>
__device__ void multiply_stage(Rows& sums, Stage& stage, int row, int half) {
#pragma unroll
  for (int i = 0; i < 4 / kHalves; ++i) {
    const int k = 16 * (half * 4 / kHalves + i);
    const Quad left = left_operand(stage.left, row, k);
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const Quad two =
          kBack ? right_operands(stage.right, k, 16 * n) : right_operands_transposed(stage.right, k, 16 * n);
      multiply_add(sums.part[2 * n], left, two.r[0], two.r[1]);
      multiply_add(sums.part[2 * n + 1], left, two.r[2], two.r[3]);
    }
  }
}

// The sums of one half in shared memory, where the tiles were.
struct Part {
  static constexpr int kStride = kTile + 8;
  float values[kTile * kStride];

  __device__ void store(const Rows& rows, int row) {
    float* at = values + (row + lane() / 4) * kStride + lane() % 4 * 2;
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      const float(&p)[4] = rows.part[n];
      *reinterpret_cast<float2*>(at + 8 * n) = make_float2(p[0], p[1]);
      *reinterpret_cast<float2*>(at + 8 * kStride + 8 * n) = make_float2(p[2], p[3]);
    }
  }
};
static_assert(sizeof(Part) <= sizeof(Stage));

// Four sums of all halves of all blocks, in their order.
__device__ inline Four total(const Part* parts, int row, int col, unsigned blocks) {
  Four sum{};
  for (unsigned rank = 0; rank < blocks; ++rank)
#pragma unroll
    for (int half = 0; half < kHalves; ++half) sum += load_of(rank, parts[half].values + row * Part::kStride + col);
  return sum;
}

// ---- the launch -------------------------------------------------------------------------------------------------

// Tiles of depth; a term whose rows end before this tile has none.
__host__ __device__ inline int depth_of(const Term& term, int row) {
  return row < term.rows ? (term.size + kTile - 1) / kTile : 0;
}

// Block (x, y, z): columns, rows, and which part of the depth.
template <class End>
__global__ void __launch_bounds__(kThreads) add_up(Work work, End end) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* stages = reinterpret_cast<Stage*>(memory);
  constexpr int kWide = kTile / End::kGroups, kPlanes = End::kApart ? 2 : 1;
  const int row = static_cast<int>(blockIdx.y) * kTile, col = static_cast<int>(blockIdx.x) * kWide;
  const int warp = static_cast<int>(threadIdx.x) / kWarp, my_row = warp % 4 * 16, half = warp / 4;
  const int blocks = static_cast<int>(gridDim.z), rank = static_cast<int>(blockIdx.z);
  const int of_first = depth_of(work.terms[0], row), depth = of_first + depth_of(work.terms[1], row);
  const int begin = rank * depth / blocks, count = (rank + 1) * depth / blocks - begin;
  const auto load = [&](int i, bool left, bool right) {
    if (i >= count) return;
    const bool second = begin + i >= of_first;
    const Term term = second ? work.terms[1] : work.terms[0];
    const int k = (begin + i - (second ? of_first : 0)) * kTile;
    if (left) load_left(stages[i % kStages], term, k, row);
    if (right) load_right<End>(stages[i % kStages], term, k, col, work.cols);
  };
  Rows sums[kPlanes];
#pragma unroll
  for (Rows& plane : sums) plane.clear();
  if (End::kSteady)
    for (int i = 0; i < kStages - 1; ++i) load(i, false, true);
  wait_for_kernel_before();
  for (int i = 0; i < kStages - 1; ++i) {
    load(i, true, !End::kSteady);
    end_of_batch();
  }
  for (int i = 0; i < count; ++i) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
    load(i + kStages - 1, true, true);
    end_of_batch();
    if (!End::kApart || begin + i < of_first)
      multiply_stage<End::kBack>(sums[0], stages[i % kStages], my_row, half);
    else
      multiply_stage<End::kBack>(sums[kPlanes - 1], stages[i % kStages], my_row, half);
  }
  wait_for_tiles();
  auto* parts = reinterpret_cast<Part*>(memory);
#pragma unroll
  for (int plane = 0; plane < kPlanes; ++plane) parts[plane * kHalves + half].store(sums[plane], my_row);
  meet();
  const int share = kTile / blocks, last = work.cols / End::kGroups;
  for (int e = static_cast<int>(threadIdx.x); e < share * kWide / 4; e += kThreads) {
    const int r = rank * share + e / (kWide / 4), c = e % (kWide / 4) * 4;
    if (row + r >= work.rows || col + c >= last) continue;
    Sums<End::kGroups, End::kApart> all;
#pragma unroll
    for (int plane = 0; plane < kPlanes; ++plane)
#pragma unroll
      for (int group = 0; group < End::kGroups; ++group)
        all[plane][group] = total(parts + plane * kHalves, r, group * kWide + c, gridDim.z);
    end.finish(row + r, col + c, all);
  }
  if (blocks > 1) meet();  // nobody leaves while others read what it has
}

// Whether all numbers lie so that they can be brought in eights.
template <class End>
bool fits(const Work& work) {
  if (work.cols % (End::kGroups == 1 ? 8 : kTile) != 0) return false;
  return std::all_of(work.terms.begin(), work.terms.end(), [](const Term& term) {
    return term.rows == 0 || (term.size % 8 == 0 && term.x_stride % 8 == 0 && term.weight_stride % 8 == 0 &&
                              aligned16(term.x, term.weight));
  });
}

template <class End>
void launch(const char* name, const Work& work, const End& end) {
  constexpr int kLeast = kHalves * (End::kApart ? 2 : 1);
  const auto kernel = add_up<End>;
  static const bool clusters = [&] {
    check_status(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kStages * int{sizeof(Stage)}), name);
    return knows_clusters(reinterpret_cast<const void*>(kernel), name);
  }();
  const unsigned across = blocks_for(work.cols, kTile), down = blocks_for(work.rows, kTile);
  const int depth = depth_of(work.terms[0], 0) + depth_of(work.terms[1], 0);
  // As many blocks as there is room for, each with at least two tiles of depth.
  unsigned blocks = 1;
  while (clusters && blocks < 8 && 2 * blocks * across * down <= static_cast<unsigned>(multiprocessors()) &&
         depth >= 4 * static_cast<int>(blocks))
    blocks *= 2;
  const int tiles = (depth + static_cast<int>(blocks) - 1) / static_cast<int>(blocks);
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {1, 1, blocks};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(across, down, blocks);
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = static_cast<std::size_t>(std::clamp(tiles, kLeast, kStages)) * sizeof(Stage);
  config.stream = stream();
  config.attrs = attributes;
  config.numAttrs = clusters ? 2 : 0;
  check_status(cudaLaunchKernelEx(&config, kernel, work, end), name);
}

}  // namespace dragoman::kernels::cuda::sums
