#include "kernels/cuda/search/row_program.h"

#include "kernels/cuda/runtime/dependent_launch.cuh"
#include "kernels/cuda/search/row_attention.cuh"
#include "kernels/cuda/search/row_shared.cuh"

// A cluster of n thread blocks works on 40 rows; each block computes one attention head and every n-th tile of a
// layer's columns.
//
// - Weights: a producer thread prefetches them (TMA) into a ring buffer in shared memory, independently of the other
//   threads. They are the left operand of wgmma and the rows the right one, because wgmma fixes the left operand at 64
//   rows but takes any multiple of 8 on the right.
// - Activations: the whole input of a layer lies in every block's shared memory. The block that computes a tile sends
//   it to all others (distributed shared memory). The exception is the inside of a feed-forward sublayer, whose inner
//   rows are long: each block keeps its own columns there, and the blocks exchange partial sums (split-K).
//
// Every warp executes the code once per layer, so the time is bounded by instruction count and latency.
namespace dragoman::kernels::cuda {
namespace {

using namespace row_programs;

constexpr int kBytes = sizeof(Shared);

// The sum over the eight lanes that share a row.
__device__ float sum_of_row(float x) {
#pragma unroll
  for (int apart = 1; apart < kEights; apart *= 2) x += __shfl_xor_sync(kAllLanes, x, apart);
  return x;
}

// Moves x to a uniform register; x must be the same in all lanes.
__device__ std::uint32_t uniform(std::uint32_t x) { return __reduce_max_sync(kAllLanes, x); }

// A compute (consumer) thread. In each tile it owns eight adjacent columns of one row: its "eight".
class Worker {
 public:
  __device__ Worker(const RowLaunch& program, Shared& shared, int rank)
      : program_(program), shared_(shared), rank_(rank), thread_(static_cast<int>(threadIdx.x)) {}

  __device__ void work() {
    load_rows();
    for (int i = 0; i < program_.count; ++i) {
      // Makes the compiler recompute values derived from the thread number: registers are too few to keep them.
      asm volatile("" : "+r"(thread_));
      const Instruction& one = shared_.program[i];
      if (one.attends)
        attend(one);
      else if (one.layer.up.y != nullptr)
        feed_forward(one);
      else
        multiply(one);
    }
  }

 private:
  // The position of the worker's eight in a tile.
  __device__ int row() const { return thread_ / kEights; }
  __device__ int eight() const { return thread_ % kEights; }
  // A barrier for all workers of the block.
  __device__ static void sync_workers() { asm volatile("bar.sync 1, %0;" ::"n"(kWorkers) : "memory"); }
  __device__ int across() const { return program_.across; }
  // The first row of the cluster, and whether the worker's row exists.
  __device__ static int first_row() { return static_cast<int>(blockIdx.y) * kRows; }
  __device__ bool exists() const { return first_row() + row() < program_.rows; }
  __device__ bool multiplies() const { return thread_ < kMultiply; }
  __device__ int group() const { return thread_ / kGroup; }
  __device__ Size at(const ProductPart& p, int col) const { return Size{first_row() + row()} * p.across * kTile + col; }

  __device__ void load_rows() {
    for (int k = 0; k < across(); ++k) {
      uint4 value = make_uint4(0, 0, 0, 0);
      if (exists())
        value = *reinterpret_cast<const uint4*>(program_.x + (Size{first_row() + row()} * across() + k) * kTile +
                                                eight() * 8);
      *reinterpret_cast<uint4*>(shared_.rows[0][k].eight(row(), eight())) = value;
    }
    if (program_.keys_of_sentences.offsets != nullptr) find_sentences();
    sync_workers();
    if (program_.keys.offsets != nullptr) find_keys(program_.keys, first_row() + warp_row() + lane(), shared_.keys);
    if (program_.keys_of_sentences.offsets != nullptr)
      find_keys(program_.keys_of_sentences,
                lane() < RowAttention::kRowsOfWarp ? shared_.sentences[warp_row() + lane()] : 0,
                shared_.keys_of_sentences);
    fence_async_proxy();
    sync_workers();
  }
  // Looks up the sentence of each row.
  __device__ void find_sentences() {
    for (int s = thread_; s < program_.sentences; s += kWorkers) {
      const int begin = program_.query_offsets[s] - first_row(), end = program_.query_offsets[s + 1] - first_row();
      for (int row = max(0, begin); row < min(kRows, end); ++row) shared_.sentences[row] = s;
    }
  }
  // Looks up the key ranges of the warp's rows; `sentence` is the one whose keys row `lane` of the warp attends to.
  __device__ void find_keys(const KeyPart& part, int sentence, KeysOfRows& to) {
    Keys keys;
    const int row = warp_row() + lane();
    if (lane() < RowAttention::kRowsOfWarp) {
      if (first_row() + row < program_.rows) keys = {part.offsets[sentence], part.offsets[sentence + 1]};
      to.first[row] = keys.first, to.end[row] = keys.end;
    }
    to.key_rows[thread_] = keys.find(part.rows, keys.next(0) + lane());
  }

