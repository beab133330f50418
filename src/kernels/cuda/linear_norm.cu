#include "kernels/cuda/linear_norm.h"

#include <utility>

#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/early.cuh"
#include "kernels/cuda/tiles.cuh"

// The blocks that have the same 32 rows are one cluster: each has 64 columns, and they tell each other the sums of
// their columns' numbers and squares. All of a layer's weights that a block needs are in its shared memory at once;
// they begin to arrive while the kernel before still runs.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 8, kThreads = kWarps * kWarp;
constexpr int kRows = 32, kDeepest = 8;  // tiles of depth
constexpr int kAcross = kTile / 16;      // warps side by side; each has 16 x 16 sums
static_assert(kWarps == kAcross * kRows / 16);

// Tiles of depth of a block's rows, two in one tile, and of the weights of its columns.
struct Room {
  Tile rows[kDeepest / 2], weights[kDeepest], next_weights[kDeepest];

  __device__ Tile& rows_of(int k) { return *reinterpret_cast<Tile*>(rows[k / 2].at(k % 2 * kRows, 0)); }
};
constexpr std::size_t kRoomOfOne = sizeof(Room) - sizeof(Room::next_weights);

__device__ int tiles_of(const LinearPacked<bf16>& layer) { return (static_cast<int>(layer.in) + kTile - 1) / kTile; }

__device__ void load_weights(const LinearPacked<bf16>& layer, Tile* to) {
  const bf16* from = static_cast<const bf16*>(layer.packed) + static_cast<Size>(blockIdx.x) * kTile * layer.in;
  for (int k = 0; k < tiles_of(layer); ++k)
    load_tile<kThreads>(to[k], from + k * kTile, layer.in, kTile, static_cast<int>(layer.in) - k * kTile);
}

__device__ void load_rows(const LinearPacked<bf16>& layer, Room& room) {
  const Size row = static_cast<Size>(blockIdx.y) * kRows;
  for (int k = 0; k < tiles_of(layer); ++k)
    load_tile<kThreads, kRows>(room.rows_of(k), layer.x + row * layer.in + k * kTile, layer.in,
                               static_cast<int>(layer.rows - row), static_cast<int>(layer.in) - k * kTile);
}

// What a lane has of its warp's 16 x 16 numbers: of two rows, 8 apart, two pairs of columns, 8 apart.
struct Square {
  float values[2][2][2] = {};  // row, pair, column

  __device__ static int row(int r) { return static_cast<int>(threadIdx.x) / kWarp / kAcross * 16 + 8 * r + lane() / 4; }
  __device__ static int warp_column() { return static_cast<int>(threadIdx.x) / kWarp % kAcross; }
  __device__ static int column(int pair) { return warp_column() * 16 + 8 * pair + lane() % 4 * 2; }

  // f(row, pair, first value, second value)
  template <class F>
  __device__ void each(F&& f) {
#pragma unroll
    for (int r = 0; r < 2; ++r)
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) f(r, pair, values[r][pair][0], values[r][pair][1]);
  }
};

__device__ Square multiply(Room& room, Tile* weights, int tiles) {
  float sums[2][4] = {};
  const int row = Square::row(0) - lane() / 4, col = Square::warp_column() * 16;
  for (int k = 0; k < tiles; ++k)
#pragma unroll
    for (int part = 0; part < kTile / 16; ++part) {
      const Quad left = left_operand(room.rows_of(k), row, 16 * part);
      const Quad two = right_operands_transposed(weights[k], 16 * part, col);
      multiply_add(sums[0], left, two.r[0], two.r[1]);
      multiply_add(sums[1], left, two.r[2], two.r[3]);
    }
  Square square;
  square.each([&](int r, int pair, float& first, float& second) {
    first = sums[pair][2 * r];
    second = sums[pair][2 * r + 1];
  });
  return square;
}

// All blocks of the cluster are here, and see what the others wrote before.
__device__ void meet() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// Four numbers of shared memory as the `rank`-th block of the cluster has them, added up.
__device__ float sum_of([[maybe_unused]] int rank, const float* from) {
  float4 four;
#if __CUDA_ARCH__ >= 900
  const auto here = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
  std::uint32_t there = 0;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
               : "r"(there)
               : "memory");
#else
  four = *reinterpret_cast<const float4*>(from);
#endif
  return four.x + four.y + four.z + four.w;
}

__device__ float sum_of_four_lanes(float x) {
  x += __shfl_xor_sync(kAllLanes, x, 1);
  return x + __shfl_xor_sync(kAllLanes, x, 2);
}

