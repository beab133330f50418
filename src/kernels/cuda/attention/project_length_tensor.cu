#include <algorithm>

#include "kernels/cuda/attention/project_length.cuh"
#include "kernels/cuda/products/tiles.cuh"
#include "kernels/cuda/rows/columns.cuh"
#include "kernels/cuda/runtime/dependent_launch.cuh"

// Linformer's projections (Wang et al. 2020) on tensor cores. The mixtures of both projections are stacked as the rows
// of one matrix. A block computes up to 64 of these rows, so with 32 mixtures it reads x once for both projections. The
// next tiles are loaded while the current one is multiplied. Sums that are split over several blocks (split-K) are
// added up in a fixed order.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 128;
constexpr int kWide = 2 * kTile;  // columns per block

__host__ __device__ int stacked_rows(const ProjectLength<bf16>& a) { return static_cast<int>(a.parts() * a.mixtures); }

// A stack of one matrix per projection, of `mixtures` rows each, the second below the first. A missing matrix is zero.
struct Stack {
  const bf16 *first, *second;
  int mixtures, count;  // rows of one matrix and of both
  Size stride;

  // Takes the rows of both matrices from `skipped` on.
  __device__ Stack(const ProjectLength<bf16>& a, const bf16* const (&both)[2], Size skipped, Size row_stride)
      : first(both[0] != nullptr ? both[0] + skipped * row_stride : nullptr),
        second(both[1] != nullptr ? both[1] + skipped * row_stride : nullptr),
        mixtures(static_cast<int>(a.mixtures)),
        count(stacked_rows(a)),
        stride(row_stride) {}

  // Starts copying the rows from `row` on and `columns` columns from `col` on to the first kRows rows of a tile, with
  // zeros beyond them; called by kBy threads.
  template <int kRows, int kBy = kThreads>
  __device__ void load(Tile& tile, int row, Size col, int columns) const {
    const bf16* anywhere = first != nullptr ? first : second;
#pragma unroll
    for (int i = 0; i < kRows * 8 / kBy; ++i) {
      const int e = static_cast<int>(threadIdx.x) + i * kBy, r = row + e / 8, c = e % 8 * 8;
      const bf16* part = r < mixtures ? first : second;
      const bool exists = part != nullptr && r < count && c < columns;
      const bf16* from = part + (r < mixtures ? r : r - mixtures) * stride + col + c;
      begin_copy(tile.at(e / 8, c), exists ? from : anywhere, exists);
    }
  }
};

// ---- y = projection x -----------------------------------------------------------------------------------------

struct Stage {
  Tile projection, x[2];
};

// The accumulators of a warp: 16 kGroups rows, 32 columns.
template <int kGroups>
struct Sums {
  float part[kGroups][4][4] = {};

  __device__ void add(Stage& stage) {
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      Quad left[kGroups];
#pragma unroll
      for (int g = 0; g < kGroups; ++g) left[g] = left_operand(stage.projection, 16 * g, 16 * k);
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const Quad two = right_operands(stage.x[warp / 2], 16 * k, warp % 2 * 32 + 16 * h);
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          multiply_add(part[g][2 * h], left[g], two.r[0], two.r[1]);
          multiply_add(part[g][2 * h + 1], left[g], two.r[2], two.r[3]);
        }
      }
    }
  }

  // Calls f(row, column, two adjacent sums).
  template <class F>
  __device__ void each_pair(F&& f) const {
    const int warp = static_cast<int>(threadIdx.x) / kWarp, l = lane();
#pragma unroll
    for (int g = 0; g < kGroups; ++g)
#pragma unroll
      for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int r = 0; r < 2; ++r)
          f(16 * g + 8 * r + l / 4, 32 * warp + 8 * n + l % 4 * 2, part[g][n][2 * r], part[g][n][2 * r + 1]);
  }
};

