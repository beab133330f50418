#include "kernels/cuda/linear_norm.h"

#include <algorithm>

#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/sums.cuh"

// The blocks that have the same rows are one cluster: each adds up 64 columns of 32 rows, and they tell each other the
// sums of their columns' numbers and squares.
namespace dragoman::kernels::cuda {
namespace {

using sums::Four, sums::load4, sums::Raw4, sums::store4;

constexpr int kWarps = 8, kThreads = kWarps * kWarp, kStages = 5;
constexpr int kRows = 32, kMostBlocks = 8;
constexpr int kSharers = 4;                // warps that have the same 32 x 32 sums, each with sixteen of a tile's depth
constexpr int kEach = kThreads / kRows;    // threads that finish a row
constexpr int kFours = kTile / 4 / kEach;  // what each has of it
static_assert(kRows * kTile * kSharers == kWarps * 32 * 32 && kEach == kMostBlocks);

struct Stage {
  Tile left, right;
};

// The sums of sixteen in 64 of the depth, in shared memory, where the tiles were.
struct Part {
  static constexpr int kStride = kTile + 8;
  float values[kRows * kStride];
};
constexpr int kFewestStages = (kSharers * sizeof(Part) + sizeof(Stage) - 1) / sizeof(Stage);

// The products of this block's rows and columns, as parts, one for each sharer.
class Products {
 public:
  __device__ Products(const LinearPacked<bf16>& layer, unsigned char* memory)
      : layer_(layer), stages_(reinterpret_cast<Stage*>(memory)), parts_(reinterpret_cast<Part*>(memory)) {}

  // Weights are none of what the kernel before wrote: they begin to arrive while it still runs.
  __device__ void begin() {
    for (int i = 0; i < kStages - 1; ++i) load_weights(i);
    wait_for_kernel_before();
    for (int i = 0; i < kStages - 1; ++i) {
      load_rows(i);
      end_of_batch();
    }
  }
  __device__ const Part* add_up() {
    const int warp = static_cast<int>(threadIdx.x) / kWarp, sharer = warp / 2, col = warp % 2 * 32;
    float sums[2][4][4] = {};
    for (int i = 0; i < tiles(); ++i) {
      asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
      __syncthreads();
      load_weights(i + kStages - 1);
      load_rows(i + kStages - 1);
      end_of_batch();
      add(sums, stages_[i % kStages], 16 * sharer, col);
    }
    wait_for_tiles();
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        float* at = parts_[sharer].values + (16 * m + lane() / 4) * Part::kStride + col + 8 * n + lane() % 4 * 2;
        const float(&p)[4] = sums[m][n];
        *reinterpret_cast<float2*>(at) = make_float2(p[0], p[1]);
        *reinterpret_cast<float2*>(at + 8 * Part::kStride) = make_float2(p[2], p[3]);
      }
    __syncthreads();
    return parts_;
  }

 private:
  __device__ int tiles() const { return (static_cast<int>(layer_.in) + kTile - 1) / kTile; }
  __device__ void load_weights(int tile) {
    if (tile < tiles())
      load_tile<kThreads>(stages_[tile % kStages].right,
                          static_cast<const bf16*>(layer_.packed) + blockIdx.x * kTile * layer_.in + tile * kTile,
                          layer_.in, kTile, static_cast<int>(layer_.in) - tile * kTile);
  }
  __device__ void load_rows(int tile) {
    const Size row = static_cast<Size>(blockIdx.y) * kRows;
    if (tile < tiles())
      load_tile<kThreads, kRows>(stages_[tile % kStages].left, layer_.x + row * layer_.in + tile * kTile, layer_.in,
                                 static_cast<int>(layer_.rows - row), static_cast<int>(layer_.in) - tile * kTile);
  }
  __device__ static void add(float (&sums)[2][4][4], Stage& stage, int k, int col) {
    const Quad left[2] = {left_operand(stage.left, 0, k), left_operand(stage.left, 16, k)};
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const Quad two = right_operands_transposed(stage.right, k, col + 16 * n);
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        multiply_add(sums[m][2 * n], left[m], two.r[0], two.r[1]);
        multiply_add(sums[m][2 * n + 1], left[m], two.r[2], two.r[3]);
      }
    }
  }

  const LinearPacked<bf16>& layer_;
  Stage* stages_;
  Part* parts_;
};

// What comes after the norm: a layer over the whole rows that the cluster has just written. Its weights begin to arrive
// before they are.
class NextLayer {
 public:
  __device__ NextLayer(const LinearPacked<bf16>& layer, unsigned char* memory)
      : layer_(layer), rows_(reinterpret_cast<Tile*>(memory)), weights_(rows_ + kTilesOfRows) {}

