#include "kernels/steps.h"

#include <algorithm>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/lstm.cuh"
#include "kernels/cuda/tiles.cuh"

// A decoder's step in one launch, in bf16 on tensor cores: a block adds up a tile of 64 x 64 sums, and what follows
// them is done where they are. Where tiles are few, a cluster of blocks shares the depth of a tile: each has a part of
// the products, and each finishes some rows.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 8, kThreads = kWarps * kWarp, kStages = 6;
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

// ---- clusters ---------------------------------------------------------------------------------------------------

// All blocks that share a tile are here, and see what the others wrote before.
__device__ inline void meet() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __syncthreads();
#endif
}

// Four numbers of shared memory as the `rank`-th of these blocks has them.
__device__ inline float4 load_of(const float* from, [[maybe_unused]] unsigned rank) {
#if __CUDA_ARCH__ >= 900
  const auto here = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
  std::uint32_t there = 0;
  float4 value;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "r"(there)
               : "memory");
  return value;
#else
  return *reinterpret_cast<const float4*>(from);
#endif
}

// ---- four numbers side by side ------------------------------------------------------------------------------------

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
// x as bf16 holds it times the factors of dropout, which counts elements row by row.
__device__ inline Four dropped(const Drop& drop, Size row, Size col, Size cols, const Four& x) {
  const auto element = static_cast<std::uint64_t>(row * Dropout::stride(cols) + col);
  Four y;
#pragma unroll
  for (int i = 0; i < 4; ++i) y[i] = to_float(rounded<bf16>(x[i])) * drop.factor(element + i);
  return y;
}

// ---- ends -------------------------------------------------------------------------------------------------------

// What becomes of four sums side by side. kGroups: a tile has the same columns of so many groups of columns. kApart:
// the sums of the first term lie apart from those of the second.
template <int kGroups, bool kApart>
using Sums = Four[kApart ? 2 : 1][kGroups];

struct Cell {
  static constexpr int kGroups = 4;
  static constexpr bool kBack = false, kApart = false;
  LstmStep<bf16> a;
  Drop drop;

  __device__ void finish(Size row, Size unit, Sums<kGroups, kApart>& sums) const {
    const Size n = a.cell.hidden, at = row * n + unit;
    bf16* gates = a.cell.gates + 4 * row * n + unit;
    auto& [i, f, g, o] = sums[0];
#pragma unroll
    for (int gate = 0; gate < 4; ++gate)
      sums[0][gate] += load4(a.bias != nullptr ? a.bias + gate * n + unit : gates + gate * n);
    const Four before = load4(a.cell.c_before + at);
    Four c, h;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const LstmUnit u = lstm_unit(i[e], f[e], g[e], o[e], before[e]);
      i[e] = u.i, f[e] = u.f, g[e] = u.g, o[e] = u.o, c[e] = u.c, h[e] = u.h;
    }
#pragma unroll
    for (int gate = 0; gate < 4; ++gate) store4(gates + gate * n, sums[0][gate]);
    store4(a.cell.c + at, c);
    store4(a.cell.h + at, h);
    if (a.dropped != nullptr) store4(a.dropped + at, dropped(drop, row, unit, n, h));
  }
};

template <bool kDrops>
struct CellBackward {
  static constexpr int kGroups = 1;
  static constexpr bool kBack = true, kApart = kDrops;
  LstmCellBackward<bf16> a;
  Drop drop;

  __device__ void finish(Size row, Size unit, Sums<kGroups, kApart>& sums) const {
    const Size n = a.hidden, at = row * n + unit;
    Four dh = load4(a.dh != nullptr ? a.dh + at : nullptr);
    if constexpr (kApart) {
      dh += dropped(drop, row, unit, n, sums[0][0]);
      dh += sums[1][0];
    } else {
      dh += sums[0][0];
    }
    Four gates[4];
#pragma unroll
    for (int gate = 0; gate < 4; ++gate) gates[gate] = load4(a.gates + (4 * row + gate) * n + unit);
    const Four c_before = load4(a.c_before + at), c = load4(a.c + at);
    const Four dc = load4(a.dc != nullptr ? a.dc + at : nullptr);
    Four dc_before;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const LstmUnitGradient d =
          lstm_unit_backward(gates[0][e], gates[1][e], gates[2][e], gates[3][e], c_before[e], c[e], dh[e], dc[e]);
      gates[0][e] = d.i, gates[1][e] = d.f, gates[2][e] = d.g, gates[3][e] = d.o, dc_before[e] = d.c_before;
    }
#pragma unroll
    for (int gate = 0; gate < 4; ++gate) store4(a.dgates + (4 * row + gate) * n + unit, gates[gate]);
    if (a.dc_before == nullptr) return;
    if (a.accumulate_dc_before) dc_before += load4(a.dc_before + at);
    store4(a.dc_before + at, dc_before);
  }
};

struct Tanh {
  static constexpr int kGroups = 1;
  static constexpr bool kBack = false, kApart = false;
  TanhStep<bf16> a;
  Drop drop;