// How sentences are split along their length: `pieces` blocks of `rows` rows for the longest sentence.
struct SplitK {
  Size pieces, rows;
  float* partial;     // [blocks along x, pieces, 16 kGroups, kWide]
  unsigned* tickets;  // one per block along x
};

// Blocks along x cover sentences, then columns, then stacked rows, so that blocks that read the same part of x are
// adjacent; blocks along y cover pieces. While one stage is multiplied, kStages - 1 others are being loaded.
template <int kGroups, int kStages>
__global__ void __launch_bounds__(kThreads, 8 / kStages) multiply_tiles(ProjectLength<bf16> a, SplitK split) {
  extern __shared__ Stage stages[];
  constexpr int kRows = 16 * kGroups;
  wait_for_previous_kernel();
  const int stacks = (stacked_rows(a) + kRows - 1) / kRows, across = static_cast<int>((a.size + kWide - 1) / kWide);
  const Size sentence = blockIdx.x / (stacks * across);
  const Size col = static_cast<Size>(blockIdx.x / stacks % across) * kWide;
  const int row = static_cast<int>(blockIdx.x % stacks) * kRows, cols = static_cast<int>(a.size - col);
  const SentenceRows rows(a, sentence);
  const int first = static_cast<int>(blockIdx.y * split.rows);
  const int last = min(rows.rows, first + static_cast<int>(split.rows));
  if (first > 0 && first >= last) return;

  const Stack projections(a, a.projections, 0, a.length);
  const bf16* x = a.x + rows.first * a.x_stride + col;
  // After the last tile it commits empty groups of copies, so that the count of groups in flight stays the same.
  const auto fetch = [&](int tile) {
    const int j = first + tile * kTile;
    Stage& stage = stages[tile % kStages];
    if (j < last) {
      projections.load<kRows>(stage.projection, row, j, last - j);
      for (int half = 0; half < 2; ++half)
        load_tile<kThreads>(stage.x[half], x + j * a.x_stride + half * kTile, a.x_stride, last - j,
                            cols - half * kTile);
    }
    commit_copies();
  };
  Sums<kGroups> sums;
  const int tiles = (last - first + kTile - 1) / kTile;
#pragma unroll
  for (int tile = 0; tile < kStages - 1; ++tile) fetch(tile);
  for (int tile = 0; tile < tiles; ++tile) {
    wait_for_older_tiles<kStages - 2>();
    fetch(tile + kStages - 1);
    sums.add(stages[tile % kStages]);
  }
  __syncthreads();

  // Calls f(row, column, destination) for every eight numbers of the result.
  const auto each_eight = [&](auto&& f) {
    for (int e = static_cast<int>(threadIdx.x); e < kRows * kWide / 8; e += kThreads) {
      const int r = e / (kWide / 8), c = e % (kWide / 8) * 8, part = row + r < a.mixtures ? 0 : 1;
      const Size mixture = row + r - part * a.mixtures;
      if (row + r < stacked_rows(a) && c < cols)
        f(r, c, one_of(a.y, part) + (sentence * a.mixtures + mixture) * a.size + col + c);
    }
  };
  const Size pieces = max(Size{1}, (rows.rows + split.rows - 1) / split.rows);
  if (pieces == 1) {
    Tile(&room)[2] = stages[0].x;
    sums.each_pair([&](int r, int c, float low, float high) {
      *reinterpret_cast<std::uint32_t*>(room[c / kTile].at(r, c % kTile)) = pack_bf16(low, high);
    });
    __syncthreads();
    each_eight([&](int r, int c, bf16* to) {
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<uint4*>(room[c / kTile].at(r, c % kTile));
    });
    return;
  }
  constexpr int kPieceSize = kRows * kWide;
  float* all = split.partial + blockIdx.x * split.pieces * kPieceSize;
  float* mine = all + blockIdx.y * kPieceSize;
  sums.each_pair([&](int r, int c, float low, float high) {
    *reinterpret_cast<float2*>(mine + r * kWide + c) = make_float2(low, high);
  });
  if (!is_last_block(split.tickets + blockIdx.x, static_cast<unsigned>(pieces))) return;
  each_eight([&](int r, int c, bf16* to) {
    float sum[8] = {};
    for (Size piece = 0; piece < pieces; ++piece) add8_from_others(sum, all + piece * kPieceSize + r * kWide + c);
    store8(to, sum);
  });
}

