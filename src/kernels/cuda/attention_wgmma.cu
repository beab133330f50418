#include "kernels/cuda/attention_old.cuh"
#include "kernels/cuda/attention_tiles.cuh"
#include "kernels/cuda/tile_map.h"
#include "kernels/cuda/wgmma.cuh"

// Attention forward of long sentences by compute capability 9.0's own instructions, for which alone this file is
// compiled. A block stays on its multiprocessor and does job after job: four groups of warps with sixty-four queries
// each, and one thread that has the copy engine fetch queries, keys and values ahead of them, jobs' boundaries or not.
// Groups do not wait for one another, so that some compute weights while the products of others run; scores and weights
// only ever exist in registers, and what one tile weighs is summed up while the weights of the next are computed.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kGroups = 4, kWarps = 4 * kGroups, kThreads = (kGroups + 1) * kGroup, kQueries = kGroups * kTile;

// A head of some queries of a sentence: the first of them, or none if there are no more jobs; which group has them, the
// next ones being the following groups'; and how many tiles of keys they see.
struct Job {
  Place place;
  int first, group, tiles;
};

struct Stage {
  WideTile keys, values;
};

// Places are `full` when what was copied there is there, and `empty` when all warps are done with it.
template <int kStages, int kSlots>
struct Shared {
  Stage stages[kStages];
  WideTile queries[kSlots][kGroups];
  Job jobs[kSlots];
  Barrier stage_full[kStages], stage_empty[kStages], job_full[kSlots], job_empty[kSlots];

  __device__ void make() {
    for (Barrier& barrier : stage_full) barrier.make(1);
    for (Barrier& barrier : stage_empty) barrier.make(kWarps);
    for (Barrier& barrier : job_full) barrier.make(1);
    for (Barrier& barrier : job_empty) barrier.make(kWarps);
    barriers_are_made();
  }
};

// Where queries, keys and values lie, for the copy engine.
struct Maps {
  CUtensorMap q, k, v;
};

__device__ inline int tiles_of(int rows) { return (rows + kTile - 1) / kTile; }

// Fetches what the block's jobs need; by one thread.
template <int kStages, int kSlots>
__device__ void fetch(const Attention<bf16>& a, const Maps& maps, Shared<kStages, kSlots>& shared) {
  constexpr int kBytes = sizeof(WideTile);
  Turn<kSlots> slot;
  Turn<kStages> stage;
  int group = 0;
  const int parts = (static_cast<int>(a.longest_queries) + kQueries - 1) / kQueries, heads = static_cast<int>(a.heads);
  const int jobs = static_cast<int>(a.sentences) * heads * parts;
  for (int j = static_cast<int>(blockIdx.x); j < jobs; j += static_cast<int>(gridDim.x)) {
    // Later parts of a sentence may see more keys, so no block has the same part each time.
    const int pair = j / parts, first = (j + pair) % parts * kQueries;
    const Place place(a, pair / heads, pair % heads);
    if (first >= place.queries) continue;
    const int end = min(first + kQueries, place.queries), col = static_cast<int>(place.head) * kTile;
    const int tiles = tiles_of(place.visible(end - 1, a.causal));
    shared.job_empty[slot.place].wait(slot.parity ^ 1);
    shared.jobs[slot.place] = {place, first, group, tiles};
    Barrier& job = shared.job_full[slot.place];
    job.arrive_and_expect(tiles_of(end - first) * kBytes);
    for (int row = first; row < end; row += kTile, ++group)
      job.copy(shared.queries[slot.place][group % kGroups], maps.q, col, static_cast<int>(place.first_query) + row);
    slot.next();
    for (int t = 0; t < tiles; ++t) {
      const int row = static_cast<int>(place.first_key) + t * kTile;
      Barrier& full = shared.stage_full[stage.place];
      Stage& to = shared.stages[stage.place];
      shared.stage_empty[stage.place].wait(stage.parity ^ 1);
      full.arrive_and_expect(2 * kBytes);
      full.copy(to.keys, maps.k, col, row);
      full.copy(to.values, maps.v, col, row);
      stage.next();
    }
  }
  shared.job_empty[slot.place].wait(slot.parity ^ 1);
  shared.jobs[slot.place].first = -1;
  shared.job_full[slot.place].arrive();
}

// What a group of warps has in its registers: for sixty-four queries the weights of a tile of keys, and what is
// weighed.
struct Queries {
  WideTile& queries;
  Quad weights[4];
  Rows scores, out;
  RunningSoftmax<> softmax;

  __device__ Queries(WideTile& queries, float scale) : queries(queries), weights{}, softmax{scale * kLog2E} {
    out.clear();
  }

