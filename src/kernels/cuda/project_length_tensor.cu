#include <algorithm>

#include "kernels/cuda/columns.cuh"
#include "kernels/cuda/project_length.cuh"
#include "kernels/cuda/tiles.cuh"

// Linformer's projections on tensor cores. A block of four warps has thirty-two or sixty-four mixtures (`kGroups`
// sixteens); what it multiplies next comes while it multiplies. Where sums are shared out to several blocks, the last
// one to finish adds up their parts in a fixed order.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 128;

// ---- y = projection x -----------------------------------------------------------------------------------------

constexpr int kWide = 2 * kTile;  // columns of a block, thirty-two a warp

struct Stage {
  Tile projection, x[2];
};

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

  // Calls f(row, column, two sums side by side).
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

// How sentences are shared out along their length: `pieces` blocks of `rows` rows for the longest.
struct Pieces {
  Size pieces, rows;
  float* partial;     // [blocks along x, pieces, 16 kGroups, kWide]
  unsigned* tickets;  // one a block along x
};

// Blocks along x are sentences, then mixtures, then columns; along y pieces.
template <int kGroups>
__global__ void __launch_bounds__(kThreads) project_tiles(ProjectLength<bf16> a, Pieces cut) {
  extern __shared__ Stage stages[];
  constexpr int kMixtures = 16 * kGroups;
  const int across = static_cast<int>((a.size + kWide - 1) / kWide), parts = static_cast<int>(a.parts());
  const int per_sentence = across * parts * static_cast<int>((a.mixtures + kMixtures - 1) / kMixtures);
  const Size sentence = blockIdx.x / per_sentence, mixture = blockIdx.x % per_sentence / (across * parts) * kMixtures;
  const Size part = blockIdx.x / across % parts, col = static_cast<Size>(blockIdx.x % across) * kWide;
  const Stretch rows(a, sentence);
  const int first = static_cast<int>(blockIdx.y * cut.rows);
  const int last = min(rows.rows, first + static_cast<int>(cut.rows));
  if (first > 0 && first >= last) return;

  const bf16* projection = projection_of(a, part) + mixture * a.length;
  const bf16* x = a.x + rows.first * a.x_stride + part * a.size + col;
  const auto mixtures = static_cast<int>(a.mixtures - mixture), cols = static_cast<int>(a.size - col);
  const auto fetch = [&](int j) {
    Stage& stage = stages[(j - first) / kTile % 2];
    load_tile<kThreads, kMixtures>(stage.projection, projection + j, a.length, mixtures, last - j);
    for (int half = 0; half < 2; ++half)
      load_tile<kThreads>(stage.x[half], x + j * a.x_stride + half * kTile, a.x_stride, last - j, cols - half * kTile);
    end_of_batch();
  };
  Sums<kGroups> sums;
  if (first < last) fetch(first);
  for (int j = first; j < last; j += kTile) {
    if (j + kTile < last) {
      fetch(j + kTile);
      wait_for_older_tiles();
    } else {
      wait_for_tiles();
    }
    sums.add(stages[(j - first) / kTile % 2]);
    __syncthreads();
  }

  bf16* y = a.y + (sentence * a.mixtures + mixture) * a.cols() + part * a.size + col;
  // Calls f(row, column) for every eight of the result.
  const auto each_eight = [&](auto&& f) {
    for (int e = static_cast<int>(threadIdx.x); e < kMixtures * kWide / 8; e += kThreads) {
      const int row = e / (kWide / 8), c = e % (kWide / 8) * 8;
      if (row < mixtures && c < cols) f(row, c);
    }
  };
  const Size pieces = max(Size{1}, (rows.rows + cut.rows - 1) / cut.rows);
  if (pieces == 1) {
    Tile(&room)[2] = stages[0].x;
    sums.each_pair([&](int row, int c, float low, float high) {
      *reinterpret_cast<std::uint32_t*>(room[c / kTile].at(row, c % kTile)) = pack_bf16(low, high);
    });
    __syncthreads();
    each_eight([&](int row, int c) {
      *reinterpret_cast<uint4*>(y + row * a.cols() + c) = *reinterpret_cast<uint4*>(room[c / kTile].at(row, c % kTile));
    });
    return;
  }
  constexpr int kRoom = kMixtures * kWide;
  float* all = cut.partial + blockIdx.x * cut.pieces * kRoom;
  float* mine = all + blockIdx.y * kRoom;
  sums.each_pair([&](int row, int c, float low, float high) {
    *reinterpret_cast<float2*>(mine + row * kWide + c) = make_float2(low, high);
  });
  if (!is_last_block(cut.tickets + blockIdx.x, static_cast<unsigned>(pieces))) return;
  each_eight([&](int row, int c) {
    float sum[8] = {};
    for (Size piece = 0; piece < pieces; ++piece) add8_from_others(sum, all + piece * kRoom + row * kWide + c);
    store8(y + row * a.cols() + c, sum);
  });
}

