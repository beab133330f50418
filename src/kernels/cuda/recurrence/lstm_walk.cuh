#pragma once

#include "kernels/cuda/products/tiles.cuh"
#include "kernels/cuda/runtime/cluster.cuh"

// Parts of the LSTM layer kernels (lstm_tensor.cu): how the blocks of a group exchange results, prefetch operands and
// multiply during the time steps of a layer.
namespace dragoman::kernels::cuda::walk {

inline constexpr int kUnits = 32, kWarps = 8, kThreads = kWarps * kWarp, kDepth = 32;
inline constexpr int kTileRows = 16;  // rows (sentences) of a tile; a group processes one or two tiles at a time

// The block's group, the number of groups, and the first of the block's units.
struct BlockWork {
  int group, groups, first_unit;

  __device__ BlockWork(const LstmLayer<bf16>& a) {
    const int slices = static_cast<int>(a.hidden) / kUnits;
    group = static_cast<int>(blockIdx.x) / slices, groups = static_cast<int>(gridDim.x) / slices;
    first_unit = static_cast<int>(blockIdx.x) % slices * kUnits;
  }
};

// A barrier for the blocks of a group: an arrival counter in global memory that starts at zero.
class GroupBarrier {
 public:
  __device__ GroupBarrier(unsigned* counter, int blocks) : counter_(counter), blocks_(static_cast<unsigned>(blocks)) {}

  // Signals that this block has written its results.
  __device__ void arrive() {
    __syncthreads();
    expected_ += blocks_;
    if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter_) : "memory");
  }
  // Waits until all blocks have arrived as often as this one.
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

// Exchange of a step's results among the blocks of a cluster (distributed shared memory). Every block holds all results
// of a step, [rows, width], double-buffered for even and odd steps. It writes those of its own units and sends them to
// the other blocks, 16 bytes per thread at a time. Steps are counted from 0 in processing order.
//
// An mbarrier counts the bytes received, so a block waits for exactly these bytes and for no other writes of the
// sender. A block sends only after it has received everything of the previous step, so the buffer it overwrites is no
// longer read.
template <int kGroups, int kTiles>
class Exchange {
 public:
  // A block owns kUnits numbers, from `first` on, in each of the kGroups groups of a row; a group has `apart` numbers.
  __device__ Exchange(bf16* memory, int rows, int width, int apart, int first, int blocks)
      : memory_(memory), rows_(rows), stride_(stride_of(width)), blocks_(static_cast<std::uint32_t>(blocks)) {
    const int column = static_cast<int>(threadIdx.x) % kAcross;
    piece_ = column / kEights * apart + first + column % kEights * 8;
  }
  static constexpr Size bytes(Size rows, Size width) { return 2 * rows * stride_of(width) * Size{sizeof(bf16)}; }

  __device__ bf16* row(int step, int r) const { return memory_ + (step % 2 * rows_ + r) * stride_; }
  // The position of a number in a row. Numbers are permuted so that the eight that a lane needs for its operands are
  // adjacent.
  __device__ static int permuted(int number) {
    return number / 32 * 32 + number % 8 / 2 * 8 + number % 32 / 8 * 2 + number % 2;
  }

  // Initialises the mbarriers; called by all threads of the cluster before anything is sent.
  __device__ void begin() const {
    if (threadIdx.x == 0)
      for (int step = 0; step < 2; ++step) {
        arrivals(step).begin();
        arrivals(step).expect(expected());
      }
    arrive_at_cluster();
    wait_for_cluster();
  }

  // Sends the block's results of a step to the other blocks; called by all threads once all results are written.
  __device__ void send(int step) const {
    constexpr int kDown = kMost < kThreads ? kMost / kAcross : kThreads / kAcross;  // rows sent at once
    const std::uint32_t rank = cluster_rank();
    const int thread = static_cast<int>(threadIdx.x);
    for (int r = thread / kAcross % kDown; r < rows_; r += kDown) {
      const bf16* from = row(step, r) + piece_;
      const uint4 value = *reinterpret_cast<const uint4*>(from);
      for (std::uint32_t next = thread / (kAcross * kDown) + 1; next < blocks_; next += kThreads / (kAcross * kDown))
        arrivals(step).send(rank + next < blocks_ ? rank + next : rank + next - blocks_, from, value);
    }
  }

  // Waits until the results of all other blocks for a step have arrived.
  __device__ void wait(int step) const {
    arrivals(step).wait(step / 2);
    if (threadIdx.x == 0) arrivals(step).expect(expected());
  }

