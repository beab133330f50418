#include <algorithm>

#include "kernels/cuda/lstm.cuh"
#include "kernels/cuda/tiles.cuh"

// A whole LSTM layer in one launch, bf16 on tensor cores. Sixteen sentences that are neighbours in the walk are worked
// on by a group of blocks; each block has thirty-two units, whose weights its warps keep in registers for the whole
// walk. After every step the blocks of a group tell each other what they found. Where a group can be a cluster (compute
// capability 9.0, at most eight blocks), they write to each other's shared memory; otherwise they read it from memory
// and meet at a counter.
//
// Operands come from memory to registers as they lie there. Lane l brings eight numbers side by side of the rows l / 4
// and l / 4 + 8; the four lanes of a row thus hold thirty-two numbers, in another order than two mma.m16n8k16 expect.
// Both operands are in that order, so every product meets its partner.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kSentences = 16, kUnits = 32, kWarps = 8, kThreads = kWarps * kWarp, kDepth = 32;
constexpr int kEach =
    kSentences / kWarps;  // sentences of a thread, element by element: its warp and every eighth after

// Where the blocks of a group meet: a counter that starts at zero.
class Meeting {
 public:
  __device__ Meeting(unsigned* counter, int blocks) : counter_(counter), blocks_(static_cast<unsigned>(blocks)) {}

  // This block has written what the others wait for.
  __device__ void arrive() {
    __syncthreads();
    expected_ += blocks_;
    if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter_) : "memory");
  }
  // Until all have arrived as often as this block.
  __device__ void wait() const {
    if (threadIdx.x == 0) {
      unsigned arrived = 0;
      do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(arrived) : "l"(counter_) : "memory");
      while (arrived < expected_);
    }
    __syncthreads();
  }

 private:
  unsigned* counter_;
  unsigned blocks_, expected_ = 0;
};

// What the blocks of a cluster know of one step, [kSentences, width] by turns for even and odd steps: each writes its
// own units and passes them on to the others. Steps are counted from 0 in the order of the walk; what all others have
// passed on is counted in bytes as it arrives, so that nobody waits for what a block wrote elsewhere. A block that
// passes something on has what all others passed on before, hence nobody still reads what is written over. A thread has
// one piece of sixteen bytes.
template <int kGroups>
class Board {
 public:
  // A block passes on its kUnits numbers from `first` on of kGroups groups, which are `apart` from each other.
  __device__ Board(bf16* memory, int width, int apart, int first, int blocks)
      : memory_(memory), stride_(width + 8), blocks_(static_cast<std::uint32_t>(blocks)) {
    const int piece = static_cast<int>(threadIdx.x) % kPieces, column = piece % (kPieces / kSentences);
    piece_ = piece / (kPieces / kSentences) * stride_ + column / kEights * apart + first + column % kEights * 8;
  }
  static constexpr std::size_t bytes(Size width) {
    return 2 * kSentences * static_cast<std::size_t>(width + 8) * sizeof(bf16);
  }

  __device__ bf16* row(int step, int r) const { return memory_ + (step % 2 * kSentences + r) * stride_; }

#if __CUDA_ARCH__ >= 900
  // By all threads, before anything is passed on.
  __device__ void begin() const {
    if (threadIdx.x == 0) {
      for (int step = 0; step < 2; ++step)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(arrivals(step)) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
      for (int step = 0; step < 2; ++step) expect(step);
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  }

  // The block's numbers of step `step`; by all threads, when all of the block have written theirs.
  __device__ void pass_on(int step) const {
    const bf16* from = row(step, 0) + piece_;
    const uint4 value = *reinterpret_cast<const uint4*>(from);
    const auto here = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
    std::uint32_t rank = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    for (std::uint32_t next = threadIdx.x / kPieces + 1; next < blocks_; next += kThreads / kPieces) {
      const std::uint32_t other = rank + next < blocks_ ? rank + next : rank + next - blocks_;
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
              at(other, here)),
          "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(at(other, arrivals(step)))
          : "memory");
    }
  }

  // Until all others' units of step `step` are here.
  __device__ void wait(int step) const {
    std::uint32_t done = 0;
    do
      asm volatile(
          "{\n\t.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(done)
          : "r"(arrivals(step)), "r"(step / 2 % 2)
          : "memory");
    while (done == 0);
    if (threadIdx.x == 0) expect(step + 2);
  }

 private:
  __device__ static std::uint32_t arrivals(int step) {
    __shared__ __align__(8) std::uint64_t counters[2];
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(counters + step % 2));
  }
  // A shared address as the block of this rank has it.
  __device__ static std::uint32_t at(std::uint32_t rank, std::uint32_t here) {
    std::uint32_t there = 0;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    return there;
  }
  __device__ void expect(int step) const {
    const std::uint32_t bytes = (blocks_ - 1) * static_cast<std::uint32_t>(kPieces * sizeof(uint4));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrivals(step)), "r"(bytes) : "memory");
  }