// ---- dx = projection^T dy -------------------------------------------------------------------------------------

// A block has sixty-four rows of a sentence and as many columns. Blocks along x are sentences, then columns.
__global__ void __launch_bounds__(kThreads) project_back_tiles(ProjectLengthBackward<bf16> b) {
  __shared__ Tile projections, gradients;
  const ProjectLength<bf16>& a = b.forward;
  const Size across = a.cols() / kTile, sentence = blockIdx.x / across, col = blockIdx.x % across * kTile;
  const Stretch rows(a, sentence);
  const int first = static_cast<int>(blockIdx.y) * kTile, warp_row = static_cast<int>(threadIdx.x) / kWarp * 16;
  if (first >= rows.rows) return;
  const bf16* projection = projection_of(a, col / a.size) + first;
  const bf16* dy = b.dy + sentence * a.mixtures * a.cols() + col;
  Rows dx;
  dx.clear();
  for (Size i = 0; i < a.mixtures; i += kTile) {
    const auto mixtures = static_cast<int>(a.mixtures - i);
    load_tile<kThreads>(projections, projection + i * a.length, a.length, mixtures, rows.rows - first);
    load_tile<kThreads>(gradients, dy + i * a.cols(), a.cols(), mixtures);
    wait_for_tiles();
    if (first + warp_row < rows.rows) {
      Quad left[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) left[k] = left_operand_transposed(projections, warp_row, 16 * k);
      add_product<false>(dx, left, gradients);
    }
    __syncthreads();
  }
  store_rows(dx, gradients, warp_row, b.dx + (rows.first + first) * b.dx_stride + col, b.dx_stride, rows.rows - first,
             b.accumulate_dx);
}

// ---- dprojection = dy x^T -------------------------------------------------------------------------------------

// The tiles that a block multiplies: of every so manieth sentence that is long enough, column after column.
struct Walk {
  Size sentence, step;
  int col = 0;

  // From this sentence or a later one on.
  __device__ void find(const ProjectLength<bf16>& a, int first) {
    while (sentence < a.sentences && Stretch(a, sentence).rows <= first) sentence += step;
  }
  __device__ void advance(const ProjectLength<bf16>& a, int first) {
    col += kTile;
    if (col < a.size) return;
    col = 0;
    sentence += step;
    find(a, first);
  }
};

// Blocks along x are positions, then projections, then mixtures; along y they share the sentences.
template <int kGroups>
__global__ void __launch_bounds__(kThreads)
    projection_gradient_tiles(ProjectLengthBackward<bf16> b, float* partial, unsigned* tickets) {
  __shared__ Tile gradients[2], xs[2];
  constexpr int kMixtures = 16 * kGroups, kRoom = kMixtures * kTile;
  const ProjectLength<bf16>& a = b.forward;
  const int tiles = static_cast<int>((a.longest + kTile - 1) / kTile);
  const Size part = blockIdx.x / tiles % a.parts(), mixture = blockIdx.x / tiles / a.parts() * kMixtures;
  const int first = static_cast<int>(blockIdx.x) % tiles * kTile;
  float* to = (part == 0 ? b.dprojections[0] : b.dprojections[1]);
  if (to == nullptr) return;
  const auto mixtures = static_cast<int>(a.mixtures - mixture);
  const auto fetch = [&](const Walk& at, int stage) {
    const Stretch rows(a, at.sentence);
    load_tile<kThreads, kMixtures>(gradients[stage],
                                   b.dy + (at.sentence * a.mixtures + mixture) * a.cols() + part * a.size + at.col,
                                   a.cols(), mixtures);
    load_tile<kThreads>(xs[stage], a.x + (rows.first + first) * a.x_stride + part * a.size + at.col, a.x_stride,
                        rows.rows - first);
    end_of_batch();
  };
  float sums[kGroups][2][4] = {};
  const int warp = static_cast<int>(threadIdx.x) / kWarp, l = lane();
  Walk at{blockIdx.y, gridDim.y};
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
  float* all = partial + blockIdx.x * gridDim.y * kRoom;
  float* mine = all + blockIdx.y * kRoom;
#pragma unroll
  for (int g = 0; g < kGroups; ++g)
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int r = 0; r < 2; ++r)
        *reinterpret_cast<float2*>(mine + (16 * g + 8 * r + l / 4) * kTile + 16 * warp + 8 * n + l % 4 * 2) =
            make_float2(sums[g][n][2 * r], sums[g][n][2 * r + 1]);
  if (!is_last_block(tickets + blockIdx.x, gridDim.y)) return;
  const int longest = static_cast<int>(a.longest) - first;
  for (int e = static_cast<int>(threadIdx.x); e < kRoom / 8; e += kThreads) {
    const int row = e / (kTile / 8), c = e % (kTile / 8) * 8;
    if (row >= mixtures || c >= longest) continue;
    float sum[8] = {};
    for (unsigned i = 0; i < gridDim.y; ++i) add8_from_others(sum, all + i * kRoom + e * 8);
    for (int j = 0; j < min(8, longest - c); ++j) to[(mixture + row) * a.length + first + c + j] += sum[j];
  }
}