// ---- dx = projection^T dy -------------------------------------------------------------------------------------

constexpr int kBackThreads = 256;

// A block computes 64 rows of a sentence and kWide columns; each half of the columns has four warps. Blocks along x
// cover sentences, then columns; blocks along y cover rows.
__global__ void __launch_bounds__(kBackThreads) project_back_tiles(ProjectLengthBackward<bf16> b) {
  __shared__ Tile projection, dy[2];
  wait_for_previous_kernel();
  const ProjectLength<bf16>& a = b.forward;
  const Size across = (a.size + kWide - 1) / kWide, sentence = blockIdx.x / across;
  const Size begin = blockIdx.x % across * kWide;
  const SentenceRows rows(a, sentence);
  const int first = static_cast<int>(blockIdx.y) * kTile, warp = static_cast<int>(threadIdx.x) / kWarp;
  const int half = warp / 4, warp_row = warp % 4 * 16;
  if (first >= rows.rows) return;
  const Stack projections(a, a.projections, 0, a.length), gradients(a, b.dy, sentence * a.mixtures, a.size);
  Rows dx;
  dx.clear();
  for (int row = 0; row < projections.count; row += kTile) {
    projections.load<kTile, kBackThreads>(projection, row, first, rows.rows - first);
    for (int h = 0; h < 2; ++h) {
      const Size col = begin + h * kTile;
      gradients.load<kTile, kBackThreads>(dy[h], row, col, static_cast<int>(a.size - col));
    }
    wait_for_tiles();
    if (first + warp_row < rows.rows) {
      Quad left[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) left[k] = left_operand_transposed(projection, warp_row, 16 * k);
      add_product<false>(dx, left, dy[half]);
    }
    __syncthreads();
  }
  const Size col = begin + half * kTile;
  if (col < a.size)
    store_rows(dx, dy[half], warp_row, b.dx + (rows.first + first) * b.dx_stride + col, b.dx_stride, rows.rows - first,
               b.accumulate_dx);
}

// ---- dprojection = dy x^T -------------------------------------------------------------------------------------

// Iterates over the tiles that a block multiplies: every n-th sentence, where it is long enough, and its tiles of
// columns from left to right.
struct TileIterator {
  Size sentence, step;
  int col = 0;

  // Advances to the next sentence that is long enough, unless this one is.
  __device__ void find(const ProjectLength<bf16>& a, int first) {
    while (sentence < a.sentences && SentenceRows(a, sentence).rows <= first) sentence += step;
  }
  __device__ void advance(const ProjectLength<bf16>& a, int first) {
    col += kTile;
    if (col < a.size) return;
    col = 0;
    sentence += step;
    find(a, first);
  }
};