  __device__ void begin_scores(const WideTile& keys) {
    const std::uint64_t left = queries.descriptor(), right = keys.descriptor();
#pragma unroll
    for (int k = 0; k < 4; ++k) begin_product_transposed(scores, left + 2 * k, right + 2 * k, k > 0);
    end_of_products();
  }
  __device__ void begin_sums(const WideTile& values) {
    const std::uint64_t right = values.descriptor();
#pragma unroll
    for (int k = 0; k < 4; ++k) begin_product(out, weights[k], right + 128 * k, true);
    end_of_products();
  }
  __device__ void keep_weights() {
#pragma unroll
    for (int k = 0; k < 4; ++k) weights[k] = scores.as_left(k);
  }
  // The scores of a warp's rows once more, by itself.
  __device__ void repeat_scores(WideTile& keys, int warp_row) {
    asm volatile("" : "+r"(warp_row));  // so that nothing of this is computed before it is needed
    scores.clear();
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
      const Quad left = load_quad(queries.eight(warp_row + lane() % 16, 2 * k + lane() / 16));
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const Quad two = load_quad(keys.eight(16 * n + lane() % 8 + lane() / 16 * 8, 2 * k + lane() / 8 % 2));
        multiply_add(scores.part[2 * n], left, two.r[0], two.r[1]);
        multiply_add(scores.part[2 * n + 1], left, two.r[2], two.r[3]);
      }
    }
  }
  // A warp's rows to memory, through its rows of the queries' tile; those behind the first `count` of the group are not
  // there.
  __device__ void store(int warp_row, bf16* to, Size stride, int count) {
    const int l = lane();
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
      for (int r = 0; r < 2; ++r)
        reinterpret_cast<std::uint32_t*>(queries.eight(warp_row + l / 4 + 8 * r, n))[l % 4] =
            pack_bf16(out.part[n][2 * r], out.part[n][2 * r + 1]);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = warp_row + 4 * i + l / 8;
      if (row >= count) continue;
      *reinterpret_cast<uint4*>(to + row * stride + l % 8 * 8) =
          *reinterpret_cast<const uint4*>(queries.eight(row, l % 8));
    }
  }
};

// Jobs of a group of warps, until there are no more.
template <int kStages, int kSlots, int kMode>
__device__ void attend_to_jobs(const Attention<bf16>& a, Shared<kStages, kSlots>& shared) {
  const auto uniform = [](int x) { return kMode & 32 ? __shfl_sync(kAllLanes, x, 0) : x; };
  const int group = uniform(static_cast<int>(threadIdx.x) / kGroup);
  const int warp_row = uniform(static_cast<int>(threadIdx.x) / kWarp % 4 * 16);
  Turn<kStages> stage;
  const auto wait_for_stage = [&] { shared.stage_full[stage.place].wait(stage.parity); };
  const auto release = [](Barrier& empty) {
    if (lane() == 0) empty.arrive();
  };
  for (Turn<kSlots> slot;; slot.next()) {
    shared.job_full[slot.place].wait(slot.parity);
    const Job& job = shared.jobs[slot.place];
    if (uniform(job.first) < 0) return;
    // What the job says is read again where it is needed: registers are few.
    const auto group_row = [&] { return job.first + (group - job.group & kGroups - 1) * kTile; };
    const auto row = [&] { return group_row() + warp_row + lane() / 4; };
    const auto visible = [&](int i) { return job.place.visible(i, a.causal); };
    const int count = job.place.queries - group_row();
    const int seen = uniform(count > 0 ? visible(group_row() + min(kTile, count) - 1) : 0);
    const int unseen = uniform(job.tiles) - tiles_of(seen);
    Queries mine(shared.queries[slot.place][group], static_cast<float>(a.scale));
    // Behind the last query lie the next sentence's, which have no say.
#pragma unroll
    for (int r = 0; r < 2; ++r)
      if (row() + 8 * r >= job.place.queries) mine.softmax.origin[r] = INFINITY;
    // Most tiles are seen whole by all rows of a warp, of which the first sees least.
    const int whole = uniform(visible(group_row() + warp_row));
    const auto hide = [&](int key) {
      if (key + kTile > whole) mine.softmax.hide(mine.scores, {visible(row()) - key, visible(row() + 8) - key});
    };
    if constexpr (kMode & 16) {
      for (int key = 0; key < seen; key += kTile) {
        const int before = stage.place;
        if (key > 0) stage.next();
        wait_for_stage();
        registers_are_ready();
        mine.begin_scores(shared.stages[stage.place].keys);
        mine.begin_sums(shared.stages[before].values);
        wait_for_products<1>();
        arrived(mine.scores);
        hide(key);
        const bool fits = key > 0 && mine.softmax.follow(mine.scores);
        wait_for_products<0>();
        arrived(mine.out), arrived(mine.weights);
        if (key > 0) release(shared.stage_empty[before]);
        if (!fits) {
          if (key > 0) {
            mine.repeat_scores(shared.stages[stage.place].keys, warp_row);
            hide(key);
          }
          float shrink[2];
          if (mine.softmax.take(mine.scores, shrink)) mine.out.multiply(shrink);
        }
        mine.keep_weights();
      }
      if (seen > 0) {
        registers_are_ready();
        mine.begin_sums(shared.stages[stage.place].values);
        wait_for_products<0>();
        arrived(mine.out), arrived(mine.weights);
        release(shared.stage_empty[stage.place]);
        stage.next();
      }
    } else {
      float shrink[2];
      if (seen > 0) {
        wait_for_stage();
        registers_are_ready();
        mine.begin_scores(shared.stages[stage.place].keys);
        wait_for_products<0>();
        arrived(mine.scores);
        hide(0);
        if constexpr (!(kMode & 4)) mine.softmax.take(mine.scores, shrink);
        mine.keep_weights();
        for (int key = kTile; key < seen; key += kTile) {
          const int before = stage.place;
          stage.next();
          wait_for_stage();
          registers_are_ready();
          if constexpr (!(kMode & 8)) {
            mine.begin_scores(shared.stages[stage.place].keys);
            if constexpr (kMode & 2) {
              wait_for_products<0>();
              arrived(mine.scores);
              mine.begin_sums(shared.stages[before].values);
            } else {
              mine.begin_sums(shared.stages[before].values);
              wait_for_products<1>();
            }
          }
          arrived(mine.scores);
          hide(key);
          bool fits = true, shrinks = false;
          if constexpr (kMode & 4) {
          } else if constexpr (kMode & 1) {
            shrinks = mine.softmax.take(mine.scores, shrink);
          } else {
            fits = mine.softmax.follow(mine.scores);
          }
          wait_for_products<0>();
          arrived(mine.out), arrived(mine.weights);
          release(shared.stage_empty[before]);
          if (!fits) {
            mine.repeat_scores(shared.stages[stage.place].keys, warp_row);
            hide(key);
            shrinks = mine.softmax.take(mine.scores, shrink);
          }
          if (shrinks) mine.out.multiply(shrink);
          mine.keep_weights();
        }
        registers_are_ready();
        mine.begin_sums(shared.stages[stage.place].values);
        wait_for_products<0>();
        arrived(mine.out), arrived(mine.weights);
        release(shared.stage_empty[stage.place]);
        stage.next();
      }
    }
    for (int t = 0; t < unseen; ++t) {
      wait_for_stage();
      release(shared.stage_empty[stage.place]);
      stage.next();
    }
    mine.softmax.finish(mine.out, a, job.place, row());
    wait_for_group(group);
    mine.store(warp_row, a.out + job.place.row(a, group_row()) * kTile, a.heads * kTile,
               job.place.queries - group_row());
    before_engines();
    __syncwarp();
    release(shared.job_empty[slot.place]);
  }
}