  __device__ void finish(Size row, Size col, Sums<kGroups, kApart>& sums) const {
    const Size at = row * a.out + col;
    Four y = sums[0][0];
    y += load4(a.bias + col);
#pragma unroll
    for (int e = 0; e < 4; ++e) y[e] = tanhf(y[e]);
    store4(a.y + at, y);
    if (a.dropped != nullptr) store4(a.dropped + at, dropped(drop, row, col, a.out, y));
  }
};

struct TanhBackward {
  static constexpr int kGroups = 1;
  static constexpr bool kBack = true, kApart = false;
  TanhStepBackward<bf16> a;
  Drop drop;

  __device__ void finish(Size row, Size col, Sums<kGroups, kApart>& sums) const {
    const Size at = row * a.out + col;
    const Four y = load4(a.y + at);
    Four dz = sums[0][0];
    dz += load4(a.dy + at);
    if (drop.drops) dz = dropped(drop, row, col, a.out, dz);
#pragma unroll
    for (int e = 0; e < 4; ++e) dz[e] *= 1 - y[e] * y[e];
    store4(a.dz + at, dz);
  }
};

// ---- the sums -----------------------------------------------------------------------------------------------------

// Tiles of depth, 64 each, those of the first term before those of the second; a term whose rows end before this tile
// has none.
struct Depth {
  int first, all;

  __device__ Depth(const Terms<bf16>& terms, int row) {
    const auto count = [&](const Term<bf16>& term) {
      return row < term.rows ? static_cast<int>(term.size + kTile - 1) / kTile : 0;
    };
    first = count(terms[0]);
    all = first + count(terms[1]);
  }
};

// One tile of depth of both operands begins to arrive.
template <class End>
__device__ void load_stage(Stage& stage, const Term<bf16>& term, int k, int row, int col, int cols) {
  const int rest = static_cast<int>(term.size) - k;
  load_rows(stage.left, static_cast<int>(term.rows) - row, rest, term.x,
            [&](int r) { return term.x + (row + r) * term.x_stride + k; });
  if constexpr (End::kBack) {
    load_rows(stage.right, rest, cols - col, term.weight,
              [&](int r) { return term.weight + static_cast<Size>(k + r) * cols + col; });
  } else {
    constexpr int kWide = kTile / End::kGroups;
    const int apart = cols / End::kGroups;
    load_rows(stage.right, End::kGroups == 1 ? cols - col : kTile, rest, term.weight, [&](int r) {
      return term.weight + static_cast<Size>(r / kWide * apart + col + r % kWide) * term.size + k;
    });
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

// The sums of one warp's half in shared memory, where the tiles were.
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
static_assert(sizeof(Part) <= sizeof(Stage) && 2 * kHalves <= kStages);

// Four sums of all halves of all blocks, in their order.
__device__ inline Four total(const Part* parts, int row, int col, unsigned blocks) {
  Four sum{};
  for (unsigned rank = 0; rank < blocks; ++rank)
#pragma unroll
    for (int half = 0; half < kHalves; ++half) {
      const float4 more = load_of(parts[half].values + row * Part::kStride + col, rank);
      sum += Four{{more.x, more.y, more.z, more.w}};
    }
  return sum;
}

// Block (x, y, z): columns, rows, and which part of the depth.
template <class End>
__global__ void __launch_bounds__(kThreads) add_up(int rows, int cols, Terms<bf16> terms, End end) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* stages = reinterpret_cast<Stage*>(memory);
  constexpr int kWide = kTile / End::kGroups, kPlanes = End::kApart ? 2 : 1;
  const int row = static_cast<int>(blockIdx.y) * kTile, col = static_cast<int>(blockIdx.x) * kWide;
  const int warp = static_cast<int>(threadIdx.x) / kWarp, my_row = warp % 4 * 16, half = warp / 4;
  const Depth depth(terms, row);
  const int blocks = static_cast<int>(gridDim.z), rank = static_cast<int>(blockIdx.z);
  const int begin = rank * depth.all / blocks, count = (rank + 1) * depth.all / blocks - begin;
  const auto load = [&](int i) {
    const int tile = begin + i;
    if (i < count)
      tile < depth.first ? load_stage<End>(stages[i % kStages], terms[0], tile * kTile, row, col, cols)
                         : load_stage<End>(stages[i % kStages], terms[1], (tile - depth.first) * kTile, row, col, cols);
    end_of_batch();
  };
  Rows sums[kPlanes];
#pragma unroll
  for (Rows& plane : sums) plane.clear();
  for (int i = 0; i < kStages - 1; ++i) load(i);
  for (int i = 0; i < count; ++i) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
    load(i + kStages - 1);
    if (!End::kApart || begin + i < depth.first)
      multiply_stage<End::kBack>(sums[0], stages[i % kStages], my_row, half);
    else
      multiply_stage<End::kBack>(sums[kPlanes - 1], stages[i % kStages], my_row, half);
  }
  wait_for_tiles();
  auto* parts = reinterpret_cast<Part*>(memory);
#pragma unroll
  for (int plane = 0; plane < kPlanes; ++plane) parts[plane * kHalves + half].store(sums[plane], my_row);
  meet();
  const int share = kTile / blocks, last = cols / End::kGroups;
  for (int e = static_cast<int>(threadIdx.x); e < share * kWide / 4; e += kThreads) {
    const int r = rank * share + e / (kWide / 4), c = e % (kWide / 4) * 4;
    if (row + r >= rows || col + c >= last) continue;
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

// ---- launches -----------------------------------------------------------------------------------------------------

bool fits(const Terms<bf16>& terms, Size cols, Size unit) {
  if (cols % unit != 0) return false;
  return std::all_of(terms.begin(), terms.end(), [](const Term<bf16>& term) {
    return term.rows == 0 || (term.size % 8 == 0 && term.x_stride % 8 == 0 && aligned16(term.x, term.weight));
  });
}

template <class End>
void launch(const char* name, Size rows, Size cols, const Terms<bf16>& terms, const End& end) {
  constexpr int kBytes = kStages * sizeof(Stage);
  const auto kernel = add_up<End>;
  static const bool clusters = [&] {
    check_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes), name);
    return knows_clusters(reinterpret_cast<const void*>(kernel), name);
  }();
  const unsigned across = blocks_for(cols, kTile), down = blocks_for(rows, kTile);
  const Size depth = terms[0].size * (terms[0].rows > 0) + terms[1].size * (terms[1].rows > 0);
  // As many blocks as there is room for, each with at least four tiles of depth.
  unsigned blocks = 1;
  while (clusters && blocks < 8 && 2 * blocks * across * down <= static_cast<unsigned>(multiprocessors()) &&
         depth >= Size{8} * blocks * kTile)
    blocks *= 2;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {1, 1, blocks};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(across, down, blocks);
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = kBytes;
  config.stream = stream();
  config.attrs = &attribute;
  config.numAttrs = clusters ? 1 : 0;
  check_status(cudaLaunchKernelEx(&config, kernel, static_cast<int>(rows), static_cast<int>(cols), terms, end), name);
}