// Blocks along x cover positions, then stacked rows; sentences are divided among the blocks along y. Each block writes
// its partial sums: partial [blocks along x, blocks along y, 16 kGroups, kTile].
template <int kGroups>
__global__ void __launch_bounds__(kThreads) projection_gradient_tiles(ProjectLengthBackward<bf16> b, float* partial) {
  __shared__ Tile gradients[2], xs[2];
  constexpr int kRows = 16 * kGroups;
  wait_for_previous_kernel();
  const ProjectLength<bf16>& a = b.forward;
  const int tiles = static_cast<int>((a.longest + kTile - 1) / kTile);
  const int first = static_cast<int>(blockIdx.x) % tiles * kTile, row = static_cast<int>(blockIdx.x) / tiles * kRows;
  const auto fetch = [&](const TileIterator& at, int stage) {
    const SentenceRows rows(a, at.sentence);
    Stack(a, b.dy, at.sentence * a.mixtures, a.size).load<kRows>(gradients[stage], row, at.col, kTile);
    load_tile<kThreads>(xs[stage], a.x + (rows.first + first) * a.x_stride + at.col, a.x_stride, rows.rows - first);
    commit_copies();
  };
  float sums[kGroups][2][4] = {};
  const int warp = static_cast<int>(threadIdx.x) / kWarp, l = lane();
  TileIterator at{blockIdx.y, gridDim.y};
  at.find(a, first);
  if (at.sentence < a.sentences) fetch(at, 0);
  for (int stage = 0; at.sentence < a.sentences; stage = 1 - stage) {
    at.advance(a, first);
    if (at.sentence < a.sentences) {
      fetch(at, 1 - stage);
      wait_for_older_tiles();
    } else {
      wait_for_tiles();
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const Quad two = right_operands_transposed(xs[stage], 16 * k, 16 * warp);
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const Quad left = left_operand(gradients[stage], 16 * g, 16 * k);
        multiply_add(sums[g][0], left, two.r[0], two.r[1]);
        multiply_add(sums[g][1], left, two.r[2], two.r[3]);
      }
    }
    __syncthreads();
  }
  float* mine = partial + (static_cast<Size>(blockIdx.x) * gridDim.y + blockIdx.y) * kRows * kTile;
#pragma unroll
  for (int g = 0; g < kGroups; ++g)
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int r = 0; r < 2; ++r)
        *reinterpret_cast<float2*>(mine + (16 * g + 8 * r + l / 4) * kTile + 16 * warp + 8 * n + l % 4 * 2) =
            make_float2(sums[g][n][2 * r], sums[g][n][2 * r + 1]);
}

// Adds up the partial sums of every tile, which `sharing` blocks wrote. A block has four rows of a tile; four threads
// divide the partial sums of four numbers among themselves. Blocks along x cover tiles, blocks along y rows.
__global__ void __launch_bounds__(kThreads * 2)
    add_projection_gradients(ProjectLengthBackward<bf16> b, const float* partial, int sharing, int tile_rows) {
  constexpr int kShare = 4, kFours = kTile / 4;
  __shared__ float4 room[kShare][4][kFours];
  wait_for_previous_kernel();
  const ProjectLength<bf16>& a = b.forward;
  const int share = static_cast<int>(threadIdx.x) / kTile, r = static_cast<int>(threadIdx.x) / kFours % 4;
  const int four = static_cast<int>(threadIdx.x) % kFours, tile_row = static_cast<int>(blockIdx.y) * 4 + r;
  const float* from = partial + (static_cast<Size>(blockIdx.x) * sharing * tile_rows + tile_row) * kTile + four * 4;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (int i = share; i < sharing; i += kShare) {
    const float4 part = *reinterpret_cast<const float4*>(from + static_cast<Size>(i) * tile_rows * kTile);
    sum.x += part.x, sum.y += part.y, sum.z += part.z, sum.w += part.w;
  }
  room[share][r][four] = sum;
  __syncthreads();
  // From here on each thread has one number.
  const int tiles = static_cast<int>((a.longest + kTile - 1) / kTile), c = static_cast<int>(threadIdx.x) % kTile;
  const int my_row = static_cast<int>(threadIdx.x) / kTile;
  const int row = static_cast<int>(blockIdx.x) / tiles * tile_rows + static_cast<int>(blockIdx.y) * 4 + my_row;
  const Size j = static_cast<Size>(blockIdx.x) % tiles * kTile + c, part = row < a.mixtures ? 0 : 1;
  if (row >= stacked_rows(a) || j >= a.longest) return;
  float* to = one_of(b.dprojections, part);
  if (to == nullptr || one_of(b.dy, part) == nullptr) return;
  float total = 0;
  for (int i = 0; i < kShare; ++i) total += reinterpret_cast<const float*>(room[i][my_row])[c];
  to[(row - part * a.mixtures) * a.length + j] += total;
}