#else
  __device__ void begin() const {}
  __device__ void pass_on(int) const {}
  __device__ void wait(int) const {}

 private:
#endif
  static constexpr int kEights = kUnits / 8, kPieces = kSentences * kGroups * kEights;
  static_assert(kThreads % kPieces == 0);

  bf16* memory_;
  int stride_, piece_;
  std::uint32_t blocks_;
};

// A sentence of the walk; beyond the last one there are empty ones.
struct Sentence {
  int number = 0, begin = 0, length = 0;
  bool exists = false, reverse = false;

  __device__ Sentence(const LstmLayer<bf16>& a, int i) : exists(i < a.sentences), reverse(a.reverse) {
    if (!exists) return;
    number = a.order[i];
    begin = a.offsets[number];
    length = a.offsets[number + 1] - begin;
  }
  // The packed row of step t.
  __device__ Size row(int t) const { return reverse ? begin + length - 1 - t : begin + t; }
};

// Numbers that a walk reads row by row: those of step t - back, and `first`, sentence after sentence, of the step
// before the first one. What is null is zeros.
struct Plane {
  const bf16 *steps = nullptr, *first = nullptr;
  Size stride = 0;  // from row to row
  int back = 0;

  __device__ const bf16* at(const Sentence& s, int t, Size hidden) const {
    if (t < back) return first != nullptr ? first + s.number * hidden : nullptr;
    return steps != nullptr ? steps + s.row(t - back) * stride : nullptr;
  }
};

// What a warp needs of a step beside sums, kPlanes times kUnits numbers for each of its sentences: it is brought while
// the blocks tell each other what they found. Four lanes bring a plane.
template <int kPlanes>
class Inbox {
 public:
  static constexpr int kWidth = kPlanes * kUnits;

  __device__ Inbox(bf16 (*memory)[kWidth], const Plane& plane, int first_unit)
      : memory_(memory), plane_(plane), first_unit_(first_unit + lane() % 4 * 8) {}

  __device__ void order(const Sentence (&mine)[kEach], int t, Size hidden) const {
    if (lane() / 4 >= kPlanes) return;
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
      if (t < 0 || t >= mine[r].length) continue;
      const bf16* from = plane_.at(mine[r], t, hidden);
      bf16* to = memory_[row_of(r)] + lane() * 8;
      if (from == nullptr)
        *reinterpret_cast<uint4*>(to) = uint4{};
      else
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
            "l"(from + first_unit_)
            : "memory");
    }
  }
  __device__ void wait() const {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
  }
  // The lane's unit of a plane, of the warp's r-th sentence.
  __device__ bf16 get(int r, int plane) const { return memory_[row_of(r)][plane * kUnits + lane()]; }

 private:
  __device__ static int row_of(int r) { return static_cast<int>(threadIdx.x) / kWarp + r * kWarps; }

  bf16 (*memory_)[kWidth];
  Plane plane_;
  int first_unit_;
};

// What a block works on.
struct Place {
  int group, groups, first_unit;

  __device__ Place(const LstmLayer<bf16>& a) {
    const int slices = static_cast<int>(a.hidden) / kUnits;
    group = static_cast<int>(blockIdx.x) / slices, groups = static_cast<int>(gridDim.x) / slices;
    first_unit = static_cast<int>(blockIdx.x) % slices * kUnits;
  }
};