  // ---- exchange between blocks, in turns counted from 1 ----
  //
  // Every block sends something in every turn, and only after it has received all data of the previous turn. So once a
  // block has received a whole turn, no block still reads data of the previous turn or waits for an earlier one.

  // Begins a turn in which each block receives `bytes` in total from all blocks.
  __device__ void expect(int bytes) {
    ++turn_;
    if (thread_ == 0) shared_.arrivals[turn_ % 2].expect(bytes);
  }
  __device__ void expect_tiles(int tiles) { expect(tiles * static_cast<int>(sizeof(RowTile))); }
  // Sends the worker's eight of a tile to that tile of `buffer` in all blocks.
  __device__ void send(int buffer, int tile, const uint4& value) {
    const void* here = shared_.rows[buffer][tile].eight(row(), eight());
    for (int i = 0; i < across(); ++i) {
      int to = rank_ + i;
      if (to >= across()) to -= across();
      shared_.arrivals[turn_ % 2].send(static_cast<std::uint32_t>(to), here, value);
    }
  }
  __device__ void wait_for_turn() {
    if (turn_ > 0) shared_.arrivals[turn_ % 2].wait((turn_ - 1) / 2);
    fence_async_proxy();
  }
  __device__ static int after(int buffer) { return buffer == 2 ? 0 : buffer + 1; }

  // ---- layers ----

  // The biases of a lane's two accumulator columns.
  struct Bias {
    bf16 of[2] = {};

    __device__ static int column() { return static_cast<int>(threadIdx.x) % kGroup / kWarp * 16 + lane() / 4; }
    __device__ Bias(const ProductPart& p, int tile) {
      if (p.bias != nullptr) of[0] = p.bias[tile * kTile + column()], of[1] = p.bias[tile * kTile + column() + 8];
    }
  };

  // One layer: each warp group computes one tile at a time.
  __device__ void multiply(const Instruction& one) {
    const ProductPart& p = one.layer.product;
    const NormOperands operands(*this, one);
    if (multiplies()) wait_for_turn();
    if (one.shared) expect_tiles(p.across);
    const int to = after(buffer_);
    for (int t = rank_; t < p.across; t += kGroups * across()) {
      RowTile* staging = shared_.staging + kGroups * staging_;
      const int tiles = t + across() < p.across ? 2 : 1;
      compute_tiles(p, t, tiles, staging);
      sync_workers();
      for (int i = 0; i < tiles; ++i) {
        const int tile = t + i * across();
        const uint4 value = finish(one, tile, operands, *mine(staging[i]));
        if (one.shared) send(to, tile, value);
      }
      staging_ ^= 1;
    }
    if (one.shared) buffer_ = to;
  }

