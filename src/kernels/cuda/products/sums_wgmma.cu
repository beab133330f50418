#include "kernels/cuda/products/product_end.cuh"
#include "kernels/cuda/products/wgmma.cuh"
#include "kernels/cuda/recurrence/step_ends.cuh"
#include "kernels/cuda/runtime/tile_map.h"

// Sums of products with wgmma and TMA; this file is compiled for compute capability 9.0 only. A block has two producer
// threads, one for tiles of rows and one for tiles of weights, since weights need not wait for the previous kernel. Two
// consumer warp groups multiply, each over half of a tile's depth.
namespace dragoman::kernels::cuda::sums {
namespace {

constexpr int kAllThreads = kThreads + 2 * kWarp;
static_assert(kThreads == kHalves * kGroup);

struct WideStage {
  WideTile left, right;
};
// A block uses at most half of the shared memory, so that blocks of the next kernel fit on the same multiprocessor.
constexpr int kRoom = 7 * sizeof(WideStage), kMostStages = 7;

// Tensor maps of the terms' rows and weights.
struct Maps {
  CUtensorMap x[2], weight[2];
};

// The mbarriers of the ring buffer: a stage is `full` once both tiles have arrived, and `empty` once all consumer warps
// have read them.
struct Barriers {
  Barrier full[kMostStages], empty[kMostStages];

  __device__ void init(int stages) {
    for (int i = 0; i < stages; ++i) full[i].init(1), empty[i].init(kWarps);
    fence_barrier_init();
  }
};

// As RingSlot, for a number of stages known at run time only.
struct Slot {
  int stages, at = 0;
  unsigned parity = 0;

  __device__ void next() {
    if (++at == stages) at = 0, parity ^= 1;
  }
};

// The two producers of a block: one thread calls rows(), another weights().
template <class End>
struct Producer {
  const Share& share;
  const Maps& maps;
  WideStage* stages;
  int count, row, col;
  Barriers& barriers;

  // The first `independent` tiles do not depend on the previous kernel.
  __device__ void rows(int independent) const {
    prefetch(maps.x[0]), prefetch(maps.x[1]);
    Slot slot{count};
    for (int i = 0; i < independent; ++i) fetch_rows(i, slot);
    wait_for_previous_kernel();
    for (int i = independent; i < share.count[0] + share.count[1]; ++i) fetch_rows(i, slot);
  }
  __device__ void weights() const {
    prefetch(maps.weight[0]), prefetch(maps.weight[1]);
    if (!End::kIndependentWeights) wait_for_previous_kernel();
    Slot slot{count};
    for (int i = 0; i < share.count[0] + share.count[1]; ++i) {
      Barrier& full = barriers.full[slot.at];
      WideTile& to = stages[slot.at].right;
      barriers.empty[slot.at].wait(slot.parity ^ 1);
      full.arrive_and_expect(sizeof(WideStage));
      if constexpr (End::kGroups > 1)
        full.copy_groups(to, maps.weight[term_of(i)], depth_at(i), col);
      else if constexpr (End::kBack)
        full.copy(to, maps.weight[term_of(i)], col, depth_at(i));
      else
        full.copy(to, maps.weight[term_of(i)], depth_at(i), col);
      slot.next();
    }
  }

 private:
  __device__ static void prefetch(const CUtensorMap& map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
  }
  // The term of tile i, and the tile's position along its depth.
  __device__ int term_of(int i) const { return i < share.count[0] ? 0 : 1; }
  __device__ int depth_at(int i) const {
    return (i < share.count[0] ? share.begin[0] + i : share.begin[1] + i - share.count[0]) * kTile;
  }
  __device__ void fetch_rows(int i, Slot& slot) const {
    barriers.empty[slot.at].wait(slot.parity ^ 1);
    barriers.full[slot.at].copy(stages[slot.at].left, maps.x[term_of(i)], depth_at(i), row);
    slot.next();
  }
};

// Multiplies the next `count` tiles of the ring over the warp group's half of their depth. The result replaces the sum
// or, with `add`, is added to it.
template <bool kBack>
__device__ void add_tiles(Rows& sum, bool add, int count, WideStage* stages, Barriers& barriers, Slot& slot) {
  if (count == 0) return;
  const int half = static_cast<int>(threadIdx.x) / kGroup;
  const auto release = [&](int at) {
    if (lane() == 0) barriers.empty[at].arrive();
  };
  int before = 0;
  for (int i = 0; i < count; ++i) {
    barriers.full[slot.at].wait(slot.parity);
    const std::uint64_t left = stages[slot.at].left.descriptor(), right = stages[slot.at].right.descriptor();
    fence_registers();
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      const int k = 2 * half + step;
      begin_product<!kBack>(sum, left + 2 * k, right + (kBack ? 128 : 2) * k, add || i + step > 0);
    }
    commit_products();
    wait_for_products<1>();
    if (i > 0) release(before);
    before = slot.at;
    slot.next();
  }
  wait_for_products<0>();
  fence_operands(sum);
  release(before);
}

// Stores a warp's 16 rows to the sums of its half, in shared memory.
__device__ inline void store(Part& part, const Rows& rows) {
  float* at = part.values + (threadIdx.x / kWarp % 4 * 16 + lane() / 4) * Part::kStride + lane() % 4 * 2;
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    const float(&p)[4] = rows.part[n];
    *reinterpret_cast<float2*>(at + 8 * n) = make_float2(p[0], p[1]);
    *reinterpret_cast<float2*>(at + 8 * Part::kStride + 8 * n) = make_float2(p[2], p[3]);
  }
}

