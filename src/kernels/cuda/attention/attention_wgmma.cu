#include "kernels/cuda/attention/attention_tiles.cuh"
#include "kernels/cuda/products/wgmma.cuh"
#include "kernels/cuda/runtime/tile_map.h"

// Attention forward for long sentences with TMA and wgmma; compare FlashAttention-3 (Shah et al. 2024). This file is
// compiled for compute capability 9.0 only.
//
// The kernel is persistent: each block stays on its multiprocessor and processes job after job. Warps are specialised:
// one producer thread prefetches queries, keys and values (TMA), also across jobs, and four consumer warp groups
// compute 64 queries each. The groups do not wait for each other, so some compute softmax weights while the products of
// others run. Scores and weights stay in registers. Within a group, the product of weights and values of one tile
// overlaps with the softmax of the next.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kStages = 8;  // of the ring buffer of key and value tiles
constexpr int kSlots = 3;   // of the ring buffer of jobs and their queries
constexpr int kGroups = 4, kWarps = 4 * kGroups, kThreads = (kGroups + 1) * kGroup, kQueries = kGroups * kTile;

// One head of up to kQueries queries of a sentence. `first` is the first query, or -1 after the last job. Warp group
// `group` computes the first 64 queries, the next group the next 64, and so on. The queries see `tiles` tiles of keys.
struct Job {
  Place place;
  int first, group, tiles;
};

struct Stage {
  WideTile keys, values;
};

// A `full` barrier completes once a copy has arrived, an `empty` one once all consumer warps have read it.
struct Shared {
  Stage stages[kStages];
  WideTile queries[kSlots][kGroups];
  Job jobs[kSlots];
  Barrier stage_full[kStages], stage_empty[kStages], job_full[kSlots], job_empty[kSlots];

  __device__ void init() {
    for (Barrier& barrier : stage_full) barrier.init(1);
    for (Barrier& barrier : stage_empty) barrier.init(kWarps);
    for (Barrier& barrier : job_full) barrier.init(1);
    for (Barrier& barrier : job_empty) barrier.init(kWarps);
    fence_barrier_init();
  }
};

// TMA descriptors of queries, keys and values.
struct Maps {
  CUtensorMap q, k, v;
};

__device__ inline int tiles_of(int rows) { return (rows + kTile - 1) / kTile; }

// The producer thread: copies the tiles of the block's jobs.
__device__ void produce(const Attention<bf16>& a, const Maps& maps, Shared& shared) {
  constexpr int kBytes = sizeof(WideTile);
  RingSlot<kSlots> slot;
  RingSlot<kStages> stage;
  int group = 0;
  const int parts = (static_cast<int>(a.longest_queries) + kQueries - 1) / kQueries, heads = static_cast<int>(a.heads);
  const int jobs = static_cast<int>(a.sentences) * heads * parts;
  for (int j = static_cast<int>(blockIdx.x); j < jobs; j += static_cast<int>(gridDim.x)) {
    // With a causal mask later parts see more keys. Rotating the parts balances the work of the blocks.
    const int pair = j / parts, first = (j + pair) % parts * kQueries;
    const Place place(a, pair / heads, pair % heads);
    if (first >= place.queries) continue;
    const int end = min(first + kQueries, place.queries), col = static_cast<int>(place.head) * kTile;
    const int tiles = tiles_of(place.visible(end - 1, a.causal));
    shared.job_empty[slot.index].wait(slot.parity ^ 1);
    shared.jobs[slot.index] = {place, first, group, tiles};
    Barrier& job = shared.job_full[slot.index];
    job.arrive_and_expect(tiles_of(end - first) * kBytes);
    for (int row = first; row < end; row += kTile, ++group)
      job.copy(shared.queries[slot.index][group % kGroups], maps.q, col, static_cast<int>(place.first_query) + row);
    slot.next();
    for (int t = 0; t < tiles; ++t) {
      const int row = static_cast<int>(place.first_key) + t * kTile;
      Barrier& full = shared.stage_full[stage.index];
      Stage& to = shared.stages[stage.index];
      shared.stage_empty[stage.index].wait(stage.parity ^ 1);
      full.arrive_and_expect(2 * kBytes);
      full.copy(to.keys, maps.k, col, row);
      full.copy(to.values, maps.v, col, row);
      stage.next();
    }
  }
  shared.job_empty[slot.index].wait(slot.parity ^ 1);
  shared.jobs[slot.index].first = -1;
  shared.job_full[slot.index].arrive();
}