  // The two layers of a feed-forward sublayer. A block keeps its own tiles of the first layer's result. It multiplies
  // them by the matching weights of the second layer and sends the partial sums of each tile of columns to the block
  // that owns the tile. Partial sums are received in the two buffers that are not being read.
  __device__ void feed_forward(const Instruction& one) {
    const auto& [up, p, norm] = one.layer;
    const NormOperands operands(*this, one);
    const int tiles = up.across / across();
    if (multiplies()) wait_for_turn();
    for (int i = 0; i < tiles; i += kGroups)
      compute_tiles(up, rank_ + i * across(), min(kGroups, tiles - i), shared_.staging + i);
    fence_async_proxy();
    sync_workers();
    if (exists())
      for (int i = 0; i < tiles; ++i)
        *reinterpret_cast<uint4*>(up.y + at(up, (rank_ + i * across()) * kTile + eight() * 8)) =
            *mine(shared_.staging[i]);
    expect(across() * static_cast<int>(sizeof(float4)) * kParts * kGroup);
    const Bias bias(p, rank_);
    if (multiplies()) {
      for (int i = 0; i < across(); i += kGroups) {
        Sums sums;
        add_up(sums, shared_.staging, tiles, kGroups);
        const int to = (rank_ + i + group()) % across();
#pragma unroll
        for (int n = 0; n < kParts; ++n)
          shared_.arrivals[turn_ % 2].send(static_cast<std::uint32_t>(to), part_of_sums(rank_, n), sums.part[n]);
      }
      wait_for_turn();
    }
    sync_workers();  // until no group reads the tiles any more
    if (multiplies()) reduce_partial_sums(bias, p.relu);
    if (one.shared) expect_tiles(across());
    sync_workers();
    const uint4 value = finish(one, rank_, operands, *mine(shared_.staging[0]));
    if (one.shared) send(buffer_, rank_, value);
  }
  // The address at which the worker receives a partial sum from `block`.
  __device__ float4* part_of_sums(int block, int n) {
    constexpr int kHalf = RowLaunch::kMostAcross / 2;
    const int buffer = block < kHalf ? after(buffer_) : after(after(buffer_));
    return reinterpret_cast<float4*>(shared_.rows[buffer]) + (block % kHalf * kParts + n) * kGroup + thread_ % kGroup;
  }
  // Adds up the partial sums of the block's tile and applies bias and activation; each group takes some of the rows.
  __device__ void reduce_partial_sums(const Bias& bias, bool relu) {
    const int begin = group() == 0 ? 0 : (kParts + 1) / 2, end = group() == 0 ? (kParts + 1) / 2 : kParts;
    for (int n = begin; n < end; ++n) {
      float sum[4] = {};
      for (int b = 0; b < across(); ++b) {
        const float4 part = *part_of_sums(b, n);
        sum[0] += part.x, sum[1] += part.y, sum[2] += part.z, sum[3] += part.w;
      }
      put(shared_.staging[0], n, sum, bias, relu);
    }
  }

  // Computes `tiles` of the block's tiles of columns, beginning with `tile`: at most one per group.
  __device__ void compute_tiles(const ProductPart& p, int tile, int tiles, RowTile* to) {
    if (!multiplies()) return;
    if (group() >= tiles) {
      consumed_ += static_cast<unsigned>(p.depth / 2 * tiles);
      return;
    }
    const Bias bias(p, tile + group() * across());
    Sums sums;
    add_up(sums, shared_.rows[buffer_], p.depth, tiles);
#pragma unroll
    for (int n = 0; n < kParts; ++n) put(to[group()], n, sums.part[n], bias, p.relu);
  }

