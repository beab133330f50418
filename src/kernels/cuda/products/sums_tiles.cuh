#pragma once

#include <climits>

#include "kernels/cuda/products/sums.cuh"

// Sums of products on any GPU: all threads of a block copy tiles to a ring buffer of stages in shared memory (cp.async)
// and multiply them (mma.m16n8k16).
namespace dragoman::kernels::cuda::sums {

struct Stage {
  Tile left, right;
};
// Few enough that blocks of the next kernel fit on the multiprocessor at the same time.
template <class End>
constexpr int kStagesOf = End::kSeparate ? 4 : 5;

// Copies the tiles of one operand to shared memory, in order of depth, those of the second term after those of the
// first. A thread copies two groups of eight numbers per tile, 32 rows apart.
template <bool kLeft, class End>
class Feed {
 public:
  __device__ Feed(const Work& work, int row, int col, const Share& share)
      : work_(work), share_(share), row_(row), col_(col) {
    begin_term(false);
  }

  // Starts copying the next tile, if there is one.
  __device__ void load(Tile& to) {
    if (left_ == 0 && !second_) begin_term(true);
    if (left_ == 0) return;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int r = thread_row() + kRowStep * i;
      const bool inside = exists_[i] && (kLeft || !End::kBack ? k_ + thread_col() : k_ + r) < size_;
      const bf16* source = inside ? from_[i] : anything_;
      const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to.at(r, thread_col())));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(source), "r"(inside ? 16 : 0)
                   : "memory");
      from_[i] += step_;
    }
    k_ += kTile;
    --left_;
  }

 private:
  static constexpr int kRowStep = kThreads / 8;  // rows

  __device__ static int thread_row() { return static_cast<int>(threadIdx.x) / 8; }
  __device__ static int thread_col() { return static_cast<int>(threadIdx.x) % 8 * 8; }

  __device__ void begin_term(bool second) {
    const Term term = second ? work_.terms[1] : work_.terms[0];
    constexpr int kWide = kTile / End::kGroups;
    second_ = second;
    left_ = second ? share_.count[1] : share_.count[0];
    k_ = (second ? share_.begin[1] : share_.begin[0]) * kTile;
    size_ = term.size;
    anything_ = kLeft ? term.x : term.weight;
    step_ = kLeft || !End::kBack ? kTile : kTile * term.weight_stride;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int r = thread_row() + kRowStep * i;
      if constexpr (kLeft) {
        exists_[i] = row_ + r < term.rows;
        from_[i] = term.x + (row_ + r) * term.x_stride + k_ + thread_col();
      } else if constexpr (End::kBack) {
        exists_[i] = col_ + thread_col() < work_.cols;
        from_[i] = term.weight + (k_ + r) * term.weight_stride + col_ + thread_col();
      } else {
        const int column = r / kWide * (work_.cols / End::kGroups) + col_ + r % kWide;
        exists_[i] = column < work_.cols;
        from_[i] = term.weight + column * term.weight_stride + k_ + thread_col();
      }
    }
  }

  const Work& work_;
  const Share& share_;
  int row_, col_, left_ = 0, k_ = 0, size_ = 0;
  bool second_ = false;
  Size step_ = 0;
  const bf16 *anything_ = nullptr, *from_[2] = {};
  bool exists_[2] = {};
};
static_assert(kTile == 2 * kThreads / 8);

// The register tile of a warp: 32 x 32 accumulators.
struct Square {
  float parts[2][4][4];

  __device__ void clear() {
#pragma unroll
    for (auto& rows : parts)
#pragma unroll
      for (auto& part : rows)
#pragma unroll
        for (float& value : part) value = 0;
  }
  // Adds the product of two tiles over the warp's half of their depth.
  template <bool kBack>
  __device__ void add(Stage& stage, int row, int col, int half) {
#pragma unroll
    for (int i = 0; i < 4 / kHalves; ++i) {
      const int k = 16 * (half * 4 / kHalves + i);
      const Quad left[2] = {left_operand(stage.left, row, k), left_operand(stage.left, row + 16, k)};
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const Quad two = kBack ? right_operands(stage.right, k, col + 16 * n)
                               : right_operands_transposed(stage.right, k, col + 16 * n);
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          multiply_add(parts[m][2 * n], left[m], two.r[0], two.r[1]);
          multiply_add(parts[m][2 * n + 1], left[m], two.r[2], two.r[3]);
        }
      }
    }
  }
};

// Stores a warp's accumulators to the sums of its half, in shared memory.
__device__ inline void store(Part& part, const Square& square, int row, int col) {
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    float* at = part.values + (row + 16 * m + lane() / 4) * Part::kStride + col + lane() % 4 * 2;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const float(&p)[4] = square.parts[m][n];
      *reinterpret_cast<float2*>(at + 8 * n) = make_float2(p[0], p[1]);
      *reinterpret_cast<float2*>(at + 8 * Part::kStride + 8 * n) = make_float2(p[2], p[3]);
    }
  }
}
static_assert(sizeof(Part) <= sizeof(Stage));