  __device__ void begin() {
    for (int i = 0; i < kRing - 1; ++i) load_weights(i);
  }
  __device__ void run() {
    const Size row = static_cast<Size>(blockIdx.y) * kRows;
    for (int k = 0; k < deep(); ++k)
      load_tile<kThreads, kRows>(*reinterpret_cast<Tile*>(rows_[k / 2].at(k % 2 * kRows, 0)),
                                 layer_.x + row * layer_.in + k * kTile, layer_.in,
                                 static_cast<int>(layer_.rows - row));
    wait_for_tiles();
    const int warp = static_cast<int>(threadIdx.x) / kWarp, my_row = warp / 4 * 16, my_col = warp % 4 * 16;
    float sums[2][4] = {};
    for (int i = 0; i < steps(); ++i) {
      asm volatile("cp.async.wait_group %0;" ::"n"(kRing - 2) : "memory");
      __syncthreads();
      load_weights(i + kRing - 1);
      end_of_batch();
      const int k = i % deep();
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const Quad left = left_operand(rows_[k / 2], k % 2 * kRows + my_row, 16 * part);
        const Quad two = right_operands_transposed(weights_[i % kRing], 16 * part, my_col);
        multiply_add(sums[0], left, two.r[0], two.r[1]);
        multiply_add(sums[1], left, two.r[2], two.r[3]);
      }
      if (k + 1 < deep()) continue;
      store(sums, row + my_row, column(i) + my_col);
#pragma unroll
      for (auto& part : sums)
#pragma unroll
        for (float& x : part) x = 0;
    }
  }

 private:
  static constexpr int kTilesOfRows = kMostBlocks / 2, kRing = 5;
  static_assert((kTilesOfRows + kRing) * sizeof(Tile) <= kStages * sizeof(Stage));

  __device__ int deep() const { return static_cast<int>(layer_.in) / kTile; }
  __device__ int steps() const {
    const int tiles = static_cast<int>(layer_.out) / kTile, blocks = static_cast<int>(gridDim.x);
    return (tiles - static_cast<int>(blockIdx.x) + blocks - 1) / blocks * deep();
  }
  // The first column of step i's tile.
  __device__ Size column(int i) const { return (blockIdx.x + static_cast<Size>(i / deep()) * gridDim.x) * kTile; }
  __device__ void load_weights(int i) {
    if (i < steps())
      load_tile<kThreads>(weights_[i % kRing],
                          static_cast<const bf16*>(layer_.packed) + column(i) * layer_.in + i % deep() * kTile,
                          layer_.in, kTile);
  }
  __device__ void store(const float (&sums)[2][4], Size row, Size col) const {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const Size at = col + 8 * n + lane() % 4 * 2;
      const std::uint32_t two = layer_.bias != nullptr ? *reinterpret_cast<const std::uint32_t*>(layer_.bias + at) : 0u;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const Size r = row + 8 * half + lane() / 4;
        if (r >= layer_.rows) continue;
        *reinterpret_cast<std::uint32_t*>(layer_.y + r * layer_.out + at) =
            pack_bf16(activated(layer_.activation, sums[n][2 * half] + low_bf16(two)),
                      activated(layer_.activation, sums[n][2 * half + 1] + high_bf16(two)));
      }
    }
  }

  const LinearPacked<bf16>& layer_;
  Tile *rows_, *weights_;
};

// All blocks of the cluster are here, and see what the others wrote before.
__device__ void meet() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// A number of shared memory as the `rank`-th block of the cluster has it.
__device__ float number_of([[maybe_unused]] int rank, const float* from) {
#if __CUDA_ARCH__ >= 900
  const auto here = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
  std::uint32_t there = 0;
  float value = 0;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(there) : "memory");
  return value;
#else
  return *from;
#endif
}

__device__ float sum_of_row(float x) {
  for (int apart = 1; apart < kEach; apart *= 2) x += __shfl_xor_sync(kAllLanes, x, apart);
  return x;
}

// The sum over all columns of a row, of which this thread has x; `room` holds one number for each row.
__device__ float sum_of_cluster(float x, float* room) {
  const int row = static_cast<int>(threadIdx.x) / kEach, part = static_cast<int>(threadIdx.x) % kEach;
  const auto blocks = static_cast<int>(gridDim.x);
  x = sum_of_row(x);
  if (part == 0) room[row] = x;
  meet();
  return sum_of_row(part < blocks ? number_of(part, room + row) : 0.0f);
}