__device__ inline void wait_for_groups() { asm volatile("bar.sync 1, %0;" ::"n"(kThreads) : "memory"); }

// Block (x, y, z) computes the tile in column x and row y over slice z of the depth.
template <class End>
__global__ void __launch_bounds__(kAllThreads, 2)
    add_up_wgmma(Work work, End end, int stages, const __grid_constant__ Maps maps) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ Arrivals arrivals;
  __shared__ Barriers barriers;
  constexpr int kPlanes = Finish<End>::kPlanes;
  const int row = static_cast<int>(blockIdx.y) * kTile, col = static_cast<int>(blockIdx.x) * Finish<End>::kWide;
  const int blocks = static_cast<int>(gridDim.z), rank = static_cast<int>(blockIdx.z);
  const Gathered gathered{reinterpret_cast<float*>(memory), blocks};
  auto* tiles = reinterpret_cast<WideStage*>(memory + Gathered::bytes(kPlanes, blocks));
  if (threadIdx.x == 0) {
    barriers.init(stages);
    arrivals.begin();
  }
  __syncthreads();
  if (blocks > 1) {
    if (threadIdx.x == 0) arrivals.expect(static_cast<std::uint32_t>(Gathered::bytes(kPlanes, blocks)));
    arrive_at_cluster();
  }
  const Share share(work, row, rank, blocks);
  if (threadIdx.x >= kThreads) {
    const Producer<End> producer{share, maps, tiles, stages, row, col, barriers};
    if (threadIdx.x == kThreads) producer.weights();
    if (threadIdx.x == kThreads + kWarp)
      producer.rows((work.independent > 0 ? share.count[0] : 0) + (work.independent > 1 ? share.count[1] : 0));
    return;
  }
  Rows sums[kPlanes];
  Finish<End> finish(work, end, row, col, rank, blocks);
  Slot slot{stages};
  // Called as early as the dependence on the previous kernel allows, so that loads overlap with the main loop.
  const auto load_epilogue_operands = [&] {
    wait_for_previous_kernel();
    finish.load_operands();
  };
  if (work.independent == 0) load_epilogue_operands();
  add_tiles<End::kBack>(sums[0], false, share.count[0], tiles, barriers, slot);
  if (work.independent == 1) load_epilogue_operands();
  add_tiles<End::kBack>(sums[kPlanes - 1], kPlanes == 1 && share.count[0] > 0, share.count[1], tiles, barriers, slot);
  if (work.independent == 2) load_epilogue_operands();
  if (share.count[0] == 0 && (kPlanes > 1 || share.count[1] == 0)) sums[0].clear();
  if (kPlanes > 1 && share.count[1] == 0) sums[kPlanes - 1].clear();
  wait_for_groups();
  auto* parts = reinterpret_cast<Part*>(tiles);
  const int half = static_cast<int>(threadIdx.x) / kGroup;
#pragma unroll
  for (int plane = 0; plane < kPlanes; ++plane)
    store(parts[(kPlanes > 1 && work.swapped ? 1 - plane : plane) * kHalves + half], sums[plane]);
  wait_for_groups();
  finish.run(parts, gathered, arrivals);
}

template <class End>
Maps maps_of(const Work& work) {
  Maps maps{};
  for (std::size_t i = 0; i < work.terms.size(); ++i) {
    const Term& term = work.terms[i];
    if (term.rows == 0) continue;
    maps.x[i] = tile_map(term.x, term.rows, term.size, term.x_stride);
    maps.weight[i] = End::kBack ? tile_map(term.weight, term.size, work.cols, term.weight_stride)
                                : tile_map(term.weight, work.cols, term.size, term.weight_stride, End::kGroups);
  }
  return maps;
}

}  // namespace

template <class End>
void launch_wgmma(const char* name, const Work& work, const End& end) {
  constexpr int kPlanes = Finish<End>::kPlanes;
  constexpr auto kLeast = static_cast<int>((kHalves * kPlanes * sizeof(Part) - 1) / sizeof(WideStage) + 1);
  const auto kernel = add_up_wgmma<End>;
  static OncePerGpu ready;
  ready.here([&] {
    check_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kRoom), name);
    return true;
  });
  const Grid grid(work, true);
  const auto gathered = static_cast<int>(Gathered::bytes(kPlanes, static_cast<int>(grid.blocks)));
  const int most = (kRoom - gathered) / static_cast<int>(sizeof(WideStage));
  const int stages = std::clamp(grid.deepest(work), kLeast, most);
  const auto bytes = static_cast<std::size_t>(gathered) + static_cast<std::size_t>(stages) * sizeof(WideStage);
  launch_over(grid, true, bytes, kAllThreads, name, kernel, work, end, stages, maps_of<End>(work));
}

template void launch_wgmma(const char*, const Work&, const Cell&);
template void launch_wgmma(const char*, const Work&, const CellBackward<false>&);
template void launch_wgmma(const char*, const Work&, const CellBackward<true>&);
template void launch_wgmma(const char*, const Work&, const Tanh&);
template void launch_wgmma(const char*, const Work&, const TanhBackward&);
template void launch_wgmma(const char*, const Work&, const Put<false, false>&);
template void launch_wgmma(const char*, const Work&, const Put<true, false>&);
template void launch_wgmma(const char*, const Work&, const Put<true, true>&);

}  // namespace dragoman::kernels::cuda::sums