// Sixteen sentences' rows against kTiles times eight columns: kChunks times kDepth products of each pair.
template <int kChunks, int kTiles>
struct WarpProduct {
  uint4 right[kChunks][kTiles];
  float sums[kTiles][4];

  // `upper` and `lower`: where the lane's two rows begin, at the warp's first product; null for rows of zeros. kShared:
  // they lie in shared memory.
  template <bool kShared>
  __device__ void multiply(const bf16* upper, const bf16* lower, int depth) {
    const auto load = [](const bf16* from) {
      const auto* four = reinterpret_cast<const uint4*>(from);
      if constexpr (kShared)
        return *four;
      else
        return __ldcg(four);
    };
    uint4 left[kChunks][2];
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const int k = c * kDepth + lane() % 4 * 8;
      const bool inside = k < depth;
      left[c][0] = inside && upper != nullptr ? load(upper + k) : uint4{};
      left[c][1] = inside && lower != nullptr ? load(lower + k) : uint4{};
    }
#pragma unroll
    for (auto& tile : sums)
#pragma unroll
      for (float& sum : tile) sum = 0;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const Quad first{{left[c][0].x, left[c][1].x, left[c][0].y, left[c][1].y}};
      const Quad second{{left[c][0].z, left[c][1].z, left[c][0].w, left[c][1].w}};
#pragma unroll
      for (int j = 0; j < kTiles; ++j) multiply_add(sums[j], first, right[c][j].x, right[c][j].y);
#pragma unroll
      for (int j = 0; j < kTiles; ++j) multiply_add(sums[j], second, right[c][j].z, right[c][j].w);
    }
  }
  // Column n of tile j is unit 4 n + j of its thirty-two: a lane has eight units side by side of both its rows.
  __device__ void store(int first_tile, float* upper, float* lower) const {
    const auto four = [&](int which) {
      return make_float4(sums[first_tile][which], sums[first_tile + 1][which], sums[first_tile + 2][which],
                         sums[first_tile + 3][which]);
    };
    const int unit = lane() % 4 * 8;
    *reinterpret_cast<float4*>(upper + unit) = four(0);
    *reinterpret_cast<float4*>(upper + unit + 4) = four(1);
    *reinterpret_cast<float4*>(lower + unit) = four(2);
    *reinterpret_cast<float4*>(lower + unit + 4) = four(3);
  }
};

// ---- forward --------------------------------------------------------------------------------------------------

// Of the gates `gates` and `gates` + 1, what multiplies the state from `begin` on.
template <int kChunks>
__device__ void load_weights(WarpProduct<kChunks, 8>& product, const LstmLayer<bf16>& a, int first_unit, int gates,
                             int begin) {
  const int hidden = static_cast<int>(a.hidden), l = lane();
#pragma unroll
  for (int c = 0; c < kChunks; ++c)
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int row = (gates + j / 4) * hidden + first_unit + l / 4 * 4 + j % 4;
      const int k = begin + c * kDepth + l % 4 * 8;
      product.right[c][j] = k < hidden ? *reinterpret_cast<const uint4*>(a.weight + Size{row} * hidden + k) : uint4{};
    }
}

// The first c of a unit; a sentence without rows ends where it begins.
__device__ inline float begin_unit(const LstmLayer<bf16>& a, const Sentence& s, int unit) {
  if (!s.exists) return 0;
  const Size at = s.number * a.hidden + unit;
  const float c = a.c_first != nullptr ? to_float(a.c_first[at]) : 0.0f;
  if (s.length > 0) return c;
  a.h_last[at] = a.h_first != nullptr ? a.h_first[at] : rounded<bf16>(0);
  a.c_last[at] = rounded<bf16>(c);
  return c;
}