 private:
  __device__ static Arrivals& arrivals(int step) {
    __shared__ Arrivals counted[2];
    return counted[step % 2];
  }
  __device__ std::uint32_t expected() const {
    return (blocks_ - 1) * static_cast<std::uint32_t>(rows_ * kAcross * sizeof(uint4));
  }
  // Padding: groups of eight numbers at the same position in eight rows lie in different banks.
  template <class Width>
  static constexpr __host__ __device__ Width stride_of(Width width) {
    return width + 8;
  }
  static constexpr int kEights = kUnits / 8, kAcross = kGroups * kEights, kMost = kTiles * kTileRows * kAcross;

  bf16* memory_;
  int rows_, stride_, piece_;
  std::uint32_t blocks_;
};

// A sentence in processing order (the walk): longest first. Beyond the last sentence, an empty one.
struct alignas(16) Sentence {
  int number, length;        // -1 and 0 where there is none
  int first_row, direction;  // the packed row of step 0, and the distance to that of the next step: 1 or -1

  __device__ static Sentence of(const LstmLayer<bf16>& a, int i) {
    if (i >= a.sentences) return {-1, 0, 0, 0};
    const int number = a.order[i], begin = a.offsets[number], length = a.offsets[number + 1] - begin;
    return {number, length, a.reverse ? begin + length - 1 : begin, a.reverse ? -1 : 1};
  }
  __device__ bool exists() const { return number >= 0; }
  // The packed row of step t.
  __device__ Size row(int t) const { return first_row + direction * t; }
};

// An operand with one row per step. Step t reads the row of step t - back or, where t < back, the sentence's row of
// `first` [B, ...]. A null pointer stands for zeros.
struct Plane {
  const bf16 *steps = nullptr, *first = nullptr;
  Size stride = 0;  // between rows
  int back = 0;

  __device__ const bf16* at(const Sentence& s, int t, Size hidden) const {
    if (t < back) return first != nullptr ? first + s.number * hidden : nullptr;
    return steps != nullptr ? steps + s.row(t - back) * stride : nullptr;
  }
};

// In elementwise work, a thread handles two adjacent units of one sentence per tile, and half a warp one sentence.
__device__ inline int thread_unit() { return lane() % 16 * 2; }
__device__ inline int thread_row(int tile) { return tile * kTileRows + static_cast<int>(threadIdx.x) / 16; }

// The other operands of a step in shared memory: kPlanes times kUnits numbers per sentence. Each warp prefetches those
// of its own sentences (cp.async) while the blocks exchange their results; four lanes load a plane.
template <int kPlanes, int kTiles>
class OperandBuffer {
 public:
  static constexpr int kWidth = kPlanes * kUnits;

  // `plane` is the one that this lane loads.
  __device__ OperandBuffer(bf16* memory, const Plane& plane, int first_unit)
      : memory_(memory), plane_(plane), first_unit_(first_unit + lane() % 4 * 8) {}
  __device__ static int plane_of_lane() { return lane() % kLanes / 4; }

  // Starts loading the operands of step t.
  __device__ void prefetch(const Sentence* sentences, int rows, int t, Size hidden) const {
    if (t < 0) return;
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
      for (int i = 0; i < kRows; i += kWarp / kLanes) {
        const int row = tile * kTileRows + static_cast<int>(threadIdx.x) / kWarp * kRows + i + lane() / kLanes;
        if (row < rows) prefetch_row(sentences[row], row, t, hidden);
      }
  }
  __device__ void wait() const {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
  }
  // The thread's two units of a plane.
  __device__ std::uint32_t get(int row, int plane) const {
    return *reinterpret_cast<const std::uint32_t*>(memory_ + row * kWidth + plane * kUnits + thread_unit());
  }

 private:
  static constexpr int kLanes = 4 * kPlanes,
                       kRows = kTileRows / kWarps;  // lanes per sentence, and rows per warp in a tile
  static_assert(kWarp % kLanes == 0 && kRows % (kWarp / kLanes) == 0);

  __device__ void prefetch_row(const Sentence& s, int row, int t, Size hidden) const {
    if (t >= s.length) return;
    const bf16* from = plane_.at(s, t, hidden);
    bf16* to = memory_ + row * kWidth + lane() % kLanes * 8;
    if (from == nullptr)
      *reinterpret_cast<uint4*>(to) = uint4{};
    else
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from + first_unit_)
                   : "memory");
  }

  bf16* memory_;
  Plane plane_;
  int first_unit_;
};

// Two adjacent units, packed as stored in memory.
__device__ inline float2 unpacked(std::uint32_t pair) { return {low_bf16(pair), high_bf16(pair)}; }
__device__ inline float2 load2(const bf16* from) {
  return from != nullptr ? unpacked(*reinterpret_cast<const std::uint32_t*>(from)) : float2{};
}
__device__ inline void store2(bf16* to, std::uint32_t pair) { *reinterpret_cast<std::uint32_t*>(to) = pair; }
__device__ inline void add2(float2& to, const float2& x) { to.x += x.x, to.y += x.y; }