  // sums = weights from the ring times rows, two tiles of depth at a time. The stages of the ring alternate between
  // `columns` groups.
  __device__ void add_up(Sums& sums, const RowTile* rows, int depth, int columns) {
    // In a cluster the upper bits of a shared memory address hold the rank of the block.
    constexpr std::uint32_t kWithinBlock = 0x3FFFF;
    constexpr int kDeep = 4;  // wgmma instructions per tile
    const std::uint32_t left = lower_descriptor(shared_address(shared_.weights) & kWithinBlock);
    const std::uint32_t right = lower_descriptor(shared_address(rows) & kWithinBlock);
    const int pairs = depth / 2;
    unsigned next = consumed_ + group();
    for (int k = 0; k < pairs; ++k, next += columns) {
      const Stage at(next);
      const std::uint32_t a = uniform(left + at.stage * static_cast<std::uint32_t>(sizeof(Pair) / 16));
      const std::uint32_t b = uniform(right + static_cast<std::uint32_t>(k * (2 * sizeof(RowTile) / 16)));
      shared_.full[at.stage].wait(at.parity);
      fence_registers();
#pragma unroll
      for (int t = 0; t < 2; ++t)
#pragma unroll
        for (int i = 0; i < kDeep; ++i)
          sums.begin_product(a + t * (sizeof(WideTile) / 16) + 2 * i, b + t * (sizeof(RowTile) / 16) + 2 * i,
                             k > 0 || t > 0 || i > 0);
      commit_products();
      if (k > 0) {
        wait_for_products<1>();
        release(Stage(next - columns).stage);
      }
    }
    wait_for_products<0>();
    sums.fence_operands();
    release(Stage(next - columns).stage);
    consumed_ += static_cast<unsigned>(pairs * columns);
  }
  __device__ void release(unsigned stage) {
    if (lane() == 0) shared_.empty[stage].arrive();
  }
  // Adds the bias, applies the activation, rounds and stores eight rows of a tile.
  __device__ static void put(RowTile& to, int n, const float (&sum)[4], const Bias& bias, bool relu) {
    const float least = relu ? 0.0f : -INFINITY;
    float of[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      of[e] = sum[e] + to_float(bias.of[e / 2]);
      of[e] = of[e] < least ? least : of[e];
    }
    const int warp = static_cast<int>(threadIdx.x) % kGroup / kWarp;
    store_transposed(to.eight(8 * n + lane() % 8, 2 * warp + lane() / 8 % 2), pack_bf16(of[0], of[1]),
                     pack_bf16(of[2], of[3]));
  }
  // The worker's eight of a tile.
  __device__ const uint4* mine(RowTile& tile) const {
    return reinterpret_cast<const uint4*>(tile.eight(row(), eight()));
  }

  // The other operands of the residual connection and norm, loaded while the product runs: one tile per block.
  struct NormOperands {
    Eight<bf16> x{}, gain{}, shift{};

    __device__ NormOperands(const Worker& worker, const Instruction& one) {
      const NormPart& norm = one.layer.norm;
      if (norm.y == nullptr) return;
      const int col = worker.rank_ * kTile + worker.eight() * 8;
      if (worker.exists()) x.load(norm.x + worker.at(one.layer.product, col));
      gain.load(norm.gain + col), shift.load(norm.bias + col);
    }
  };

  // The epilogue of a tile: stores it and, where there is a norm, the sum and the normalised sum. Returns what the next
  // layer reads.
  __device__ uint4 finish(const Instruction& one, int tile, const NormOperands& operands, const uint4& result) {
    const ProductPart& p = one.layer.product;
    const int col = tile * kTile + eight() * 8;
    const Eight<bf16> branch{result};
    if (exists()) *reinterpret_cast<uint4*>(p.y + at(p, col)) = branch.raw[0];
    if (one.layer.norm.y == nullptr) return branch.raw[0];
    // The branch and the sum are rounded before they are used, as with separate kernels.
    const NormPart& norm = one.layer.norm;
    float a[8], b[8];
    branch.unpack(a), operands.x.unpack(b);
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] += b[i];
    const Eight<bf16> sum{pack8(a)};
    sum.unpack(a);
    const float2 whole = moments_of_row(a);
    const float rstd = 1 / sqrtf(whole.y + norm.epsilon);
    float gain[8], shift[8];
    operands.gain.unpack(gain), operands.shift.unpack(shift);
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] = (a[i] - whole.x) * rstd * gain[i] + shift[i];
    const uint4 y = pack8(a);
    if (exists()) {
      *reinterpret_cast<uint4*>(norm.sum + at(p, col)) = sum.raw[0];
      *reinterpret_cast<uint4*>(norm.y + at(p, col)) = y;
      if (col == 0) norm.mean[first_row() + row()] = whole.x, norm.rstd[first_row() + row()] = rstd;
    }
    return y;
  }

  // The mean and variance of a whole row, combined from those of each block's columns.
  __device__ float2 moments_of_row(const float (&x)[8]) {
    if (thread_ == 0) shared_.statistics.expect(across() * kRows * static_cast<int>(sizeof(float2)));
    float sum = 0, squares = 0;
#pragma unroll
    for (const float one : x) sum += one;
    const float mean = sum_of_row(sum) / kTile;
#pragma unroll
    for (const float one : x) squares += (one - mean) * (one - mean);
    squares = sum_of_row(squares);
    const bool counts = eight() < across();
    if (counts)
      shared_.statistics.send(static_cast<std::uint32_t>(eight()), &shared_.moments[rank_][row()],
                              make_float2(mean, squares));
    shared_.statistics.wait(norms_++);
    const float2 theirs = counts ? shared_.moments[eight()][row()] : make_float2(0, 0);
    const float whole = sum_of_row(theirs.x) / static_cast<float>(across());
    const float off = counts ? theirs.x - whole : 0.0f;
    const float around = sum_of_row(theirs.y + kTile * off * off);
    return make_float2(whole, around / static_cast<float>(across() * kTile));
  }