__device__ inline void put_unit(const LstmLayer<bf16>& a, const Sentence& s, int t, int unit, const LstmUnit& u) {
  const Size row = s.row(t), n = a.hidden;
  bf16* gates = a.gates + row * 4 * n + unit;
  gates[0] = rounded<bf16>(u.i), gates[n] = rounded<bf16>(u.f);
  gates[2 * n] = rounded<bf16>(u.g), gates[3 * n] = rounded<bf16>(u.o);
  a.h[row * n + unit] = rounded<bf16>(u.h);
  a.c[row * n + unit] = rounded<bf16>(u.c);
  if (t + 1 < s.length) return;
  a.h_last[s.number * n + unit] = rounded<bf16>(u.h);
  a.c_last[s.number * n + unit] = rounded<bf16>(u.c);
}

// The first states of sixteen sentences.
__device__ inline void fill_board(const Board<1>& board, const LstmLayer<bf16>& a, int tile) {
  const int hidden = static_cast<int>(a.hidden);
  for (int e = static_cast<int>(threadIdx.x); e < kSentences * hidden; e += kThreads) {
    const Sentence s(a, tile + e / hidden);
    board.row(1, e / hidden)[e % hidden] =
        s.exists && a.h_first != nullptr ? a.h_first[s.number * a.hidden + e % hidden] : rounded<bf16>(0);
  }
  __syncthreads();
}

// One layer or two, which blocks are told apart by blockIdx.y.
template <class Arguments>
struct Layers {
  Arguments of[2];
};

// Two of the eight warps share a quarter of the state, each for two gates: the gates' sums are those of four warps.
template <int kChunks, bool kCluster>
__global__ void __launch_bounds__(kThreads, kChunks <= 2 ? 2 : 1)
    walk_forward(const __grid_constant__ Layers<LstmLayer<bf16>> layers, unsigned* meetings) {
  const LstmLayer<bf16>& a = layers.of[blockIdx.y];
  extern __shared__ __align__(16) bf16 shared[];
  constexpr int kQuarters = 4, kStride = 4 * kUnits + 4;  // the stride keeps neighbouring rows in different banks
  __shared__ __align__(16) float parts[kQuarters][kSentences][kStride];
  __shared__ __align__(16) bf16 room[kSentences][Inbox<4>::kWidth];
  const Place place(a);
  const int hidden = static_cast<int>(a.hidden), warp = static_cast<int>(threadIdx.x) / kWarp, l = lane();
  const int gates = warp % 2 * 2, quarter = warp / 2, begin = quarter * kChunks * kDepth;
  WarpProduct<kChunks, 8> product;
  load_weights(product, a, place.first_unit, gates, begin);
  const int blocks = hidden / kUnits, unit = place.first_unit + l;
  Meeting meeting(meetings + place.group, blocks);
  const Board<1> board(shared, hidden, 0, place.first_unit, blocks);
  const Inbox<4> inbox(room, {.steps = a.gates + l / 4 * a.hidden, .stride = 4 * a.hidden}, place.first_unit);
  if (kCluster) board.begin();
  for (int tile = place.group * kSentences; tile < a.sentences; tile += place.groups * kSentences) {
    const Sentence upper(a, tile + l / 4), lower(a, tile + l / 4 + 8);
    const Sentence mine[kEach] = {Sentence(a, tile + warp), Sentence(a, tile + warp + kWarps)};
    const int steps = Sentence(a, tile).length;  // the first is the longest
    float c[kEach];
#pragma unroll
    for (int r = 0; r < kEach; ++r) c[r] = begin_unit(a, mine[r], unit);
    if (kCluster) fill_board(board, a, tile);
    const auto before = [&](const Sentence& s, int r, int t) -> const bf16* {
      if (kCluster) return board.row(t + 1, r) + begin;
      if (t >= s.length) return nullptr;
      if (t > 0) return a.h + s.row(t - 1) * hidden + begin;
      return a.h_first != nullptr ? a.h_first + Size{s.number} * hidden + begin : nullptr;
    };
    inbox.order(mine, 0, hidden);
    for (int t = 0; t < steps; ++t) {
      if (t > 0) kCluster ? board.wait(t - 1) : meeting.wait();
      product.template multiply<kCluster>(before(upper, l / 4, t), before(lower, l / 4 + 8, t), hidden - begin);
#pragma unroll
      for (int g = 0; g < 2; ++g)
        product.store(4 * g, parts[quarter][l / 4] + (gates + g) * kUnits,
                      parts[quarter][l / 4 + 8] + (gates + g) * kUnits);
      inbox.wait();
      __syncthreads();
#pragma unroll
      for (int r = 0; r < kEach; ++r) {
        if (t >= mine[r].length) continue;
        float x[4];
#pragma unroll
        for (int g = 0; g < 4; ++g) {
          x[g] = to_float(inbox.get(r, g));
#pragma unroll
          for (int q = 0; q < kQuarters; ++q) x[g] += parts[q][warp + r * kWarps][g * kUnits + l];
        }
        const LstmUnit u = lstm_unit<Quickly>(x[0], x[1], x[2], x[3], c[r]);
        c[r] = u.c;
        put_unit(a, mine[r], t, unit, u);
        if (kCluster) board.row(t, warp + r * kWarps)[unit] = rounded<bf16>(u.h);
      }
      if constexpr (kCluster) {
        __syncthreads();
        if (t + 1 < steps) board.pass_on(t);
      } else {
        meeting.arrive();
      }
      inbox.order(mine, t + 1, hidden);
    }
  }
}