// Sums of the rows of all blocks' columns, for the lane's two rows.
__device__ void add_over_cluster(float (&sums)[2], float (&of_warps)[kRows][kAcross]) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    sums[r] = sum_of_four_lanes(sums[r]);
    if (lane() % 4 == 0) of_warps[Square::row(r)][Square::warp_column()] = sums[r];
  }
  meet();
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    sums[r] = 0;
    for (int rank = lane() % 4; rank < static_cast<int>(gridDim.x); rank += 4)
      sums[r] += sum_of(rank, of_warps[Square::row(r)]);
    sums[r] = sum_of_four_lanes(sums[r]);
  }
}

__device__ std::uint32_t load2(const bf16* from) { return *reinterpret_cast<const std::uint32_t*>(from); }
__device__ void store2(bf16* to, float first, float second) {
  *reinterpret_cast<std::uint32_t*>(to) = pack_bf16(first, second);
}

// The pairs of columns of one row of numbers that a lane has.
struct Pairs {
  std::uint32_t raw[2];

  __device__ Pairs(const bf16* from, Size col) {
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) raw[pair] = from != nullptr ? load2(from + col + Square::column(pair)) : 0u;
  }
};

template <bool kGoesOn>
__global__ void __launch_bounds__(kThreads)
    add_up_and_norm(LinearPacked<bf16> layer, Norm<bf16> a, LinearPacked<bf16> next) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ __align__(16) float room_of_sums[2][kRows][kAcross];
  auto& room = *reinterpret_cast<Room*>(memory);
  load_weights(layer, room.weights);
  wait_for_kernel_before();
  load_rows(layer, room);
  end_of_batch();
  const Size col = static_cast<Size>(blockIdx.x) * kTile, row = static_cast<Size>(blockIdx.y) * kRows;
  const bool goes_on = kGoesOn && col < next.out;
  if (goes_on) load_weights(next, room.next_weights);
  end_of_batch();
  const auto exists = [&](int r) { return row + Square::row(r) < a.rows; };
  const auto at = [&](int r, int pair) { return (row + Square::row(r)) * a.cols + col + Square::column(pair); };
  // What is read beside the sums comes while they are added up.
  const Pairs bias(layer.bias, col), gain(a.gain, col), shift(a.bias, col);
  std::uint32_t x[2][2];
#pragma unroll
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) x[r][pair] = exists(r) ? load2(a.x + at(r, pair)) : 0u;
  wait_for_older_tiles();
  Square sum = multiply(room, room.weights, tiles_of(layer));
  float mean[2] = {}, variance[2] = {}, rstd[2];
  sum.each([&](int r, int pair, float& first, float& second) {
    first += low_bf16(bias.raw[pair]), second += high_bf16(bias.raw[pair]);
    // What is added and what is normalised are what is stored: rounded numbers.
    const std::uint32_t branch = pack_bf16(first, second);
    const std::uint32_t both =
        pack_bf16(low_bf16(x[r][pair]) + low_bf16(branch), high_bf16(x[r][pair]) + high_bf16(branch));
    first = low_bf16(both), second = high_bf16(both);
    mean[r] += first + second;
    if (!exists(r)) return;
    *reinterpret_cast<std::uint32_t*>(layer.y + at(r, pair)) = branch;
    *reinterpret_cast<std::uint32_t*>(a.sum + at(r, pair)) = both;
  });
  add_over_cluster(mean, room_of_sums[0]);
#pragma unroll
  for (float& one : mean) one /= static_cast<float>(a.cols);
  sum.each([&](int r, int, float& first, float& second) {
    first -= mean[r], second -= mean[r];
    variance[r] += first * first + second * second;
  });
  add_over_cluster(variance, room_of_sums[1]);
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    rstd[r] = 1 / sqrtf(variance[r] / static_cast<float>(a.cols) + static_cast<float>(a.epsilon));
    if (exists(r) && col + Square::column(0) == 0)
      a.mean[row + Square::row(r)] = mean[r], a.rstd[row + Square::row(r)] = rstd[r];
  }
  sum.each([&](int r, int pair, float& first, float& second) {
    if (exists(r))
      store2(a.y + at(r, pair), first * rstd[r] * low_bf16(gain.raw[pair]) + low_bf16(shift.raw[pair]),
             second * rstd[r] * high_bf16(gain.raw[pair]) + high_bf16(shift.raw[pair]));
  });
  __threadfence();
  meet();  // all columns of y are there, and nobody reads sums of others any more
  if (!goes_on) return;
  load_rows(next, room);
  wait_for_tiles();
  sum = multiply(room, room.next_weights, tiles_of(next));
  const Pairs next_bias(next.bias, col);
  sum.each([&](int r, int pair, float& first, float& second) {
    if (exists(r))
      store2(next.y + (row + Square::row(r)) * next.out + col + Square::column(pair),
             activated(next.activation, first + low_bf16(next_bias.raw[pair])),
             activated(next.activation, second + high_bf16(next_bias.raw[pair])));
  });
}