void lstm_step(const LstmStep<bf16>& a) {
  const LstmCell<bf16>& cell = a.cell;
  if (cell.rows == 0) return;
  if (!fits(a.terms, cell.hidden, 16) || !aligned16(cell.gates, cell.c_before, cell.h, cell.c, a.bias, a.dropped))
    return composed::lstm_step(half(), a);
  launch("lstm_step", cell.rows, 4 * cell.hidden, a.terms, Cell{a, Drop(a.dropout)});
}

void lstm_step_backward(const LstmStepBackward<bf16>& a) {
  const LstmCellBackward<bf16>& cell = a.cell;
  if (cell.rows == 0) return;
  if (!fits(a.terms, cell.hidden, 8) ||
      !aligned16(cell.gates, cell.c_before, cell.c, cell.dh, cell.dc, cell.dgates, cell.dc_before))
    return composed::lstm_step_backward(half(), a);
  const Drop drop(a.dropout);
  if (drop.drops)
    launch("lstm_step_backward", cell.rows, cell.hidden, a.terms, CellBackward<true>{cell, drop});
  else
    launch("lstm_step_backward", cell.rows, cell.hidden, a.terms, CellBackward<false>{cell, drop});
}

void tanh_step(const TanhStep<bf16>& a) {
  if (a.rows == 0) return;
  if (!fits(a.terms, a.out, 8) || !aligned16(a.bias, a.y, a.dropped)) return composed::tanh_step(half(), a);
  launch("tanh_step", a.rows, a.out, a.terms, Tanh{a, Drop(a.dropout)});
}

void tanh_step_backward(const TanhStepBackward<bf16>& a) {
  if (a.rows == 0) return;
  if (!fits(a.terms, a.out, 8) || !aligned16(a.y, a.dy, a.dz)) return composed::tanh_step_backward(half(), a);
  launch("tanh_step_backward", a.rows, a.out, a.terms, TanhBackward{a, Drop(a.dropout)});
}

}  // namespace

template <>
void fill_steps(Kernels<float>& kernels) {
  kernels.lstm_step = [](const auto& a) { composed::lstm_step(f32(), a); };
  kernels.lstm_step_backward = [](const auto& a) { composed::lstm_step_backward(f32(), a); };
  kernels.tanh_step = [](const auto& a) { composed::tanh_step(f32(), a); };
  kernels.tanh_step_backward = [](const auto& a) { composed::tanh_step_backward(f32(), a); };
}

template <>
void fill_steps(Kernels<bf16>& kernels) {
  kernels.lstm_step = lstm_step;
  kernels.lstm_step_backward = lstm_step_backward;
  kernels.tanh_step = tanh_step;
  kernels.tanh_step_backward = tanh_step_backward;
}

}  // namespace dragoman::kernels::cuda