// ---- backward -------------------------------------------------------------------------------------------------

// Of the units from `first_unit` on, what the gates from `begin` on are multiplied by.
template <int kChunks>
__device__ void load_weights(WarpProduct<kChunks, 4>& product, const LstmLayer<bf16>& a, int first_unit, int begin) {
  const int l = lane();
#pragma unroll
  for (int c = 0; c < kChunks; ++c) {
    std::uint32_t words[4][4];  // of each tile: eight gates of one unit
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const int k = begin + c * kDepth + l % 4 * 8 + e;
      uint2 units{};
      if (k < 4 * a.hidden) units = *reinterpret_cast<const uint2*>(a.weight + k * a.hidden + first_unit + l / 4 * 4);
      const std::uint32_t numbers[4] = {units.x & 0xFFFFu, units.x >> 16, units.y & 0xFFFFu, units.y >> 16};
#pragma unroll
      for (int j = 0; j < 4; ++j) words[j][e / 2] = e % 2 == 0 ? numbers[j] : words[j][e / 2] | numbers[j] << 16;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) product.right[c][j] = make_uint4(words[j][0], words[j][1], words[j][2], words[j][3]);
  }
}

// The planes of the way back: four gates, c, the states before, and the gradient of h.
enum : int { kC = 4, kBeforeC, kBeforeH, kGivenH, kBackPlanes };

__device__ inline Plane plane_of(const LstmLayerBackward<bf16>& b, int number) {
  const LstmLayer<bf16>& a = b.forward;
  const Size n = a.hidden;
  if (number < kC) return {.steps = a.gates + number * n, .stride = 4 * n};
  if (number == kC) return {.steps = a.c, .stride = n};
  if (number == kBeforeC) return {.steps = a.c, .first = a.c_first, .stride = n, .back = 1};
  if (number == kBeforeH) return {.steps = a.h, .first = a.h_first, .stride = n, .back = 1};
  return {.steps = b.dh, .stride = n};
}