// Block (x, y, z) computes the tile in column x and row y over slice z of the depth.
template <class End>
__global__ void __launch_bounds__(kThreads, 2) add_up(Work work, End end) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ Arrivals arrivals;
  constexpr int kStages = kStagesOf<End>, kWide = kTile / End::kGroups, kPlanes = End::kSeparate ? 2 : 1;
  const int row = static_cast<int>(blockIdx.y) * kTile, col = static_cast<int>(blockIdx.x) * kWide;
  const int warp = static_cast<int>(threadIdx.x) / kWarp, half = warp / 4;
  const int my_row = warp % 4 / 2 * 32, my_col = warp % 2 * 32;
  const int blocks = static_cast<int>(gridDim.z), rank = static_cast<int>(blockIdx.z);
  const Gathered gathered{reinterpret_cast<float*>(memory), blocks};
  auto* stages = reinterpret_cast<Stage*>(memory + Gathered::bytes(kPlanes, blocks));
  if (blocks > 1) {
    if (threadIdx.x == 0) arrivals.begin();
    __syncthreads();
    if (threadIdx.x == 0) arrivals.expect(static_cast<std::uint32_t>(Gathered::bytes(kPlanes, blocks)));
    arrive_at_cluster();
  }
  const Share share(work, row, rank, blocks);
  const int independent = (work.independent > 0 ? share.count[0] : 0) + (work.independent > 1 ? share.count[1] : 0);
  Feed<true, End> left(work, row, col, share);
  Feed<false, End> right(work, row, col, share);
  Square sums[kPlanes];
#pragma unroll
  for (Square& plane : sums) plane.clear();
  // Multiplies tile i and starts copying tile i + kStages - 1. `last_left` is the end of those tiles of the left
  // operand that may be read already.
  const auto add = [&](int i, int last_left) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
    Stage& next = stages[(i + kStages - 1) % kStages];
    if (i + kStages - 1 < last_left) left.load(next.left);
    right.load(next.right);
    commit_copies();
    if (!End::kSeparate || (i < share.count[0]) != work.swapped)
      sums[0].template add<End::kBack>(stages[i % kStages], my_row, my_col, half);
    else
      sums[kPlanes - 1].template add<End::kBack>(stages[i % kStages], my_row, my_col, half);
  };
  if (End::kIndependentWeights)
    for (int i = 0; i < kStages - 1; ++i) {
      if (i < independent) left.load(stages[i].left);
      right.load(stages[i].right);
      commit_copies();
    }
  for (int i = 0; i < independent; ++i) add(i, independent);
  wait_for_previous_kernel();
  for (int i = independent; i < independent + kStages - 1; ++i) {
    left.load(stages[i % kStages].left);
    if (!End::kIndependentWeights) right.load(stages[i % kStages].right);
    commit_copies();
  }
  // The loads of the epilogue's operands overlap with the main loop.
  Finish<End> finish(work, end, row, col, rank, blocks);
  finish.load_operands();
  for (int i = independent; i < share.count[0] + share.count[1]; ++i) add(i, INT_MAX);
  wait_for_tiles();
  auto* parts = reinterpret_cast<Part*>(stages);
#pragma unroll
  for (int plane = 0; plane < kPlanes; ++plane) store(parts[plane * kHalves + half], sums[plane], my_row, my_col);
  __syncthreads();
  finish.run(parts, gathered, arrivals);
}

// The same with wgmma and TMA (compute capability 9.0); instantiated for every End in sums_wgmma.cu.
template <class End>
void launch_wgmma(const char* name, const Work& work, const End& end);

template <class End>
void launch(const char* name, const Work& work, const End& end) {
  if (is_capability_90()) return launch_wgmma(name, work, end);
  constexpr int kPlanes = End::kSeparate ? 2 : 1, kLeast = kHalves * kPlanes, kStages = kStagesOf<End>;
  const auto kernel = add_up<End>;
  static OncePerGpu once;
  const bool clusters = once.here([&] {
    const bool known = supports_clusters(reinterpret_cast<const void*>(kernel), name);
    const Size most = kStages * Size{sizeof(Stage)} + Gathered::bytes(kPlanes, known ? 2 : 1);
    check_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)),
                 name);
    return known;
  });
  const Grid grid(work, clusters);
  const std::size_t bytes = static_cast<std::size_t>(std::clamp(grid.deepest(work), kLeast, kStages)) * sizeof(Stage) +
                            static_cast<std::size_t>(Gathered::bytes(kPlanes, static_cast<int>(grid.blocks)));
  launch_over(grid, clusters, bytes, kThreads, name, kernel, work, end);
}

}  // namespace dragoman::kernels::cuda::sums