template <bool kGoesOn>
__global__ void __launch_bounds__(kThreads, 2)
    add_up_and_norm(LinearPacked<bf16> layer, Norm<bf16> a, LinearPacked<bf16> next_layer) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ float room[2][kRows];
  const int my_row = static_cast<int>(threadIdx.x) / kEach, my_col = static_cast<int>(threadIdx.x) % kEach * 4;
  const Size row = static_cast<Size>(blockIdx.y) * kRows + my_row, col = static_cast<Size>(blockIdx.x) * kTile;
  const bool exists = row < a.rows;
  const Size start = row * a.cols + col;
  const auto col_of = [&](int i) { return my_col + i * kEach * 4; };
  Products products(layer, memory);
  products.begin();
  // What the end reads beside the sums comes while they are added up.
  Raw4 bias[kFours], x[kFours], gain[kFours], shift[kFours];
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    bias[i] = load4(layer.bias != nullptr ? layer.bias + col + col_of(i) : nullptr);
    x[i] = load4(exists ? a.x + start + col_of(i) : nullptr);
    gain[i] = load4(a.gain + col + col_of(i));
    shift[i] = load4(a.bias + col + col_of(i));
  }
  const Part* parts = products.add_up();
  NextLayer next(next_layer, memory);
  if (kGoesOn) next.begin();
  Four sum[kFours];
  float mean = 0, variance = 0;
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    Four branch = bias[i];
#pragma unroll
    for (int part = 0; part < kSharers; ++part)
      branch += load4(parts[part].values + my_row * Part::kStride + col_of(i));
    sum[i] = x[i];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      // What is added and what is normalised are what is stored: rounded numbers.
      sum[i][e] = to_float(rounded<bf16>(sum[i][e] + to_float(rounded<bf16>(branch[e]))));
      mean += sum[i][e];
    }
    if (!exists) continue;
    store4(layer.y + start + col_of(i), branch);
    store4(a.sum + start + col_of(i), sum[i]);
  }
  mean = sum_of_cluster(mean, room[0]) / static_cast<float>(a.cols);
#pragma unroll
  for (const Four& four : sum)
#pragma unroll
    for (int e = 0; e < 4; ++e) variance += (four[e] - mean) * (four[e] - mean);
  variance = sum_of_cluster(variance, room[1]) / static_cast<float>(a.cols);
  const float rstd = 1 / sqrtf(variance + static_cast<float>(a.epsilon));
#pragma unroll
  for (int i = 0; i < kFours && exists; ++i) {
    Four y = shift[i];
    const Four by = gain[i];
#pragma unroll
    for (int e = 0; e < 4; ++e) y[e] += (sum[i][e] - mean) * rstd * by[e];
    store4(a.y + start + col_of(i), y);
  }
  if (exists && col == 0 && my_col == 0) a.mean[row] = mean, a.rstd[row] = rstd;
  if (kGoesOn) {
    __threadfence();
    meet();
    next.run();
  } else {
    meet();  // nobody leaves while others read what it has
  }
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

bool knows_norms() {
  static const bool known = [] {
    for (const auto kernel : {add_up_and_norm<false>, add_up_and_norm<true>})
      check_status(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kStages * int{sizeof(Stage)}),
          "norm");
    return knows_clusters(reinterpret_cast<const void*>(add_up_and_norm<false>), "norm");
  }();
  return known;
}

// `next` may have no rows.
void launch(const LinearPacked<bf16>& layer, const Norm<bf16>& norm, const LinearPacked<bf16>& next) {
  const unsigned across = blocks_for(layer.out, kTile);
  const auto tiles = next.rows > 0 ? kStages : static_cast<int>(blocks_for(layer.in, kTile));
  cudaLaunchAttribute attributes[2]{{}, comes_early()};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {across, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(across, blocks_for(layer.rows, kRows));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = static_cast<std::size_t>(std::clamp(tiles, kFewestStages, kStages)) * sizeof(Stage);
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
  static const bool fuse = getenv("FUSE") != nullptr && getenv("FUSE")[0] == '2';
  const auto& [layer, norm, has_norm] = waiting();
  return fuse && has_norm && a.x == norm.y && a.rows == norm.rows && a.in == norm.cols && a.out > 0 &&
         a.out % kTile == 0 && aligned16(static_cast<const bf16*>(a.packed), a.bias, a.y) &&
         apart(a.y, a.rows * a.out, layer.x, layer.rows * layer.in) &&
         apart(a.y, a.rows * a.out, norm.x, norm.rows * norm.cols) && take_back(run_waiting);
}

}  // namespace

bool wait_for_norm(const LinearPacked<bf16>& a) {
  static const bool fuse = getenv("FUSE") != nullptr;
  if (!fuse) return false;
  if (goes_on(a)) {
    launch(waiting().layer, waiting().norm, a);
    return true;
  }
  constexpr Size kMost = Size{1} << 20;  // numbers that come in
  if (a.rows == 0 || a.in == 0 || a.rows * a.in > kMost || a.activation != Activation::none) return false;
  if (a.out == 0 || a.out % kTile != 0 || a.out > kMostBlocks * kTile || a.in % 8 != 0) return false;
  if (!aligned16(a.x, static_cast<const bf16*>(a.packed), a.bias, a.y) || !knows_norms()) return false;
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