// ---- launches -------------------------------------------------------------------------------------------------

bool fits(const ProjectLength<bf16>& a) {
  return a.size % kTile == 0 && a.length % 8 == 0 && a.x_stride % 8 == 0 && aligned16(a.x, a.y) &&
         aligned16(a.projections[0], a.projections[1]);
}

// Blocks that one sum is shared out to where there are `sums` of them.
Size sharers(Size sums, Size most) { return std::clamp<Size>(4 * multiprocessors() / sums, 1, most); }

template <int kGroups>
void project_rows(const ProjectLength<bf16>& a) {
  const unsigned blocks =
      static_cast<unsigned>(a.sentences * a.parts()) * blocks_for(a.size, kWide) * blocks_for(a.mixtures, 16 * kGroups);
  constexpr Size kWorthABlock = 4 * kTile;
  Pieces cut{};
  const Size pieces = sharers(blocks, std::max<Size>(1, blocks_for(a.longest, kWorthABlock)));
  cut.rows = std::max<Size>(1, blocks_for(blocks_for(a.longest, pieces), kTile)) * kTile;
  cut.pieces = std::max<Size>(1, blocks_for(a.longest, cut.rows));
  if (cut.pieces > 1) {
    cut.partial = scratch<float>(Scratch::partial_sums, blocks * cut.pieces * 16 * kGroups * kWide);
    cut.tickets = tickets(blocks);
  }
  const int shared = static_cast<int>((a.longest <= kTile ? 1 : 2) * sizeof(Stage));
  check_status(cudaFuncSetAttribute(project_tiles<kGroups>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
               "project_length");
  project_tiles<kGroups><<<dim3(blocks, static_cast<unsigned>(cut.pieces)), kThreads, shared, stream()>>>(a, cut);
  check_launch("project_length");
}

template <int kGroups>
void add_projection_gradients(const ProjectLengthBackward<bf16>& b) {
  const ProjectLength<bf16>& a = b.forward;
  const unsigned blocks =
      static_cast<unsigned>(a.parts()) * blocks_for(a.longest, kTile) * blocks_for(a.mixtures, 16 * kGroups);
  constexpr Size kMost = 64;  // parts that the last block is to add up
  const Size sharing = sharers(blocks, std::min(kMost, a.sentences));
  float* partial = scratch<float>(Scratch::partial_sums, blocks * sharing * 16 * kGroups * kTile);
  projection_gradient_tiles<kGroups>
      <<<dim3(blocks, static_cast<unsigned>(sharing)), kThreads, 0, stream()>>>(b, partial, tickets(blocks));
  check_launch("project_length_backward");
}

}  // namespace

bool project_on_tensor_cores(const ProjectLength<bf16>& a) {
  if (!fits(a)) return false;
  if (a.mixtures <= 32)
    project_rows<2>(a);
  else
    project_rows<4>(a);
  return true;
}

bool project_on_tensor_cores(const ProjectLengthBackward<bf16>& b) {
  const ProjectLength<bf16>& a = b.forward;
  if (!fits(a) || !aligned16(b.dy, b.dx) || b.dx_stride % 8 != 0) return false;
  if (b.dx != nullptr) {
    const dim3 grid(static_cast<unsigned>(a.sentences * a.cols() / kTile), blocks_for(a.longest, kTile));
    project_back_tiles<<<grid, kThreads, 0, stream()>>>(b);
    check_launch("project_length_backward");
  }
  if (b.dprojections[0] == nullptr && b.dprojections[1] == nullptr) return true;
  if (a.mixtures <= 32)
    add_projection_gradients<2>(b);
  else
    add_projection_gradients<4>(b);
  return true;
}

}  // namespace dragoman::kernels::cuda
