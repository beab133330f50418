#include <algorithm>

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/products/tiles.cuh"

// Gradients of keys and values for wide heads (128 to 512 numbers), in bf16 on tensor cores. A block owns 32 keys of a
// sentence and loops over the queries, 32 at a time. Each warp accumulates 64 columns of the gradients.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 8, kThreads = kWarps * kWarp, kMany = kWideKeysRows;
static_assert(kWarps * kTile == kMostRow, "each warp has a tile of columns");

// kMany rows in shared memory, with loads of mma operands as in tiles.cuh.
struct Strip {
  bf16* values;
  int stride;

  __device__ bf16* at(int row, int col) const { return values + row * stride + col; }

  // Starts copying `count` rows (cp.async), with zeros after them; called by all threads.
  __device__ void load(const bf16* from, Size apart, int count, int columns) const {
    const int across = columns / 8;
    for (int e = static_cast<int>(threadIdx.x); e < kMany * across; e += kThreads) {
      const int row = e / across, col = e % across * 8;
      const bool inside = row < count;
      const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(at(row, col)));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address),
                   "l"(inside ? from + row * apart + col : from), "r"(inside ? 16 : 0)
                   : "memory");
    }
  }
  __device__ Quad left(int row, int col) const { return load_quad(at(row + lane() % 16, col + lane() / 16 * 8)); }
  __device__ Quad left_transposed(int row, int col) const {
    return load_quad_transposed(at(col + lane() % 8 + lane() / 16 * 8, row + lane() / 8 % 2 * 8));
  }
  __device__ Quad right(int row, int col) const {
    return load_quad_transposed(at(row + lane() % 16, col + lane() / 16 * 8));
  }
  // Eight columns of the transposed strip: 32 of its rows from `row` on.
  __device__ Quad right_transposed(int row, int col) const {
    return load_quad(at(col + lane() % 8, row + lane() / 8 * 8));
  }
};

// sum += sixteen rows of `left` times the transpose of eight rows of `right`.
__device__ inline void multiply(float (&sum)[4], const Strip& left, int row, const Strip& right, int col, int size) {
#pragma unroll 4
  for (int d = 0; d < size; d += 32) {
    const Quad both = right.right_transposed(d, col);
    multiply_add(sum, left.left(row, d), both.r[0], both.r[1]);
    multiply_add(sum, left.left(row, d + 16), both.r[2], both.r[3]);
  }
}

// The accumulators of a warp: its columns of the gradient of kMany keys.
struct KeySums {
  float parts[2][kTile / 8][4] = {};

  // Adds the transpose of weights [queries, keys] times rows [queries, columns].
  __device__ void add(const Strip& weights, const Strip& rows, int col) {
#pragma unroll
    for (int i = 0; i < kMany; i += 16) {
      const Quad left[2] = {weights.left_transposed(0, i), weights.left_transposed(16, i)};
#pragma unroll
      for (int n = 0; n < kTile / 16; ++n) {
        const Quad two = rows.right(i, col + 16 * n);
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          multiply_add(parts[m][2 * n], left[m], two.r[0], two.r[1]);
          multiply_add(parts[m][2 * n + 1], left[m], two.r[2], two.r[3]);
        }
      }
    }
  }
  // Stores or adds the gradient to global memory, staged through the warp's columns of a strip.
  __device__ void store(const Strip& strip, int col, bf16* to, Size apart, int count, bool accumulate) const {
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int n = 0; n < kTile / 8; ++n) {
        const float(&p)[4] = parts[m][n];
        bf16* at = strip.at(16 * m + lane() / 4, col + 8 * n + lane() % 4 * 2);
        *reinterpret_cast<std::uint32_t*>(at) = pack_bf16(p[0], p[1]);
        *reinterpret_cast<std::uint32_t*>(at + 8 * strip.stride) = pack_bf16(p[2], p[3]);
      }
    __syncwarp();
    for (int e = lane(); e < kMany * kTile / 8; e += kWarp) {
      const int row = e / (kTile / 8), c = col + e % (kTile / 8) * 8;
      if (row >= count) continue;
      float value[8], before[8] = {};
      load8(strip.at(row, c), value);
      if (accumulate) load8(to + row * apart + c, before);
#pragma unroll
      for (int j = 0; j < 8; ++j) value[j] += before[j];
      store8(to + row * apart + c, value);
    }
  }
};

// For each query of a strip: dout . out, and the log of the sum of exp(scores).
struct Statistics {
  float dout_out[kMany], log_sum[kMany];

