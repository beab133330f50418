#include "kernels/cuda/attention_old.cuh"
#include "kernels/cuda/attention_tiles.cuh"
#include "kernels/cuda/tile_map.h"
#include "kernels/cuda/wgmma.cuh"

// Attention forward of long sentences by compute capability 9.0's own instructions, for which alone this file is
// compiled. A block stays on its multiprocessor and does job after job: some groups of warps with sixty-four queries
// each, and one thread that has the copy engine fetch queries, keys and values ahead of them, jobs' boundaries or not.
// Groups do not wait for one another, so that some compute weights while the products of others run; scores and weights
// only ever exist in registers, and what one tile weighs is summed up while the weights of the next are computed.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kTileBytes = sizeof(WideTile);
constexpr int kSlots = 2;  // jobs whose queries are there or on their way

template <int kT>
struct Stage {
  WideTile keys[kT], values[kT];
};

// A head of some queries of a sentence: the first of them, none if there are no more jobs, and how many tiles of keys
// they see.
struct Job {
  Place place;
  int first, tiles;
};

// Places are `full` when what was copied there is there, and `empty` when all warps have read it.
template <int kGroups, int kT, int kStages>
struct Shared {
  Stage<kT> stages[kStages];
  WideTile queries[kSlots][kGroups];
  Job jobs[kSlots];
  Barrier stage_full[kStages], stage_empty[kStages], job_full[kSlots], job_empty[kSlots];

  __device__ void make() {
    for (Barrier& barrier : stage_full) barrier.make(1);
    for (Barrier& barrier : stage_empty) barrier.make(4 * kGroups);
    for (Barrier& barrier : job_full) barrier.make(1);
    for (Barrier& barrier : job_empty) barrier.make(4 * kGroups);
    barriers_are_made();
  }
};

// Where queries, keys and values lie, for the copy engine.
struct Maps {
  CUtensorMap q, k, v;
};

// Fetches what the block's jobs need; by one thread.
template <int kGroups, int kT, int kStages>
__device__ void fetch(const Attention<bf16>& a, const Maps& maps, Shared<kGroups, kT, kStages>& shared) {
  constexpr int kQueries = kGroups * kTile;
  Turn<kSlots> slot;
  Turn<kStages> stage;
  const int parts = (static_cast<int>(a.longest_queries) + kQueries - 1) / kQueries, heads = static_cast<int>(a.heads);
  const int jobs = static_cast<int>(a.sentences) * heads * parts;
  for (int j = static_cast<int>(blockIdx.x); j < jobs; j += static_cast<int>(gridDim.x)) {
    const Place place(a, j / parts / heads, j / parts % heads);
    const int first = j % parts * kQueries, col = static_cast<int>(place.head) * kTile;
    if (first >= place.queries) continue;
    const int end = min(first + kQueries, place.queries);
    const int tiles = (place.visible(end - 1, a.causal) + kT * kTile - 1) / (kT * kTile);
    shared.job_empty[slot.place].wait(slot.parity ^ 1);
    shared.jobs[slot.place] = {place, first, tiles};
    Barrier& job = shared.job_full[slot.place];
    job.arrive_and_expect((end - first + kTile - 1) / kTile * kTileBytes);
    for (int row = first, g = 0; row < end; row += kTile, ++g)
      job.copy(shared.queries[slot.place][g], maps.q, col, static_cast<int>(place.first_query) + row);
    slot.next();
    for (int t = 0; t < tiles; ++t) {
      const int row = static_cast<int>(place.first_key) + t * kT * kTile;
      Barrier& full = shared.stage_full[stage.place];
      Stage<kT>& to = shared.stages[stage.place];
      shared.stage_empty[stage.place].wait(stage.parity ^ 1);
      full.arrive_and_expect(2 * kT * kTileBytes);
      for (int i = 0; i < kT; ++i) {
        full.copy(to.keys[i], maps.k, col, row + i * kTile);
        full.copy(to.values[i], maps.v, col, row + i * kTile);
      }
      stage.next();
    }
  }
  shared.job_empty[slot.place].wait(slot.parity ^ 1);
  shared.jobs[slot.place].first = -1;
  shared.job_full[slot.place].arrive();
}

// What a group of warps has in its registers: for sixty-four queries the weights of a tile of keys, and what is
// weighed.
template <int kT, int kShare>
struct Queries {
  std::uint64_t queries;
  Quad weights[4 * kT];
  Rows scores[kT], out;
  RunningSoftmax<kTile, kShare> softmax;