template <int kStages, int kSlots, int kMode>
__global__ void __launch_bounds__(kThreads, 1) attend_wide(Attention<bf16> a, const __grid_constant__ Maps maps) {
  extern __shared__ __align__(1024) char memory[];
  auto& shared = *reinterpret_cast<Shared<kStages, kSlots>*>(memory);
  if (threadIdx.x == 0) shared.make();
  __syncthreads();
  // Of 96 registers that a thread begins with.
  if (threadIdx.x < kGroups * kGroup) {
    take_registers<112>();
    attend_to_jobs<kStages, kSlots, kMode>(a, shared);
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

template <int kStages, int kSlots, int kMode>
void launch(const Attention<bf16>& a) {
  const auto kernel = attend_wide<kStages, kSlots, kMode>;
  constexpr int kShared = sizeof(Shared<kStages, kSlots>);
  check_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "attention");
  const Size cols = a.heads * kTile;
  const Maps maps{tile_map(a.q, a.queries, cols, a.q_stride), tile_map(a.k, a.keys, cols, a.k_stride),
                  tile_map(a.v, a.keys, cols, a.v_stride)};
  const Size jobs = a.sentences * a.heads * blocks_for(a.longest_queries, kQueries);
  const auto blocks = static_cast<unsigned>(std::min<Size>(jobs, multiprocessors()));
  kernel<<<blocks, kThreads, kShared, stream()>>>(a, maps);
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
    case 1: launch<8, 2, 16>(a); break;
    case 2: launch<8, 2, 0>(a); break;
    case 3: launch<8, 2, 1>(a); break;
    case 4: launch<8, 2, 2>(a); break;
    case 5: launch<8, 2, 4>(a); break;
    case 6: launch<8, 2, 8>(a); break;
    case 7: launch<6, 3, 16>(a); break;
    case 8: launch<8, 2, 48>(a); break;
    case 9: launch<8, 2, 32>(a); break;
    default: return false;
  }
  return true;
}

}  // namespace dragoman::kernels::cuda