// Tells the compiler that x is the same in all lanes of a warp.
__device__ inline int uniform(int x) { return __shfl_sync(kAllLanes, x, 0); }

// A consumer warp group: computes 64 queries of every job. Its registers hold the weights of a tile of keys and the
// accumulators of the output. To save registers, the job is read from shared memory wherever it is needed.
class Consumer {
 public:
  __device__ Consumer(const Attention<bf16>& a, Shared& shared)
      : a_(a),
        shared_(shared),
        group_(uniform(static_cast<int>(threadIdx.x) / kGroup)),
        warp_row_(uniform(static_cast<int>(threadIdx.x) / kWarp % 4 * 16)) {}

  // Processes jobs until there are no more.
  __device__ void work() {
    for (;; slot_.next()) {
      shared_.job_full[slot_.index].wait(slot_.parity);
      if (uniform(job().first) < 0) return;
      const int count = uniform(job().place.queries - group_row());
      const int seen = count > 0 ? uniform(visible(group_row() + min(kTile, count) - 1)) : 0;
      const int unseen = uniform(job().tiles) - tiles_of(seen);
      if (count > 0) {
        attend(seen);
        softmax_.finish(out_, a_, job().place, row());
        wait_for_group(group_);
        store();
        fence_async_proxy();
        __syncwarp();
      }
      release(shared_.job_empty[slot_.index]);
      for (int t = 0; t < unseen; ++t) {
        shared_.stage_full[stage_.index].wait(stage_.parity);
        release_stage();
      }
    }
  }

 private:
  __device__ const Job& job() const { return shared_.jobs[slot_.index]; }
  __device__ WideTile& queries() const { return shared_.queries[slot_.index][group_]; }
  // The first query of the group, the first query of the lane, and the number of keys that query i sees.
  __device__ int group_row() const { return job().first + ((group_ - job().group) & (kGroups - 1)) * kTile; }
  __device__ int row() const { return group_row() + warp_row_ + lane() / 4; }
  __device__ int visible(int i) const { return job().place.visible(i, a_.causal); }

  __device__ static void release(Barrier& empty) {
    if (lane() == 0) empty.arrive();
  }
  __device__ void release_stage() {
    release(shared_.stage_empty[stage_.index]);
    stage_.next();
  }

  // Attends to the first `seen` keys: those that the group's last query sees.
  __device__ void attend(int seen) {
    softmax_ = {static_cast<float>(a_.scale) * kLog2E};
    // Rows beyond the last query belong to the next sentence; their weights must not trigger a rescaling.
#pragma unroll
    for (int r = 0; r < 2; ++r)
      if (row() + 8 * r >= job().place.queries) softmax_.origin[r] = INFINITY;
    out_.clear();
#pragma unroll
    for (Quad& quad : weights_) quad = {};
    const int whole = uniform(visible(group_row() + warp_row_));
    for (int key = 0; key < seen; key += kTile) add_tile(key, whole);
    if (seen == 0) return;
    fence_registers();
    begin_sums(shared_.stages[stage_.index].values);
    wait_for_products<0>();
    fence_operands(out_), fence_operands(weights_);
    release_stage();
  }

  // Computes the weights of the tile of keys from `key` on, while the product of the previous tile's weights and values
  // runs (with zero weights before the first tile). All rows of the warp see the first `whole` keys; tiles within them
  // need no mask.
  __device__ void add_tile(int key, int whole) {
    const int before = stage_.index;
    if (key > 0) stage_.next();
    shared_.stage_full[stage_.index].wait(stage_.parity);
    fence_registers();
    begin_scores(shared_.stages[stage_.index].keys);
    begin_sums(shared_.stages[before].values);
    wait_for_products<1>();
    fence_operands(scores_);
    if (key + kTile > whole) mask(key);
    const bool weighed = key > 0 && softmax_.update_at_origin(scores_);
    wait_for_products<0>();
    fence_operands(out_), fence_operands(weights_);
    if (key > 0) release(shared_.stage_empty[before]);
    if (!weighed) {
      if (key > 0) {
        repeat_scores(shared_.stages[stage_.index].keys);
        if (key + kTile > whole) mask(key);
      }
      float shrink[2];
      if (softmax_.update(scores_, shrink)) out_.multiply(shrink);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) weights_[k] = scores_.as_left(k);
  }

