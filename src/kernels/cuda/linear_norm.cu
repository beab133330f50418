#include "kernels/cuda/linear_norm.h"

#include "kernels/cuda/sums.cuh"

// The blocks that have a tile's rows are one cluster: each adds up 64 columns, and they tell each other the sums of
// their columns' numbers and squares.
namespace dragoman::kernels::cuda {
namespace {

using sums::Four, sums::kThreads, sums::kStages, sums::load4, sums::meet, sums::Part, sums::Raw4, sums::Stage,
    sums::store4;

constexpr int kMostBlocks = 8;
constexpr int kEach = kThreads / kTile;    // threads that share a row of a tile
constexpr int kFours = kTile / 4 / kEach;  // what each has of it
static_assert(kEach == 4 && kMostBlocks == 2 * kEach);

struct Layer {
  static constexpr int kGroups = 1;
  static constexpr bool kBack = false, kSteady = true, kApart = false;
};

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

// The sum over all columns of a row, of which this thread has x; `room` holds one number for each row of the tile.
__device__ float sum_of_cluster(float x, float* room) {
  const int row = static_cast<int>(threadIdx.x) / kEach, part = static_cast<int>(threadIdx.x) % kEach;
  x = sum_of_row(x);
  if (part == 0) room[row] = x;
  meet();
  const int blocks = static_cast<int>(gridDim.x);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kMostBlocks / kEach; ++i) {
    const int rank = part + i * kEach;
    if (rank < blocks) sum += number_of(rank, room + row);
  }
  return sum_of_row(sum);
}

__global__ void __launch_bounds__(kThreads) add_up_and_norm(sums::Work work, LinearPacked<bf16> layer, Norm<bf16> a) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ float room[2][kTile];
  const int row = static_cast<int>(blockIdx.y) * kTile, col = static_cast<int>(blockIdx.x) * kTile;
  const int my_row = static_cast<int>(threadIdx.x) / kEach, my_col = static_cast<int>(threadIdx.x) % kEach * 4;
  const bool exists = row + my_row < work.rows;
  const auto col_of = [&](int i) { return my_col + i * kEach * 4; };
  const Size start = (row + my_row) * a.cols + col;
  Raw4 bias[kFours], x[kFours], gain[kFours], shift[kFours];
  const Part* parts = sums::add_parts<Layer>(work, {row, col, 0, 1}, memory, [&] {
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      bias[i] = load4(layer.bias != nullptr ? layer.bias + col + col_of(i) : nullptr);
      x[i] = load4(exists ? a.x + start + col_of(i) : nullptr);
      gain[i] = load4(a.gain + col + col_of(i));
      shift[i] = load4(a.bias + col + col_of(i));
    }
  });
  __syncthreads();
  Four sum[kFours];
  float mean = 0, variance = 0;
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    Four branch = bias[i];
#pragma unroll
    for (int half = 0; half < sums::kHalves; ++half) {
      const float4 part = *reinterpret_cast<const float4*>(parts[half].values + my_row * Part::kStride + col_of(i));
      branch += Four{{part.x, part.y, part.z, part.w}};
    }
    sum[i] = x[i];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
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
  if (exists) {
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      Four y = shift[i];
      const Four by = gain[i];
#pragma unroll
      for (int e = 0; e < 4; ++e) y[e] += (sum[i][e] - mean) * rstd * by[e];
      store4(a.y + start + col_of(i), y);
    }
    if (blockIdx.x == 0 && my_col == 0) a.mean[row + my_row] = mean, a.rstd[row + my_row] = rstd;
  }
  meet();  // nobody leaves while others read what it has
}

// The thread's layer that waits, if its rows are not 0.
LinearPacked<bf16>& waiting() {
  thread_local LinearPacked<bf16> layer;
  return layer;
}

void run_waiting() { run_layer(waiting()); }

bool knows_norms() {
  static const bool known = [] {
    check_status(cudaFuncSetAttribute(add_up_and_norm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      kStages * int{sizeof(Stage)}),
                 "norm");
    return knows_clusters(reinterpret_cast<const void*>(add_up_and_norm), "norm");
  }();
  return known;
}

}  // namespace

bool wait_for_norm(const LinearPacked<bf16>& a) {
  static const bool fuse = getenv("FUSE") != nullptr;
  if (!fuse) return false;
  constexpr Size kMost = Size{1} << 20;  // numbers that come in
  if (a.rows == 0 || a.in == 0 || a.rows * a.in > kMost || a.activation != Activation::none) return false;
  if (a.out == 0 || a.out % kTile != 0 || a.out > kMostBlocks * kTile || a.in % 8 != 0) return false;
  if (!aligned16(a.x, static_cast<const bf16*>(a.packed), a.bias, a.y) || !knows_norms()) return false;
  hold_back(run_waiting);
  waiting() = a;
  return true;
}

bool norm_of_waiting_layer(const Norm<bf16>& a) {
  const LinearPacked<bf16> layer = waiting();
  if (a.branch == nullptr || a.branch != layer.y || a.rows != layer.rows || a.cols != layer.out || a.dropout.rate > 0 ||
      !aligned16(a.x, a.gain, a.bias, a.sum, a.y) || !take_back(run_waiting))
    return false;
  sums::Work work{.rows = static_cast<int>(layer.rows), .cols = static_cast<int>(layer.out)};
  work.terms[0] = {.x = layer.x,
                   .weight = static_cast<const bf16*>(layer.packed),
                   .x_stride = layer.in,
                   .weight_stride = layer.in,
                   .rows = work.rows,
                   .size = static_cast<int>(layer.in)};
  const unsigned across = blocks_for(work.cols, kTile);
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {across, 1, 1};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(across, blocks_for(work.rows, kTile));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes =
      static_cast<std::size_t>(std::clamp(sums::depth_of(work.terms[0], 0), sums::kHalves, kStages)) * sizeof(Stage);
  config.stream = stream();
  config.attrs = attributes;
  config.numAttrs = 2;
  check_status(cudaLaunchKernelEx(&config, add_up_and_norm, work, layer, a), "norm");
  return true;
}

}  // namespace dragoman::kernels::cuda
