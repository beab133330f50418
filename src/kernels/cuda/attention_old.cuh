#pragma once
#include "kernels/cuda/attention_tiles.cuh"

// Attention forward of long sentences by compute capability 9.0's own matrix instructions, for which alone this file is
// compiled. A block has 128 queries: two groups of four warps with sixty-four each. Keys and values come in tiles of
// sixty-four while earlier ones are multiplied; scores and weights only ever exist in registers, and what one tile
// weighs is summed up while the weights of the next are computed.
namespace dragoman::kernels::cuda::old {
namespace {

constexpr int kGroup = 128, kThreads = 2 * kGroup, kQueries = 2 * kTile;
constexpr int kStages = 4;  // two tiles on their way, one being multiplied, one whose last product may not be done

// Sixty-four rows of 128 bytes, the eights of row r exchanged by r % 8, as the matrix instructions read them.
struct alignas(1024) WideTile {
  bf16 values[kTile * kTile];

  __device__ bf16* eight(int row, int e) { return values + row * kTile + (e ^ row % 8) * 8; }

  // How the instructions are told where it lies: the address and the distance of eight rows in sixteens of bytes, and
  // which exchange there is.
  __device__ std::uint64_t descriptor() const {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(values));
    constexpr std::uint64_t kEightRows = 8 * kTile * sizeof(bf16) / 16, kExchange128 = 1;
    return kExchange128 << 62 | kEightRows << 32 | kEightRows << 16 | (address & 0x3FFFF) >> 4;
  }
};

struct Stage {
  WideTile keys, values;
};

// sum = left right, or sum += left right, for sixteen of the depth; `kTransposed` says how the right tile lies. The
// products of a group of warps are done after wait_for_products(), and until then nobody may touch their registers.
template <bool kTransposed>
__device__ inline void begin_product(Rows& sum, const Quad& left, std::uint64_t right, bool add) {
  float(&s)[8][4] = sum.part;
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.ne.b32 add, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, add, 1, 1, %38;\n"
      "}"
      : "+f"(s[0][0]), "+f"(s[0][1]), "+f"(s[0][2]), "+f"(s[0][3]), "+f"(s[1][0]), "+f"(s[1][1]), "+f"(s[1][2]),
        "+f"(s[1][3]), "+f"(s[2][0]), "+f"(s[2][1]), "+f"(s[2][2]), "+f"(s[2][3]), "+f"(s[3][0]), "+f"(s[3][1]),
        "+f"(s[3][2]), "+f"(s[3][3]), "+f"(s[4][0]), "+f"(s[4][1]), "+f"(s[4][2]), "+f"(s[4][3]), "+f"(s[5][0]),
        "+f"(s[5][1]), "+f"(s[5][2]), "+f"(s[5][3]), "+f"(s[6][0]), "+f"(s[6][1]), "+f"(s[6][2]), "+f"(s[6][3]),
        "+f"(s[7][0]), "+f"(s[7][1]), "+f"(s[7][2]), "+f"(s[7][3])
      : "r"(left.r[0]), "r"(left.r[1]), "r"(left.r[2]), "r"(left.r[3]), "l"(right), "r"(add ? 1 : 0),
        "n"(kTransposed ? 0 : 1));
}
// Before the first product that reads or adds to registers written otherwise.
__device__ inline void registers_are_ready() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void end_of_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until all products are done but the newest kLeft groups that end_of_products() closed.
template <int kLeft>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}
// The compiler does not know when registers are written: after waiting it is told that they may have been.
__device__ inline void arrived(Rows& rows) {
#pragma unroll
  for (auto& part : rows.part)
#pragma unroll
    for (float& value : part) asm volatile("" : "+f"(value)::"memory");
}
__device__ inline void arrived(Quad (&quads)[4]) {
#pragma unroll
  for (Quad& quad : quads)
#pragma unroll
    for (std::uint32_t& r : quad.r) asm volatile("" : "+r"(r)::"memory");
}