  // Queries are distributed over the warps; `row` is query * heads + head of the first.
  __device__ void fill(const Attention<bf16>& a, const Strip& dout, Size row, int count) {
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
#pragma unroll
    for (int i = warp; i < kMany; i += kWarps) {
      const Size at = row + i * a.heads;
      float sum = 0;
      for (int d = lane() * 8; i < count && d < a.value_size; d += kWarp * 8) {
        float x[8], y[8];
        load8(a.out + at * a.value_size + d, x);
        load8(dout.at(i, d), y);
#pragma unroll
        for (int j = 0; j < 8; ++j) sum += x[j] * y[j];
      }
      sum = warp_sum(sum);
      if (lane() == 0) dout_out[i] = sum, log_sum[i] = i < count ? a.log_sum[at] : 0.0f;
    }
  }
};

__global__ void __launch_bounds__(kThreads) add_key_gradients(AttentionBackward<bf16> b, Drop drop, int stride) {
  extern __shared__ __align__(16) bf16 memory[];
  __shared__ __align__(16) bf16 small[2][kMany * (kMany + 8)];
  __shared__ Statistics statistics;
  const Attention<bf16>& a = b.forward;
  const Sentence one(a, blockIdx.x);
  const Size head = blockIdx.y, first = Size{blockIdx.z} * kMany;
  if (first >= one.keys) return;
  const auto strip = [&](int which) { return Strip{memory + which * kMany * stride, stride}; };
  const Strip k = strip(0), v = strip(1), q = strip(2), dout = strip(3);
  const Strip kept{small[0], kMany + 8}, dscores{small[1], kMany + 8};
  const int keys = static_cast<int>(min(Size{kMany}, one.keys - first)), warp = static_cast<int>(threadIdx.x) / kWarp;
  const int key_size = static_cast<int>(a.key_size), value_size = static_cast<int>(a.value_size), col = warp * kTile;
  const Size key = one.first_key + first;
  k.load(a.k + key * a.k_stride + head * key_size, a.k_stride, keys, key_size);
  v.load(a.v + key * a.v_stride + head * value_size, a.v_stride, keys, value_size);
  KeySums dk, dv;
  // Begins with the first query that sees any of the keys.
  for (Size i = a.causal ? max(Size{0}, first - one.keys + one.queries) : 0; i < one.queries; i += kMany) {
    const int count = static_cast<int>(min(Size{kMany}, one.queries - i));
    const Size query = one.first_query + i, row = query * a.heads + head;
    q.load(a.q + query * a.q_stride + head * key_size, a.q_stride, count, key_size);
    dout.load(b.dout + row * value_size, a.heads * value_size, count, value_size);
    wait_for_tiles();
    statistics.fill(a, dout, row, count);
    const int m = warp / 4 * 16, n = warp % 4 * 8;
    float scores[4] = {}, dout_v[4] = {};
    multiply(scores, q, m, k, n, key_size);
    multiply(dout_v, dout, m, v, n, value_size);
    __syncthreads();
    const auto scale = static_cast<float>(a.scale);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int r = m + lane() / 4 + e / 2 * 8, c = n + lane() % 4 * 2 + e % 2;
      const bool seen = r < count && c < keys && first + c < one.visible(i + r, a.causal);
      const auto element = static_cast<std::uint64_t>((row + r * a.heads) * Dropout::stride(a.longest) + first + c);
      const float factor = seen ? drop.factor(element) : 0.0f;
      const float weight = seen ? expf(scale * scores[e] - statistics.log_sum[r]) : 0.0f;
      *kept.at(r, c) = rounded<bf16>(weight * factor);
      *dscores.at(r, c) = rounded<bf16>(scale * weight * (factor * dout_v[e] - statistics.dout_out[r]));
    }
    __syncthreads();
    if (col < key_size) dk.add(dscores, q, col);
    if (col < value_size) dv.add(kept, dout, col);
    __syncthreads();
  }
  if (b.dk != nullptr && col < key_size)
    dk.store(q, col, b.dk + key * b.dk_stride + head * key_size, b.dk_stride, keys, b.accumulate_dk);
  if (b.dv != nullptr && col < value_size)
    dv.store(dout, col, b.dv + key * b.dv_stride + head * value_size, b.dv_stride, keys, b.accumulate_dv);
}

}  // namespace

void wide_key_gradients(const AttentionBackward<bf16>& b) {
  static OncePerGpu allowed;
  allowed.here(
      [] { return allow_shared("attention_backward", add_key_gradients, wide_keys_dynamic_bytes(kMostRow)), true; });
  const Attention<bf16>& a = b.forward;
  const Size largest = std::max(a.key_size, a.value_size);
  const dim3 grid(static_cast<unsigned>(a.sentences), static_cast<unsigned>(a.heads), blocks_for(a.longest, kMany));
  add_key_gradients<<<grid, kThreads, static_cast<std::size_t>(wide_keys_dynamic_bytes(largest)), stream()>>>(
      b, Drop(a.dropout), static_cast<int>(largest) + 8);
  check_launch("attention_backward");
}

}  // namespace dragoman::kernels::cuda