// Each warp has an eighth of the gates. Step -1 is what reaches the first state.
template <int kChunks, bool kCluster>
__global__ void __launch_bounds__(kThreads, kChunks <= 4 ? 2 : 1)
    walk_backward(const __grid_constant__ Layers<LstmLayerBackward<bf16>> layers, unsigned* meetings) {
  const LstmLayerBackward<bf16>& b = layers.of[blockIdx.y];
  extern __shared__ __align__(16) bf16 shared[];
  constexpr int kStride = kUnits + 4;
  __shared__ __align__(16) float parts[kWarps][kSentences][kStride];
  __shared__ __align__(16) bf16 room[kSentences][Inbox<kBackPlanes>::kWidth];
  const LstmLayer<bf16>& a = b.forward;
  const Place place(a);
  const int hidden = static_cast<int>(a.hidden), warp = static_cast<int>(threadIdx.x) / kWarp, l = lane();
  const int begin = warp * kChunks * kDepth;
  WarpProduct<kChunks, 4> product;
  load_weights(product, a, place.first_unit, begin);
  const int blocks = hidden / kUnits;
  Meeting meeting(meetings + place.group, blocks);
  const Board<4> board(shared, 4 * hidden, hidden, place.first_unit, blocks);
  const Inbox<kBackPlanes> inbox(room, plane_of(b, l / 4), place.first_unit);
  if (kCluster) board.begin();
  const int unit = place.first_unit + l, last = b.dh_first != nullptr || b.dc_first != nullptr ? -1 : 0;
  for (int tile = place.group * kSentences; tile < a.sentences; tile += place.groups * kSentences) {
    const Sentence upper(a, tile + l / 4), lower(a, tile + l / 4 + 8);
    const Sentence mine[kEach] = {Sentence(a, tile + warp), Sentence(a, tile + warp + kWarps)};
    const int steps = Sentence(a, tile).length;
    float dc[kEach] = {};
    const auto later = [&](const Sentence& s, int r, int t) -> const bf16* {
      if (t + 1 >= s.length) return nullptr;
      return kCluster ? board.row(steps - 2 - t, r) + begin : b.dgates + s.row(t + 1) * 4 * hidden + begin;
    };
    inbox.order(mine, steps - 1, hidden);
    for (int t = steps - 1; t >= last; --t) {
      if (t + 1 < steps) {
        kCluster ? board.wait(steps - 2 - t) : meeting.wait();
        product.template multiply<kCluster>(later(upper, l / 4, t), later(lower, l / 4 + 8, t), 4 * hidden - begin);
        product.store(0, parts[warp][l / 4], parts[warp][l / 4 + 8]);
        __syncthreads();
      }
      inbox.wait();
#pragma unroll
      for (int r = 0; r < kEach; ++r) {
        const Sentence& s = mine[r];
        if (!s.exists || t >= s.length) continue;
        const Size at = s.number * a.hidden + unit;
        float dh = t >= 0 ? to_float(inbox.get(r, kGivenH)) : 0.0f;
        if (t + 1 < s.length) {
#pragma unroll
          for (int w = 0; w < kWarps; ++w) dh += parts[w][warp + r * kWarps][l];
        } else {
          if (b.dh_last != nullptr) dh += to_float(b.dh_last[at]);
          if (b.dc_last != nullptr) dc[r] = to_float(b.dc_last[at]);
        }
        if (t < 0) {
          if (b.dh_first != nullptr) put(b.dh_first[at], dh, b.accumulate_dh_first);
          if (b.dc_first != nullptr) put(b.dc_first[at], dc[r], b.accumulate_dc_first);
          continue;
        }
        const auto given = [&](int plane) { return to_float(inbox.get(r, plane)); };
        const LstmUnitGradient d =
            lstm_unit_backward<Quickly>(given(0), given(1), given(2), given(3), given(kBeforeC), given(kC), dh, dc[r]);
        dc[r] = d.c_before;
        const Size row = s.row(t);
        b.h_before[row * hidden + unit] = inbox.get(r, kBeforeH);
        const bf16 dgates[4] = {rounded<bf16>(d.i), rounded<bf16>(d.f), rounded<bf16>(d.g), rounded<bf16>(d.o)};
#pragma unroll
        for (int g = 0; g < 4; ++g) {
          b.dgates[(row * 4 + g) * hidden + unit] = dgates[g];
          if (kCluster) board.row(steps - 1 - t, warp + r * kWarps)[g * hidden + unit] = dgates[g];
        }
      }
      if constexpr (kCluster) {
        __syncthreads();
        if (t > last) board.pass_on(steps - 1 - t);
      } else {
        meeting.arrive();
      }
      inbox.order(mine, t - 1, hidden);
    }
  }
}

// ---- launches -------------------------------------------------------------------------------------------------

bool fits(const LstmLayer<bf16>& a) {
  return a.hidden % kUnits == 0 && a.hidden <= 512 && a.hidden / kUnits <= multiprocessors() &&
         aligned16(a.weight, a.gates, a.h, a.c, a.h_first, a.c_first);
}