  __device__ void begin_scores(const WideTile& keys) {
    const std::uint64_t left = queries().descriptor(), right = keys.descriptor();
#pragma unroll
    for (int k = 0; k < 4; ++k) begin_product<true>(scores_, left + 2 * k, right + 2 * k, k > 0);
    commit_products();
  }
  __device__ void begin_sums(const WideTile& values) {
    const std::uint64_t right = values.descriptor();
#pragma unroll
    for (int k = 0; k < 4; ++k) begin_product(out_, weights_[k], right + 128 * k);
    commit_products();
  }
  __device__ void mask(int key) { softmax_.mask(scores_, {visible(row()) - key, visible(row() + 8) - key}); }

  // Recomputes the scores of the warp's rows (mma.m16n8k16), without the other warps of the group.
  __device__ void repeat_scores(WideTile& keys) {
    int warp_row = warp_row_;
    asm volatile("" : "+r"(warp_row));  // keeps the compiler from hoisting the address computation
    scores_.clear();
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
      const Quad left = load_quad(queries().eight(warp_row + lane() % 16, 2 * k + lane() / 16));
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const Quad two = load_quad(keys.eight(16 * n + lane() % 8 + lane() / 16 * 8, 2 * k + lane() / 8 % 2));
        multiply_add(scores_.part[2 * n], left, two.r[0], two.r[1]);
        multiply_add(scores_.part[2 * n + 1], left, two.r[2], two.r[3]);
      }
    }
  }

  // Stores the warp's rows to global memory, staged through its rows of the query tile.
  __device__ void store() {
    const int l = lane(), count = job().place.queries - group_row();
    bf16* const to = a_.out + job().place.row(a_, group_row()) * kTile;
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
      for (int r = 0; r < 2; ++r)
        reinterpret_cast<std::uint32_t*>(queries().eight(warp_row_ + l / 4 + 8 * r, n))[l % 4] =
            pack_bf16(out_.part[n][2 * r], out_.part[n][2 * r + 1]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int r = warp_row_ + 4 * i + l / 8;
      if (r < count)
        *reinterpret_cast<uint4*>(to + r * a_.heads * kTile + l % 8 * 8) =
            *reinterpret_cast<const uint4*>(queries().eight(r, l % 8));
    }
  }

  const Attention<bf16>& a_;
  Shared& shared_;
  const int group_, warp_row_;
  RingSlot<kSlots> slot_;
  RingSlot<kStages> stage_;
  Quad weights_[4];
  Rows scores_, out_;
  RunningSoftmax<> softmax_{};
};

__global__ void __launch_bounds__(kThreads, 1) attend_wide(Attention<bf16> a, const __grid_constant__ Maps maps) {
  extern __shared__ __align__(1024) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  if (threadIdx.x == 0) shared.init();
  __syncthreads();
  // Every thread starts with 96 registers.
  if (threadIdx.x < kGroups * kGroup) {
    increase_registers<112>();
    Consumer(a, shared).work();
  } else {
    decrease_registers<32>();
    if (threadIdx.x == kGroups * kGroup) produce(a, maps, shared);
  }
}

}  // namespace

void attention_wgmma(const Attention<bf16>& a) {
  constexpr int kBytes = sizeof(Shared);
  allow_shared("attention", attend_wide, kBytes);
  const Size cols = a.heads * kTile, jobs = a.sentences * a.heads * blocks_for(a.longest_queries, kQueries);
  const Maps maps{tile_map(a.q, a.queries, cols, a.q_stride), tile_map(a.k, a.keys, cols, a.k_stride),
                  tile_map(a.v, a.keys, cols, a.v_stride)};
  const auto blocks = static_cast<unsigned>(std::min<Size>(jobs, multiprocessors()));
  attend_wide<<<blocks, kThreads, kBytes, stream()>>>(a, maps);
  check_launch("attention");
}

}  // namespace dragoman::kernels::cuda
