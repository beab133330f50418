#include <algorithm>
#include <array>
#include <atomic>

#include "kernels/cuda/recurrence/lstm.cuh"
#include "kernels/cuda/recurrence/lstm_walk.cuh"

// A whole LSTM layer in one launch, in bf16 on tensor cores (a persistent kernel). Sentences are sorted by length,
// longest first, and a group of blocks processes 16 or more adjacent ones at a time. Each block owns 32 units and keeps
// their weights in registers for all time steps. After every step the blocks of a group exchange their results. Where a
// group can be a thread block cluster (compute capability 9.0, at most eight blocks), they write to each other's shared
// memory (distributed shared memory). Otherwise they exchange through global memory and synchronise with a counter.
namespace dragoman::kernels::cuda {
namespace {

using namespace walk;

// One or two layers; blockIdx.y selects the layer.
template <class Arguments>
struct Layers {
  Arguments of[2];
};

// ---- forward --------------------------------------------------------------------------------------------------

// Loads the weights of gates `gates` and `gates` + 1 for the elements of h from `begin` on.
template <int kChunks>
__device__ void load_weights(WarpProduct<kChunks, 2>& product, const LstmLayer<bf16>& a, int first_unit, int gates,
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

// Returns the initial c of two units. For an empty sentence, also stores the initial states as the final ones.
__device__ inline float2 begin_units(const LstmLayer<bf16>& a, const Sentence& s, int unit) {
  if (!s.exists()) return {};
  const Size at = s.number * a.hidden + unit;
  const float2 c = load2(a.c_first != nullptr ? a.c_first + at : nullptr);
  if (s.length > 0) return c;
  const float2 h = load2(a.h_first != nullptr ? a.h_first + at : nullptr);
  store2(a.h_last + at, pack_bf16(h.x, h.y));
  store2(a.c_last + at, pack_bf16(c.x, c.y));
  return c;
}

// Stores the gates and states of two units at step t; returns their h.
__device__ inline std::uint32_t put_units(const LstmLayer<bf16>& a, const Sentence& s, int t, int unit,
                                          const LstmUnit& u, const LstmUnit& v) {
  const Size row = s.row(t), n = a.hidden;
  bf16* gates = a.gates + row * 4 * n + unit;
  store2(gates, pack_bf16(u.i, v.i));
  store2(gates + n, pack_bf16(u.f, v.f));
  store2(gates + 2 * n, pack_bf16(u.g, v.g));
  store2(gates + 3 * n, pack_bf16(u.o, v.o));
  const std::uint32_t h = pack_bf16(u.h, v.h), c = pack_bf16(u.c, v.c);
  store2(a.h + row * n + unit, h);
  store2(a.c + row * n + unit, c);
  if (t + 1 < s.length) return h;
  store2(a.h_last + s.number * n + unit, h);
  store2(a.c_last + s.number * n + unit, c);
  return h;
}

using ForwardShared = Shared<4, 4 * kUnits, 4>;

// Copies the initial h of the group's sentences to the buffer that step 0 reads.
template <int kTiles>
__device__ inline void fill_exchange(const Exchange<1, kTiles>& exchange, const LstmLayer<bf16>& a,
                                     const ForwardShared& shared) {
  const int hidden = static_cast<int>(a.hidden);
  for (int e = static_cast<int>(threadIdx.x); e < shared.rows * hidden; e += kThreads) {
    const Sentence s = shared.sentences[e / hidden];
    exchange.row(1, e / hidden)[exchange.permuted(e % hidden)] =
        s.exists() && a.h_first != nullptr ? a.h_first[s.number * a.hidden + e % hidden] : rounded<bf16>(0);
  }
  __syncthreads();
}

// Each of the eight warps multiplies a quarter of h for two gates, so the sum of a gate has four parts. A group
// processes `rows` sentences at a time: 16 with one tile, up to 32 with two.
template <int kChunks, int kTiles, bool kCluster>
__global__ void __launch_bounds__(kThreads, kChunks <= 2 ? 2 : 1)
    walk_forward(const __grid_constant__ Layers<LstmLayer<bf16>> layers, int rows, unsigned* counters) {
  const LstmLayer<bf16>& a = layers.of[blockIdx.y];
  extern __shared__ __align__(16) unsigned char memory[];
  const ForwardShared shared(memory, kTiles == 1 ? kTileRows : rows);
  const BlockWork work(a);
  const int hidden = static_cast<int>(a.hidden), warp = static_cast<int>(threadIdx.x) / kWarp, l = lane();
  const int gates = warp % 2 * 2, quarter = warp / 2, begin = quarter * kChunks * kDepth;
  WarpProduct<kChunks, 2> product;
  load_weights(product, a, work.first_unit, gates, begin);
  const int blocks = hidden / kUnits, unit = work.first_unit + thread_unit();
  GroupBarrier barrier(counters + work.group, blocks);
  const Exchange<1, kTiles> exchange(shared.exchange, shared.rows, hidden, 0, work.first_unit, blocks);
  using In = OperandBuffer<4, kTiles>;
  const In operands(shared.operands, {.steps = a.gates + In::plane_of_lane() * a.hidden, .stride = 4 * a.hidden},
                    work.first_unit);
  if (kCluster) exchange.begin();
  for (int tile = work.group * shared.rows; tile < a.sentences; tile += work.groups * shared.rows) {
    shared.begin(a, tile);
    const int steps = shared.sentences[0].length;  // the first is the longest
    float2 c[kTiles] = {};
#pragma unroll
    for (int m = 0; m < kTiles; ++m)
      if (thread_row(m) < shared.rows) c[m] = begin_units(a, shared.sentences[thread_row(m)], unit);
    if (kCluster) fill_exchange(exchange, a, shared);
    const auto before = [&](int row, int t) -> const bf16* {
      const Sentence s = shared.sentences[row];
      if (t >= s.length) return nullptr;
      if (t > 0) return a.h + s.row(t - 1) * hidden + begin;
      return a.h_first != nullptr ? a.h_first + Size{s.number} * hidden + begin : nullptr;
    };
    operands.prefetch(shared.sentences, shared.rows, 0, hidden);
    for (int t = 0; t < steps; ++t) {
      if (t > 0) kCluster ? exchange.wait(t - 1) : barrier.wait();
#pragma unroll 1
      for (int m = 0; m < kTiles; ++m) {
        const int upper = m * kTileRows + l / 4, lower = upper + 8;
        if (kCluster)
          product.load(exchange.row(t + 1, shared.row_of_lane(m)), begin, hidden);
        else
          product.load_from_memory(before(upper, t), before(lower, t), hidden - begin);
#pragma unroll
        for (int g = 0; g < 2; ++g)
          product.multiply(g, upper < shared.rows ? shared.part(quarter, upper) + (gates + g) * kUnits : nullptr,
                           lower < shared.rows ? shared.part(quarter, lower) + (gates + g) * kUnits : nullptr);
      }
      operands.wait();
      __syncthreads();
#pragma unroll
      for (int m = 0; m < kTiles; ++m) {
        const int row = thread_row(m);
        if (row >= shared.rows || t >= shared.sentences[row].length) continue;
        float2 x[4];
#pragma unroll
        for (int g = 0; g < 4; ++g) {
          x[g] = unpacked(operands.get(row, g));
          shared.add_parts(x[g], row, g * kUnits);
        }
        const LstmUnit u = lstm_unit<FastMath>(x[0].x, x[1].x, x[2].x, x[3].x, c[m].x);
        const LstmUnit v = lstm_unit<FastMath>(x[0].y, x[1].y, x[2].y, x[3].y, c[m].y);
        c[m] = {u.c, v.c};
        const std::uint32_t h = put_units(a, shared.sentences[row], t, unit, u, v);
        if (kCluster) store2(exchange.row(t, row) + exchange.permuted(unit), h);
      }
      if constexpr (kCluster) {
        __syncthreads();
        if (t + 1 < steps) exchange.send(t);
      } else {
        barrier.arrive();
      }
      operands.prefetch(shared.sentences, shared.rows, t + 1, hidden);
    }
  }
}

// ---- backward -------------------------------------------------------------------------------------------------

// Loads the transposed weights: from the gates from `begin` on to the units from `first_unit` on.
template <int kChunks>
__device__ void load_weights(WarpProduct<kChunks, 1>& product, const LstmLayer<bf16>& a, int first_unit, int begin) {
  const int l = lane();
#pragma unroll
  for (int c = 0; c < kChunks; ++c) {
    std::uint32_t words[4][4];  // per mma tile: eight gates of one unit
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

// Stores or adds the gradient of the initial state of two units, where asked for.
__device__ inline void put_first(bf16* to, Size at, float2 x, bool accumulate) {
  if (to == nullptr) return;
  if (accumulate) add2(x, load2(to + at));
  store2(to + at, pack_bf16(x.x, x.y));
}

// The operands of a backward step: four gates, c, the previous c and h, and the incoming gradient of h.
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

using BackwardShared = Shared<kWarps, kUnits, kBackPlanes>;

// Each warp multiplies an eighth of the gate gradients. Step -1 computes the gradient of the initial state.
template <int kChunks, int kTiles, bool kCluster>
__global__ void __launch_bounds__(kThreads, kChunks <= 4 ? 2 : 1)
    walk_backward(const __grid_constant__ Layers<LstmLayerBackward<bf16>> layers, int rows, unsigned* counters) {
  const LstmLayerBackward<bf16>& b = layers.of[blockIdx.y];
  const LstmLayer<bf16>& a = b.forward;
  extern __shared__ __align__(16) unsigned char memory[];
  const BackwardShared shared(memory, kTiles == 1 ? kTileRows : rows);
  const BlockWork work(a);
  const int hidden = static_cast<int>(a.hidden), warp = static_cast<int>(threadIdx.x) / kWarp, l = lane();
  const int begin = warp * kChunks * kDepth;
  WarpProduct<kChunks, 1> product;
  load_weights(product, a, work.first_unit, begin);
  const int blocks = hidden / kUnits;
  GroupBarrier barrier(counters + work.group, blocks);
  const Exchange<4, kTiles> exchange(shared.exchange, shared.rows, 4 * hidden, hidden, work.first_unit, blocks);
  using In = OperandBuffer<kBackPlanes, kTiles>;
  const In operands(shared.operands, plane_of(b, In::plane_of_lane()), work.first_unit);
  if (kCluster) exchange.begin();
  const int unit = work.first_unit + thread_unit(), last = b.dh_first != nullptr || b.dc_first != nullptr ? -1 : 0;
  for (int tile = work.group * shared.rows; tile < a.sentences; tile += work.groups * shared.rows) {
    shared.begin(a, tile);
    const int steps = shared.sentences[0].length;
    float2 dc[kTiles] = {};
    const auto later = [&](int row, int t) -> const bf16* {
      const Sentence s = shared.sentences[row];
      return t + 1 < s.length ? b.dgates + s.row(t + 1) * 4 * hidden + begin : nullptr;
    };
    operands.prefetch(shared.sentences, shared.rows, steps - 1, hidden);
    for (int t = steps - 1; t >= last; --t) {
      if (t + 1 < steps) {
        kCluster ? exchange.wait(steps - 2 - t) : barrier.wait();
#pragma unroll 1
        for (int m = 0; m < kTiles; ++m) {
          const int upper = m * kTileRows + l / 4, lower = upper + 8;
          if (kCluster)
            product.load(exchange.row(steps - 2 - t, shared.row_of_lane(m)), begin, 4 * hidden);
          else
            product.load_from_memory(later(upper, t), later(lower, t), 4 * hidden - begin);
          product.multiply(0, upper < shared.rows ? shared.part(warp, upper) : nullptr,
                           lower < shared.rows ? shared.part(warp, lower) : nullptr);
        }
        __syncthreads();
      }
      operands.wait();
#pragma unroll
      for (int m = 0; m < kTiles; ++m) {
        const int row = thread_row(m);
        if (row >= shared.rows) continue;
        const Sentence s = shared.sentences[row];
        if (!s.exists() || t >= s.length) continue;
        const Size at = s.number * a.hidden + unit;
        const auto operand = [&](int plane) { return unpacked(operands.get(row, plane)); };
        float2 dh = t >= 0 ? operand(kGivenH) : float2{};
        if (t + 1 < s.length) {
          shared.add_parts(dh, row, 0);
        } else {
          add2(dh, load2(b.dh_last != nullptr ? b.dh_last + at : nullptr));
          if (b.dc_last != nullptr) dc[m] = load2(b.dc_last + at);
        }
        if (t < 0) {
          put_first(b.dh_first, at, dh, b.accumulate_dh_first);
          put_first(b.dc_first, at, dc[m], b.accumulate_dc_first);
          continue;
        }
        const float2 i = operand(0), f = operand(1), g = operand(2), o = operand(3), before = operand(kBeforeC),
                     c = operand(kC);
        const auto u = lstm_unit_backward<FastMath>(i.x, f.x, g.x, o.x, before.x, c.x, dh.x, dc[m].x);
        const auto v = lstm_unit_backward<FastMath>(i.y, f.y, g.y, o.y, before.y, c.y, dh.y, dc[m].y);
        dc[m] = {u.c_before, v.c_before};
        const Size packed = s.row(t);
        store2(b.h_before + packed * hidden + unit, operands.get(row, kBeforeH));
        const std::uint32_t dgates[4] = {pack_bf16(u.i, v.i), pack_bf16(u.f, v.f), pack_bf16(u.g, v.g),
                                         pack_bf16(u.o, v.o)};
#pragma unroll
        for (int gate = 0; gate < 4; ++gate) {
          store2(b.dgates + (packed * 4 + gate) * hidden + unit, dgates[gate]);
          if (kCluster)
            store2(exchange.row(steps - 1 - t, row) + gate * hidden + exchange.permuted(unit), dgates[gate]);
        }
      }
      if constexpr (kCluster) {
        __syncthreads();
        if (t > last) exchange.send(steps - 1 - t);
      } else {
        barrier.arrive();
      }
      operands.prefetch(shared.sentences, shared.rows, t - 1, hidden);
    }
  }
}

// ---- launches -------------------------------------------------------------------------------------------------

bool fits(const LstmLayer<bf16>& a) {
  return a.hidden % kUnits == 0 && a.hidden <= 512 && a.hidden / kUnits <= multiprocessors() &&
         aligned16(a.weight, a.gates, a.h, a.c, a.h_first, a.c_first, a.h_last, a.c_last);
}

bool fits(const LstmLayerBackward<bf16>& b) {
  return fits(b.forward) && aligned16(b.dh, b.dh_last, b.dc_last, b.dgates, b.h_before, b.dh_first, b.dc_first);
}

// The variants of one kernel: clusters with one tile of sentences, clusters with two, and groups without clusters.
template <class Arguments>
struct Walks {
  using Kernel = void (*)(Layers<Arguments>, int, unsigned*);
  Kernel with_clusters, with_large_clusters;  // null where there are too many units for a cluster
  Kernel without;
  Size (*bytes)(Size rows, Size exchange_width);
  Size widest;  // the most numbers per sentence and step that blocks exchange
};
constexpr Size kMostBlocks = 8;  // per cluster

template <class Arguments>
void allow_memory(const char* name, typename Walks<Arguments>::Kernel kernel, Size bytes) {
  check_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
               name);
}

// Sentences per cluster: 16, or up to 32 where this takes less than three quarters of the waves.
template <const auto& walks>
Size rows_of_cluster(const cudaLaunchConfig_t& config, Size sentences, Size slices, Size layers, Size width) {
  static PerGpu<std::array<std::atomic<int>, kMostBlocks + 1>> known;  // number of clusters that fit on the GPU at once
  std::atomic<int>& most = known.here()[static_cast<std::size_t>(slices)];
  if (most == 0) {
    int count = 0;
    check_status(cudaOccupancyMaxActiveClusters(&count, walks.with_clusters, &config), "lstm_layer");
    most = std::max(count, 1);
  }
  constexpr Size kHalf = 113 << 10;  // bytes; two blocks fit on a multiprocessor
  const Size groups = std::max<Size>(most / layers, 1);
  const auto waves = [&](Size rows) { return Size{blocks_for(blocks_for(sentences, rows), groups)}; };
  const Size fewest = waves(std::clamp<Size>(kHalf / walks.bytes(1, width), kTileRows, 2 * kTileRows));
  const Size rows = blocks_for(sentences, fewest * groups);
  return 4 * fewest < 3 * waves(kTileRows) ? std::max<Size>(rows, kTileRows) : Size{kTileRows};
}

// Launches one cluster per 16 or more sentences. Without clusters, a cooperative launch has as many groups as fit on
// the GPU at once, and a `beside` layer takes a launch of its own.
template <const auto& walks, class Arguments>
void launch(const char* name, const Arguments& arguments, const LstmLayer<bf16>& a, Size width) {
  static OncePerGpu once;
  const bool known = once.here([name] {
    allow_memory<Arguments>(name, walks.without, walks.bytes(kTileRows, 0));
    if (walks.with_clusters == nullptr || !supports_clusters(reinterpret_cast<const void*>(walks.without), name))
      return false;
    allow_memory<Arguments>(name, walks.with_clusters, walks.bytes(kTileRows, walks.widest));
    allow_memory<Arguments>(name, walks.with_large_clusters, walks.bytes(2 * kTileRows, walks.widest));
    return true;
  });
  const Size slices = a.hidden / kUnits, tiles = (a.sentences + kTileRows - 1) / kTileRows;
  const bool clusters = known && slices <= kMostBlocks;
  if (!clusters && arguments.beside != nullptr) {
    launch<walks>(name, *arguments.beside, a, width);
    Arguments alone = arguments;
    alone.beside = nullptr;
    return launch<walks>(name, alone, a, width);
  }
  const Layers<Arguments> layers{arguments, arguments.beside != nullptr ? *arguments.beside : arguments};
  const unsigned both = arguments.beside != nullptr ? 2 : 1;
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
  config.blockDim = dim3(kThreads);
  config.stream = stream();
  config.attrs = &attribute;
  config.numAttrs = 1;
  if (clusters) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(slices), 1, 1};
    config.gridDim = dim3(static_cast<unsigned>(tiles * slices), both);
    config.dynamicSmemBytes = static_cast<std::size_t>(walks.bytes(kTileRows, width));
    const Size rows = rows_of_cluster<walks>(config, a.sentences, slices, both, width);
    config.gridDim.x = blocks_for(a.sentences, rows) * static_cast<unsigned>(slices);
    config.dynamicSmemBytes = static_cast<std::size_t>(walks.bytes(rows, width));
    const auto walk = rows > kTileRows ? walks.with_large_clusters : walks.with_clusters;
    return check_status(cudaLaunchKernelEx(&config, walk, layers, static_cast<int>(rows), nullptr), name);
  }
  const Size groups = std::min(tiles, multiprocessors() / slices);
  unsigned* counters = scratch<unsigned>(Scratch::barriers, groups);
  clear(counters, static_cast<std::size_t>(groups) * sizeof(unsigned));
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.gridDim = dim3(static_cast<unsigned>(groups * slices));
  config.dynamicSmemBytes = static_cast<std::size_t>(walks.bytes(kTileRows, 0));
  check_status(cudaLaunchKernelEx(&config, walks.without, layers, kTileRows, counters), name);
}

template <int kChunks>
constexpr Walks<LstmLayer<bf16>> kForward{walk_forward<kChunks, 1, true>, walk_forward<kChunks, 2, true>,
                                          walk_forward<kChunks, 1, false>, ForwardShared::bytes, kChunks * 128};
template <>
constexpr Walks<LstmLayer<bf16>> kForward<4>{nullptr, nullptr, walk_forward<4, 1, false>, ForwardShared::bytes, 512};
template <int kChunks>
constexpr Walks<LstmLayerBackward<bf16>> kBackward{walk_backward<kChunks, 1, true>, walk_backward<kChunks, 2, true>,
                                                   walk_backward<kChunks, 1, false>, BackwardShared::bytes,
                                                   kChunks * 256};
template <>
constexpr Walks<LstmLayerBackward<bf16>> kBackward<8>{nullptr, nullptr, walk_backward<8, 1, false>,
                                                      BackwardShared::bytes, 2048};

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
  if (!fits(b) || (b.beside != nullptr && !fits(*b.beside))) return false;
  const auto walk = a.hidden <= 128   ? launch<kBackward<2>, LstmLayerBackward<bf16>>
                    : a.hidden <= 256 ? launch<kBackward<4>, LstmLayerBackward<bf16>>
                                      : launch<kBackward<8>, LstmLayerBackward<bf16>>;
  walk("lstm_layer_backward", b, a, 4 * a.hidden);
  return true;
}

}  // namespace dragoman::kernels::cuda