// Until the oldest tile on its way is there for the matrix instructions of all threads; `more`: another one may still
// be on its way.
__device__ inline void wait_for_stage(bool more) {
  if (more)
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  else
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

// What a thread copies of every tile: an eight of a row, and of the row that is thirty-two further on.
class Copier {
 public:
  __device__ Copier(const Attention<bf16>& a, const Place& place, Stage* stages)
      : row_(static_cast<int>(threadIdx.x) / 8),
        keys_(place.k(a, row_) + threadIdx.x % 8 * 8),
        values_(place.v(a, row_) + threadIdx.x % 8 * 8),
        to_(static_cast<std::uint32_t>(__cvta_generic_to_shared(stages[0].keys.eight(row_, threadIdx.x % 8)))) {}

  // The next tile, zeros behind the last of `count` keys.
  __device__ void fetch(const Attention<bf16>& a, int count) {
    const std::uint32_t to = to_ + tile_ % kStages * static_cast<std::uint32_t>(sizeof(Stage));
#pragma unroll
    for (int i = 0; i < kTile; i += kRows) {
      const int bytes = row_ < count ? 16 : 0;
      const std::uint32_t place = to + i * kTile * static_cast<std::uint32_t>(sizeof(bf16));
      copy(place, keys_, bytes);
      copy(place + static_cast<std::uint32_t>(sizeof(WideTile)), values_, bytes);
      row_ += kRows;
      keys_ += kRows * a.k_stride;
      values_ += kRows * a.v_stride;
    }
    ++tile_;
    end_of_batch();
  }

 private:
  // Sixteen bytes, of which `bytes` are read and the rest are zeros.
  __device__ static void copy(std::uint32_t to, const bf16* from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
  }

  static constexpr int kRows = kThreads / 8;

  int row_;
  const bf16 *keys_, *values_;
  std::uint32_t to_, tile_ = 0;
};

// What a group of warps has in its registers: sixty-four queries, the weights of a tile of keys, and what is weighed.
struct Queries {
  Quad q[4], weights[4];
  Rows scores, out;
  RunningSoftmax<> softmax;

  // `row` is the lane's first; behind the last query there are zeros.
  __device__ Queries(const Attention<bf16>& a, const Place& place, int row)
      : softmax{static_cast<float>(a.scale) * kLog2E} {
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int i = row + r % 2 * 8, col = 16 * k + r / 2 * 8 + lane() % 4 * 2;
        q[k].r[r] = i < place.queries ? *reinterpret_cast<const std::uint32_t*>(place.q(a, i) + col) : 0u;
      }
    out.clear();
  }

  __device__ void begin_scores(const WideTile& keys) {
#pragma unroll
    for (int k = 0; k < 4; ++k) begin_product<true>(scores, q[k], keys.descriptor() + 2 * k, k > 0);
    end_of_products();
  }
  __device__ void begin_sums(const WideTile& values) {
#pragma unroll
    for (int k = 0; k < 4; ++k) begin_product<false>(out, weights[k], values.descriptor() + 128 * k, true);
    end_of_products();
  }
  __device__ void keep_weights() {
#pragma unroll
    for (int k = 0; k < 4; ++k) weights[k] = scores.as_left(k);
  }
};

__global__ void __launch_bounds__(kThreads, 2) attend_wide(Attention<bf16> a) {
  extern __shared__ Stage stages[];
  const Place place(a);
  const int first = static_cast<int>(blockIdx.x) * kQueries;
  if (first >= place.queries) return;
  const int group = static_cast<int>(threadIdx.x) / kGroup, group_row = first + group * kTile;
  const int warp_row = static_cast<int>(threadIdx.x) / kWarp % 4 * 16, row = group_row + warp_row + lane() / 4;
  const int last = place.visible(min(first + kQueries, place.queries) - 1, a.causal);
  Copier copier(a, place, stages);
  if (last > 0) copier.fetch(a, place.keys);
  if (last > kTile) copier.fetch(a, place.keys);
  Queries mine(a, place, row);
  const auto stage_of = [&](int key) -> Stage& { return stages[key / kTile % kStages]; };
  const auto next_stage = [&](int key) {
    wait_for_stage(key + kTile < last);
    if (key + 2 * kTile < last) copier.fetch(a, place.keys);
  };
  // Scores become weights; true where what was weighed before shrinks.
  float shrink[2];
  const auto weigh = [&](int key) {
    arrived(mine.scores);
    // Most tiles are seen whole by all rows of a warp, of which the first sees least.
    if (key + kTile > place.visible(group_row + warp_row, a.causal))
      mine.softmax.hide(mine.scores, {place.visible(row, a.causal) - key, place.visible(row + 8, a.causal) - key});
    return mine.softmax.take(mine.scores, shrink);
  };
  if (last > 0) next_stage(0);
  if (group_row >= place.queries) {
    for (int key = kTile; key < last; key += kTile) next_stage(key);
  } else if (last > 0) {
    registers_are_ready();
    mine.begin_scores(stage_of(0).keys);
    wait_for_products<0>();
    weigh(0);
    mine.keep_weights();
    int key = kTile;
    for (; key < last; key += kTile) {
      next_stage(key);
      registers_are_ready();
      mine.begin_scores(stage_of(key).keys);
      mine.begin_sums(stage_of(key - kTile).values);
      wait_for_products<1>();
      const bool shrinks = weigh(key);
      wait_for_products<0>();
      arrived(mine.out), arrived(mine.weights);
      if (shrinks) mine.out.multiply(shrink);
      mine.keep_weights();
    }
    registers_are_ready();
    mine.begin_sums(stage_of(key - kTile).values);
    wait_for_products<0>();
    arrived(mine.out), arrived(mine.weights);
  }
  mine.softmax.finish(mine.out, a, place, row);
  __syncthreads();
  store_rows(mine.out, reinterpret_cast<Tile*>(stages)[group], warp_row, a.out + place.row(a, group_row) * kTile,
             a.heads * kTile, place.queries - group_row, false);
}

}  // namespace

inline bool attention_of_long_sentences(const Attention<bf16>& a) {
  constexpr int kShared = kStages * sizeof(Stage);
  check_status(cudaFuncSetAttribute(attend_wide, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "attention");
  const dim3 grid(blocks_for(a.longest_queries, kQueries), static_cast<unsigned>(a.heads),
                  static_cast<unsigned>(a.sentences));
  attend_wide<<<grid, kThreads, kShared, stream()>>>(a);
  check_launch("attention");
  return true;
}

}  // namespace dragoman::kernels::cuda::old