  __device__ Queries(const WideTile& queries, float scale) : queries(queries.descriptor()), softmax{scale * kLog2E} {
    out.clear();
  }

  __device__ void begin_scores(const WideTile& keys) {
#pragma unroll
    for (int k = 0; k < 4; ++k) begin_product_transposed(scores, queries + 2 * k, keys.descriptor() + 2 * k, k > 0);
    end_of_products();
  }
  __device__ void begin_sums(const WideTile& values) {
#pragma unroll
    for (int k = 0; k < 4 * kT; ++k) begin_product(out, weights[k], values.descriptor() + 128 * k, true);
    end_of_products();
  }
  __device__ void keep_weights() {
#pragma unroll
    for (int k = 0; k < 4 * kT; ++k) weights[k] = scores[k / 4].as_left(k % 4);
  }
  // The warp's rows to memory, through its rows of a tile; those behind the first `count` of the group are not there.
  __device__ void store(WideTile& through, int warp_row, bf16* to, Size stride, int count) {
    const int l = lane();
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
      for (int r = 0; r < 2; ++r)
        reinterpret_cast<std::uint32_t*>(through.eight(warp_row + l / 4 + 8 * r, n))[l % 4] =
            pack_bf16(out.part[n][2 * r], out.part[n][2 * r + 1]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = warp_row + 4 * i + l / 8;
      if (row >= count) continue;
      *reinterpret_cast<uint4*>(to + row * stride + l % 8 * 8) =
          *reinterpret_cast<const uint4*>(through.eight(row, l % 8));
    }
  }
};

// Jobs of a group of warps, until there are no more.
template <int kGroups, int kT, int kStages, int kShare>
__device__ void attend_to_jobs(const Attention<bf16>& a, Shared<kGroups, kT, kStages>& shared) {
  const int group = static_cast<int>(threadIdx.x) / kGroup, warp_row = static_cast<int>(threadIdx.x) / kWarp % 4 * 16;
  Turn<kStages> stage;
  const auto next_stage = [&] { shared.stage_full[stage.place].wait(stage.parity); };
  const auto release = [&](int place) {
    if (lane() == 0) shared.stage_empty[place].arrive();
  };
  int number = 0;
  for (Turn<kSlots> slot;; slot.next(), ++number) {
    shared.job_full[slot.place].wait(slot.parity);
    const Job& job = shared.jobs[slot.place];
    if (job.first < 0) return;
    const Place& place = job.place;
    const int part = (group + number) % kGroups, group_row = job.first + part * kTile,
              row = group_row + warp_row + lane() / 4;
    const int count = place.queries - group_row;
    const int seen = count > 0 ? place.visible(min(group_row + kTile, place.queries) - 1, a.causal) : 0;
    const int unseen = job.tiles - (seen + kT * kTile - 1) / (kT * kTile);
    WideTile& tile = shared.queries[slot.place][part];
    Queries<kT, kShare> mine(tile, static_cast<float>(a.scale));
    // Scores become weights; true where what was weighed before shrinks. Most tiles are seen whole by all rows of a
    // warp, of which the first sees least.
    const int whole = place.visible(group_row + warp_row, a.causal);
    float shrink[2];
    const auto weigh = [&](int key) {
#pragma unroll
      for (int i = 0; i < kT; ++i) arrived(mine.scores[i]);
      if (key + kT * kTile > whole)
#pragma unroll
        for (int i = 0; i < kT; ++i)
          mine.softmax.hide(mine.scores[i], {place.visible(row, a.causal) - key - i * kTile,
                                             place.visible(row + 8, a.causal) - key - i * kTile});
      return mine.softmax.take(mine.scores, shrink);
    };
    if (seen > 0) {
      next_stage();
      registers_are_ready();
      mine.begin_scores(shared.stages[stage.place].keys[0]);
      wait_for_products<0>();
      weigh(0);
      mine.keep_weights();
      for (int key = kT * kTile; key < seen; key += kT * kTile) {
        const int before = stage.place;
        stage.next();
        next_stage();
        registers_are_ready();
        mine.begin_scores(shared.stages[stage.place].keys[0]);
        mine.begin_sums(shared.stages[before].values[0]);
        wait_for_products<1>();
        const bool shrinks = weigh(key);
        wait_for_products<0>();
        arrived(mine.out), arrived(mine.weights);
        release(before);
        if (shrinks) mine.out.multiply(shrink);
        mine.keep_weights();
      }
      registers_are_ready();
      mine.begin_sums(shared.stages[stage.place].values[0]);
      wait_for_products<0>();
      arrived(mine.out), arrived(mine.weights);
      release(stage.place);
      stage.next();
    }
    for (int t = 0; t < unseen; ++t) {
      next_stage();
      release(stage.place);
      stage.next();
    }
    mine.softmax.finish(mine.out, a, place, row);
    wait_for_group(group);
    mine.store(tile, warp_row, a.out + place.row(a, group_row) * kTile, a.heads * kTile, count);
    before_engines();
    __syncwarp();
    if (lane() == 0) shared.job_empty[slot.place].arrive();
  }
}