// What waits: a layer, or a layer and its norm.
struct Waiting {
  LinearPacked<bf16> layer;
  Norm<bf16> norm;
  bool has_norm = false;
};
Waiting& waiting() {
  thread_local Waiting mine;
  return mine;
}

// Whether a cluster can write one array while others still read the other.
bool apart(const bf16* written, Size count, const bf16* read, Size of) {
  return written + count <= read || read + of <= written;
}

// Whether there are clusters, and enough shared memory.
bool can_launch() {
  static const bool can = knows_clusters(reinterpret_cast<const void*>(add_up_and_norm<true>), "norm") &&
                          has_room(add_up_and_norm<false>, kRoomOfOne) && has_room(add_up_and_norm<true>, sizeof(Room));
  return can;
}

// `next` may have no rows.
void launch(const LinearPacked<bf16>& layer, const Norm<bf16>& norm, const LinearPacked<bf16>& next) {
  const unsigned across = blocks_for(layer.out, kTile);
  cudaLaunchAttribute attributes[2]{{}, comes_early()};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {across, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(across, blocks_for(layer.rows, kRows));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = next.rows > 0 ? sizeof(Room) : kRoomOfOne;
  config.stream = stream();
  config.attrs = attributes;
  config.numAttrs = 2;
  const auto kernel = next.rows > 0 ? add_up_and_norm<true> : add_up_and_norm<false>;
  check_status(cudaLaunchKernelEx(&config, kernel, layer, norm, next), "norm");
}

void run_waiting() {
  const Waiting now = waiting();
  if (now.has_norm)
    launch(now.layer, now.norm, {});
  else
    run_layer(now.layer);
}

// Whether the layer reads what the norm that waits writes, and both can be done at once.
bool goes_on(const LinearPacked<bf16>& a) {
  const auto& [layer, norm, has_norm] = waiting();
  return has_norm && a.x == norm.y && a.rows == norm.rows && a.in == norm.cols && a.out > 0 && a.out % kTile == 0 &&
         a.out <= norm.cols && aligned16(static_cast<const bf16*>(a.packed), a.bias, a.y) &&
         apart(a.y, a.rows * a.out, layer.x, layer.rows * layer.in) &&
         apart(a.y, a.rows * a.out, norm.x, norm.rows * norm.cols) && take_back(run_waiting);
}

}  // namespace

bool wait_for_norm(const LinearPacked<bf16>& a) {
  if (goes_on(a)) {
    launch(waiting().layer, waiting().norm, a);
    return true;
  }
  constexpr Size kMostRows = 1024, kMost = kDeepest * kTile;
  if (a.rows == 0 || a.rows > kMostRows || a.activation != Activation::none) return false;
  if (a.out == 0 || a.out > kMost || a.out % kTile != 0 || a.in == 0 || a.in > kMost || a.in % 8 != 0) return false;
  if (!aligned16(a.x, static_cast<const bf16*>(a.packed), a.bias, a.y) || !can_launch()) return false;
  hold_back(run_waiting);
  waiting() = {.layer = a};
  return true;
}

bool norm_of_waiting_layer(const Norm<bf16>& a) {
  Waiting& mine = waiting();
  const LinearPacked<bf16>& layer = mine.layer;
  if (a.branch == nullptr || a.branch != layer.y || a.rows != layer.rows || a.cols != layer.out || a.dropout.rate > 0 ||
      mine.has_norm || !aligned16(a.x, a.gain, a.bias, a.sum, a.y) ||
      !apart(a.sum, a.rows * a.cols, layer.x, layer.rows * layer.in) ||
      !apart(a.y, a.rows * a.cols, layer.x, layer.rows * layer.in) || !take_back(run_waiting))
    return false;
  mine.norm = a;
  mine.has_norm = true;
  hold_back(run_waiting);
  return true;
}

}  // namespace dragoman::kernels::cuda