// The same walk for both kinds of group.
template <class Arguments>
struct Walks {
  using Kernel = void (*)(Layers<Arguments>, unsigned*);
  Kernel with_clusters, without;
  Size widest;  // what blocks tell each other of a sentence's step: at most so many numbers
};

// One cluster for each sixteen sentences, or as many groups as there is room for at once.
template <const auto& walks, class Arguments>
void launch(const char* name, const Arguments& arguments, const LstmLayer<bf16>& a, Size width) {
  constexpr Size kMostBlocks = 8;  // of a cluster
  static const bool known = [name] {
    check_status(
        cudaFuncSetAttribute(walks.with_clusters, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(Board<1>::bytes(std::min(walks.widest, 4 * kMostBlocks * kUnits)))),
        name);
    return knows_clusters(reinterpret_cast<const void*>(walks.with_clusters), name);
  }();
  const Size slices = a.hidden / kUnits, tiles = (a.sentences + kSentences - 1) / kSentences;
  const bool clusters = known && slices <= kMostBlocks;
  if (!clusters && arguments.beside != nullptr) {
    launch<walks>(name, *arguments.beside, a, width);
    Arguments alone = arguments;
    alone.beside = nullptr;
    return launch<walks>(name, alone, a, width);
  }
  const Size groups = clusters ? tiles : std::min(tiles, multiprocessors() / slices);
  const Layers<Arguments> layers{arguments, arguments.beside != nullptr ? *arguments.beside : arguments};
  unsigned* meetings = nullptr;
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(groups * slices), arguments.beside != nullptr ? 2 : 1);
  config.blockDim = dim3(kThreads);
  config.stream = stream();
  config.attrs = &attribute;
  config.numAttrs = 1;
  if (clusters) {
    config.dynamicSmemBytes = Board<1>::bytes(width);
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(slices), 1, 1};
  } else {
    meetings = scratch<unsigned>(Scratch::meetings, groups);
    clear(meetings, static_cast<std::size_t>(groups) * sizeof(unsigned));
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  if (getenv("FEEDOCC") != nullptr && clusters) {
    int most = 0;
    cudaOccupancyMaxActiveClusters(&most, walks.with_clusters, &config);
    fprintf(stderr, "%s clusters at once %d of %u\n", name, most, config.gridDim.x * config.gridDim.y / static_cast<unsigned>(slices));
  }
  check_status(cudaLaunchKernelEx(&config, clusters ? walks.with_clusters : walks.without, layers, meetings), name);
}

template <int kChunks>
constexpr Walks<LstmLayer<bf16>> kForward{walk_forward<kChunks, true>, walk_forward<kChunks, false>, kChunks * 128};
template <int kChunks>
constexpr Walks<LstmLayerBackward<bf16>> kBackward{walk_backward<kChunks, true>, walk_backward<kChunks, false>,
                                                   kChunks * 256};

}  // namespace

bool lstm_on_tensor_cores(const LstmLayer<bf16>& a) {
  if (!fits(a) || (a.beside != nullptr && !fits(*a.beside))) return false;
  const auto walk = a.hidden <= 128   ? launch<kForward<1>, LstmLayer<bf16>>
                    : a.hidden <= 256 ? launch<kForward<2>, LstmLayer<bf16>>
                                      : launch<kForward<4>, LstmLayer<bf16>>;
  walk("lstm_layer", a, a, a.hidden);
  return true;
}

bool lstm_on_tensor_cores(const LstmLayerBackward<bf16>& b) {
  const LstmLayer<bf16>& a = b.forward;
  if (!fits(a) || !aligned16(b.dgates, b.dh)) return false;
  if (b.beside != nullptr && (!fits(b.beside->forward) || !aligned16(b.beside->dgates, b.beside->dh))) return false;
  const auto walk = a.hidden <= 128   ? launch<kBackward<2>, LstmLayerBackward<bf16>>
                    : a.hidden <= 256 ? launch<kBackward<4>, LstmLayerBackward<bf16>>
                                      : launch<kBackward<8>, LstmLayerBackward<bf16>>;
  walk("lstm_layer_backward", b, a, 4 * a.hidden);
  return true;
}

}  // namespace dragoman::kernels::cuda