// A warp's product of 16 rows (sentences) and kParts times 32 columns over a depth of kChunks times kDepth.
//
// Weights are loaded to registers in memory order, eight adjacent numbers per lane, so the four lanes of a row hold 32
// terms in a different order than two mma.m16n8k16 expect. Both operands use the same permutation, so the sums are the
// same.
template <int kChunks, int kParts>
struct WarpProduct {
  uint4 right[kChunks][4 * kParts];
  Quad left[kChunks][2];

  // Loads the left operand from an Exchange: `row` is the row of lane % 16, and [begin, begin + kChunks * kDepth) is
  // the warp's slice of the depth. Numbers beyond `width` are multiplied by zero weights.
  __device__ void load(const bf16* row, int begin, int width) {
#pragma unroll
    for (int c = 0; c < kChunks; ++c)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int k = begin + c * kDepth + 16 * i + lane() / 16 * 8;
        left[c][i] = load_quad(row + (k < width ? k : 0));
      }
  }
  // Loads the left operand from global memory: `upper` and `lower` point to the lane's two rows at the warp's first
  // column; null stands for a row of zeros.
  __device__ void load_from_memory(const bf16* upper, const bf16* lower, int depth) {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const int k = c * kDepth + lane() % 4 * 8;
      const auto read = [&](const bf16* from) {
        return k < depth && from != nullptr ? __ldcg(reinterpret_cast<const uint4*>(from + k)) : uint4{};
      };
      const uint4 a = read(upper), b = read(lower);
      left[c][0] = {{a.x, b.x, a.y, b.y}};
      left[c][1] = {{a.z, b.z, a.w, b.w}};
    }
  }
  // Multiplies, and stores the lane's sums of a part to two rows; a null row is skipped. Column n of mma tile j is unit
  // 4 n + j of the part's 32 units, so a lane has eight adjacent units of each row.
  __device__ void multiply(int part, float* upper, float* lower) const {
    float sums[4][4] = {};
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
#pragma unroll
      for (int j = 0; j < 4; ++j) multiply_add(sums[j], left[c][0], right[c][4 * part + j].x, right[c][4 * part + j].y);
#pragma unroll
      for (int j = 0; j < 4; ++j) multiply_add(sums[j], left[c][1], right[c][4 * part + j].z, right[c][4 * part + j].w);
    }
    const auto put_eight = [&](float* row, int which) {
      if (row == nullptr) return;
      auto* at = reinterpret_cast<float4*>(row + lane() % 4 * 8);
      for (int i = 0; i < 2; ++i)
        at[i] = make_float4(sums[0][which + i], sums[1][which + i], sums[2][which + i], sums[3][which + i]);
    };
    put_eight(upper, 0);
    put_eight(lower, 2);
  }
};

// The shared memory of a block: partial sums of kParts warps per sentence, the operands of a step (OperandBuffer), the
// sentences, and the buffers of the Exchange.
template <int kParts, int kWide, int kPlanes>
struct Shared {
  static constexpr int kStride = kWide + 4;  // keeps neighbouring rows in different banks
  int rows;
  float* parts;
  bf16* operands;
  Sentence* sentences;
  bf16* exchange;

  __device__ Shared(unsigned char* memory, int count) : rows(count), parts(reinterpret_cast<float*>(memory)) {
    operands = reinterpret_cast<bf16*>(parts + kParts * rows * kStride);
    sentences = reinterpret_cast<Sentence*>(operands + rows * OperandBuffer<kPlanes, 1>::kWidth);
    exchange = reinterpret_cast<bf16*>(sentences + rows);
  }
  static constexpr Size bytes(Size rows, Size exchange_width) {
    const Size row =
        kParts * kStride * sizeof(float) + OperandBuffer<kPlanes, 1>::kWidth * sizeof(bf16) + sizeof(Sentence);
    return rows * row + Exchange<1, 1>::bytes(rows, exchange_width);
  }

  // The operand row whose address a lane passes to ldmatrix. Beyond the last row any will do: its sums are not read.
  __device__ int row_of_lane(int tile) const {
    const int row = tile * kTileRows + lane() % 16;
    return row < rows ? row : 0;
  }
  __device__ float* part(int which, int row) const { return parts + (which * rows + row) * kStride; }
  // Adds to x the sums of all parts for the thread's two units of the columns from `col` on.
  __device__ void add_parts(float2& x, int row, int col) const {
#pragma unroll
    for (int i = 0; i < kParts; ++i) add2(x, *reinterpret_cast<const float2*>(part(i, row) + col + thread_unit()));
  }
  // Loads the group's sentences: `rows` of them from position `first` of the walk on. Called by all threads.
  __device__ void begin(const LstmLayer<bf16>& a, int first) const {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < rows)
      sentences[threadIdx.x] = Sentence::of(a, first + static_cast<int>(threadIdx.x));
    __syncthreads();
  }
};

}  // namespace dragoman::kernels::cuda::walk