template <int kGroups, int kT, int kStages, int kShare>
__global__ void __launch_bounds__(kGroups* kGroup + kGroup, 1)
    attend_wide(Attention<bf16> a, const __grid_constant__ Maps maps) {
  extern __shared__ __align__(1024) char memory[];
  auto& shared = *reinterpret_cast<Shared<kGroups, kT, kStages>*>(memory);
  if (threadIdx.x == 0) shared.make();
  __syncthreads();
  if (threadIdx.x < kGroups * kGroup) {
    take_registers<kGroups == 4 ? 112 : kGroups == 3 ? 160 : 232>();
    attend_to_jobs<kGroups, kT, kStages, kShare>(a, shared);
  } else {
    give_registers<32>();
    if (threadIdx.x == kGroups * kGroup) fetch(a, maps, shared);
  }
}

// Whether this is compute capability 9.0.
bool has_instructions() {
  static const bool has = [] {
    int gpu = 0, major = 0, minor = 0;
    stream();
    check_status(cudaGetDevice(&gpu), "attention");
    check_status(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu), "attention");
    check_status(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu), "attention");
    return major == 9 && minor == 0;
  }();
  return has;
}

template <int kGroups, int kT, int kStages, int kShare>
void launch(const Attention<bf16>& a) {
  const auto kernel = attend_wide<kGroups, kT, kStages, kShare>;
  constexpr int kShared = sizeof(Shared<kGroups, kT, kStages>);
  check_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "attention");
  const Size cols = a.heads * kTile;
  const Maps maps{tile_map(a.q, a.queries, cols, a.q_stride), tile_map(a.k, a.keys, cols, a.k_stride),
                  tile_map(a.v, a.keys, cols, a.v_stride)};
  const Size jobs = a.sentences * a.heads * blocks_for(a.longest_queries, kGroups * kTile);
  const auto blocks = static_cast<unsigned>(std::min<Size>(jobs, multiprocessors()));
  kernel<<<blocks, kGroups * kGroup + kGroup, kShared, stream()>>>(a, maps);
  check_launch("attention");
}

}  // namespace

bool attention_of_long_sentences(const Attention<bf16>& a) {
  constexpr Size kLong = 128;
  if (a.dropout.rate > 0 || a.queries < kLong * a.sentences || a.keys < kLong * a.sentences || !has_instructions())
    return false;
  const int variant = getenv("WIDE") != nullptr ? atoi(getenv("WIDE")) : 0;
  switch (variant) {
    case 0: return old::attention_of_long_sentences(a);
    case 40: launch<4, 1, 8, 0>(a); break;
    case 41: launch<4, 1, 8, 1>(a); break;
    case 42: launch<4, 1, 8, 2>(a); break;
    case 43: launch<4, 1, 8, 3>(a); break;
    case 44: launch<4, 1, 8, 4>(a); break;
    case 30: launch<3, 1, 8, 0>(a); break;
    case 32: launch<3, 1, 8, 2>(a); break;
    case 50: launch<4, 1, 8, 16>(a); break;
    case 51: launch<4, 1, 8, 17>(a); break;
    case 52: launch<4, 1, 8, 18>(a); break;
    case 150: launch<3, 2, 4, 16>(a); break;
    case 152: launch<3, 2, 4, 18>(a); break;
    case 130: launch<3, 2, 4, 0>(a); break;
    case 131: launch<3, 2, 4, 1>(a); break;
    case 132: launch<3, 2, 4, 2>(a); break;
    case 120: launch<2, 2, 4, 0>(a); break;
    case 122: launch<2, 2, 4, 2>(a); break;
    default: return false;
  }
  return true;
}

}  // namespace dragoman::kernels::cuda