  // ---- attention ----

  __device__ int warp_row() const { return thread_ / kWarp * RowAttention::kRowsOfWarp; }

  __device__ void attend(const Instruction& one) {
    const AttentionPart& a = one.attention;
    if (one.shared) expect_tiles(across());
    const KeysOfRows& of = a.by_sentence ? shared_.keys_of_sentences : shared_.keys;
    Keys keys;
    if (lane() < RowAttention::kRowsOfWarp) keys = {of.first[warp_row() + lane()], of.end[warp_row() + lane()]};
    RowTile& staging = shared_.staging[kGroups * staging_];
    sync_workers();  // until the block's columns of queries, new keys and new values are written
    RowAttention rows(a, a.by_sentence ? program_.keys_of_sentences.rows : program_.keys.rows, rank_);
    rows.attend(keys, of.key_rows[thread_], first_row() + warp_row(), program_.rows);
    if (lane() % 4 < RowAttention::kRowsOfWarp / 2) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int row = warp_row() + lane() % 4 * 2 + i;
        *reinterpret_cast<uint4*>(staging.eight(row, lane() / 4)) = rows.result(i);
        if (lane() / 4 == 0 && first_row() + row < program_.rows)
          a.log_sum[Size{first_row() + row} * across() + rank_] = rows.log_sum(i);
      }
    }
    __syncwarp();  // no other warp touches these rows
    const uint4 value = *mine(staging);
    staging_ ^= 1;
    if (exists())
      *reinterpret_cast<uint4*>(a.out + (Size{first_row() + row()} * across() + rank_) * kTile + eight() * 8) = value;
    if (!one.shared) return;
    buffer_ = after(buffer_);
    send(buffer_, rank_, value);
  }

  const RowLaunch& program_;
  Shared& shared_;
  const int rank_;
  int thread_;
  int buffer_ = 0;  // that holds the input of the next layer
  int turn_ = 0, norms_ = 0, staging_ = 0;
  unsigned consumed_ = 0;  // pairs of weight tiles consumed
};

__global__ void __launch_bounds__(kThreads, 1) run_rows(const __grid_constant__ RowLaunch program) {
  extern __shared__ __align__(1024) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int rank = static_cast<int>(cluster_rank());
  if (threadIdx.x == 0) shared.init();
  // Hides from the compiler that this is constant memory, which is slow where lanes read different addresses.
  const Instruction* instructions = program.instructions;
  asm volatile("" : "+l"(instructions));
  constexpr int kWords = sizeof(Instruction) / sizeof(uint2);
  for (int i = static_cast<int>(threadIdx.x); i < program.count * kWords; i += kThreads)
    reinterpret_cast<uint2*>(shared.program)[i] = reinterpret_cast<const uint2*>(instructions)[i];
  __syncthreads();
  arrive_at_cluster();
  wait_for_cluster();
  if (threadIdx.x >= kWorkers) {
    if (threadIdx.x == kWorkers) Producer(program, shared, rank).work();
    return;
  }
  wait_for_previous_kernel();
  Worker(program, shared, rank).work();
}

}  // namespace

bool runs_row_programs() {
  if (!is_capability_90()) return false;
  static OncePerGpu room;
  return room.here([] { return try_allow_shared(run_rows, kBytes); });
}

void run_row_program(const RowLaunch& program) {
  cudaLaunchAttribute attributes[2]{{}, dependent_launch_attribute()};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {static_cast<unsigned>(program.across), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(program.across), blocks_for(program.rows, kRows));
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = kBytes;
  config.stream = stream();
  config.attrs = attributes;
  config.numAttrs = 2;
  check_status(cudaLaunchKernelEx(&config, run_rows, program), "step of search");
}

}  // namespace dragoman::kernels::cuda