// ---- launches -------------------------------------------------------------------------------------------------

// Returns false where the GPU has too little shared memory for all stages.
template <int kGroups, int kStages>
bool project_in_stages(const ProjectLength<bf16>& a) {
  constexpr int kRows = 16 * kGroups;
  const unsigned blocks =
      static_cast<unsigned>(a.sentences) * blocks_for(a.size, kWide) * blocks_for(stacked_rows(a), kRows);
  // Two blocks per multiprocessor, as many as fit with four stages. More pieces would cost more additions.
  constexpr Size kWorthABlock = 4 * kTile;
  const Size most = std::max<Size>(1, blocks_for(a.longest, kWorthABlock));
  const Size pieces = std::clamp<Size>(2 * multiprocessors() / blocks, 1, most);
  SplitK split{};
  split.rows = std::max<Size>(1, blocks_for(blocks_for(a.longest, pieces), kTile)) * kTile;
  split.pieces = std::max<Size>(1, blocks_for(a.longest, split.rows));
  const auto kernel = multiply_tiles<kGroups, kStages>;
  const Size shared = std::min<Size>(split.rows / kTile, kStages) * static_cast<Size>(sizeof(Stage));
  if (!try_allow_shared(kernel, shared)) return false;
  if (split.pieces > 1) {
    split.partial = scratch<float>(Scratch::partial_sums, blocks * split.pieces * kRows * kWide);
    split.tickets = tickets(blocks);
  }
  launch_dependent_with(static_cast<std::size_t>(shared), "project_length", kernel,
                        dim3(blocks, static_cast<unsigned>(split.pieces)), kThreads, a, split);
  return true;
}

template <int kGroups>
void project_rows(const ProjectLength<bf16>& a) {
  const bool few_tiles = a.longest <= 2 * kTile;
  if (!few_tiles && project_in_stages<kGroups, 4>(a)) return;
  if (!project_in_stages<kGroups, 2>(a)) check_status(cudaErrorInvalidConfiguration, "project_length");
}

template <int kGroups>
void projection_gradients(const ProjectLengthBackward<bf16>& b) {
  const ProjectLength<bf16>& a = b.forward;
  constexpr int kRows = 16 * kGroups;
  constexpr Size kMost = 256;  // partial sums per sum
  const unsigned blocks = blocks_for(a.longest, kTile) * blocks_for(stacked_rows(a), kRows);
  const Size sharing = std::clamp<Size>(4 * multiprocessors() / blocks, 1, std::min(kMost, a.sentences));
  float* partial = scratch<float>(Scratch::partial_sums, blocks * sharing * kRows * kTile);
  launch_dependent("project_length_backward", projection_gradient_tiles<kGroups>,
                   dim3(blocks, static_cast<unsigned>(sharing)), kThreads, b, partial);
  launch_dependent("project_length_backward", add_projection_gradients, dim3(blocks, kRows / 4), kThreads * 2, b,
                   partial, static_cast<int>(sharing), kRows);
}

}  // namespace

void project_tiles(const ProjectLength<bf16>& a) {
  if (stacked_rows(a) <= 32)
    project_rows<2>(a);
  else
    project_rows<4>(a);
}

void project_tiles(const ProjectLengthBackward<bf16>& b) {
  const ProjectLength<bf16>& a = b.forward;
  if (b.dx != nullptr) {
    const dim3 grid(static_cast<unsigned>(a.sentences) * blocks_for(a.size, kWide), blocks_for(a.longest, kTile));
    launch_dependent("project_length_backward", project_back_tiles, grid, kBackThreads, b);
  }
  if (b.dprojections[0] == nullptr && b.dprojections[1] == nullptr) return;
  if (stacked_rows(a) <= 32)
    projection_gradients<2>(b);
  else
    projection_gradients<4>(b);
}

}  // namespace dragoman::kernels::cuda
