#pragma once

#include "kernels/cuda/cluster.cuh"
#include "kernels/cuda/tiles.cuh"

// What the blocks of a group that walks over sentences need of each other and of memory; see lstm_tensor.cu.
namespace dragoman::kernels::cuda::walk {

inline constexpr int kUnits = 32, kWarps = 8, kThreads = kWarps * kWarp, kDepth = 32;
inline constexpr int kTileRows = 16;  // of a product: a group's sentences are one or two tiles of rows

// Where the blocks of a group meet: a counter that starts at zero.
class Meeting {
 public:
  __device__ Meeting(unsigned* counter, int blocks) : counter_(counter), blocks_(static_cast<unsigned>(blocks)) {}

  // This block has written what the others wait for.
  __device__ void arrive() {
    __syncthreads();
    expected_ += blocks_;
    if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter_) : "memory");
  }
  // Until all have arrived as often as this block.
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

// What the blocks of a cluster know of one step, [rows, width] by turns for even and odd steps: each writes its
// own units and passes them on to the others. Steps are counted from 0 in the order of the walk; what all others have
// passed on is counted in bytes as it arrives, so that nobody waits for what a block wrote elsewhere. A block that
// passes something on has what all others passed on before, hence nobody still reads what is written over. A thread has
// one piece of sixteen bytes.
template <int kGroups, int kTiles>
class Board {
 public:
  // A block passes on its kUnits numbers from `first` on of kGroups groups, which are `apart` from each other.
  __device__ Board(bf16* memory, int rows, int width, int apart, int first, int blocks)
      : memory_(memory), rows_(rows), stride_(stride_of(width)), blocks_(static_cast<std::uint32_t>(blocks)) {
    const int column = static_cast<int>(threadIdx.x) % kAcross;
    piece_ = column / kEights * apart + first + column % kEights * 8;
  }
  static constexpr Size bytes(Size rows, Size width) { return 2 * rows * stride_of(width) * Size{sizeof(bf16)}; }

  __device__ bf16* row(int step, int r) const { return memory_ + (step % 2 * rows_ + r) * stride_; }
  // Where a number of a row lies: an operand's lane wants eight numbers side by side, of which it gets two at a time.
  __device__ static int place(int number) {
    return number / 32 * 32 + number % 8 / 2 * 8 + number % 32 / 8 * 2 + number % 2;
  }

  // By all threads, before anything is passed on.
  __device__ void begin() const {
    if (threadIdx.x == 0)
      for (int step = 0; step < 2; ++step) {
        arrivals(step).begin();
        arrivals(step).expect(expected());
      }
    begin_cluster();
    wait_for_cluster();
  }

  // The block's numbers of step `step`; by all threads, when all of the block have written theirs.
  __device__ void pass_on(int step) const {
    constexpr int kDown = kMost < kThreads ? kMost / kAcross : kThreads / kAcross;  // rows at once
    const std::uint32_t rank = cluster_rank();
    const int thread = static_cast<int>(threadIdx.x);
    for (int r = thread / kAcross % kDown; r < rows_; r += kDown) {
      const bf16* from = row(step, r) + piece_;
      const uint4 value = *reinterpret_cast<const uint4*>(from);
      for (std::uint32_t next = thread / (kAcross * kDown) + 1; next < blocks_; next += kThreads / (kAcross * kDown))
        arrivals(step).send(rank + next < blocks_ ? rank + next : rank + next - blocks_, from, value);
    }
  }

  // Until all others' units of step `step` are here.
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
  // Eights of eight rows lie in different banks.
  template <class Width>
  static constexpr __host__ __device__ Width stride_of(Width width) {
    return width + 8;
  }
  static constexpr int kEights = kUnits / 8, kAcross = kGroups * kEights, kMost = kTiles * kTileRows * kAcross;

  bf16* memory_;
  int rows_, stride_, piece_;
  std::uint32_t blocks_;
};

// A sentence of the walk; beyond the last one there are empty ones.
struct alignas(16) Sentence {
  int number, length;        // -1 and 0 where there is none
  int first_row, direction;  // of its packed rows, as the walk sees them

  __device__ static Sentence of(const LstmLayer<bf16>& a, int i) {
    if (i >= a.sentences) return {-1, 0, 0, 0};
    const int number = a.order[i], begin = a.offsets[number], length = a.offsets[number + 1] - begin;
    return {number, length, a.reverse ? begin + length - 1 : begin, a.reverse ? -1 : 1};
  }
  __device__ bool exists() const { return number >= 0; }
  // The packed row of step t.
  __device__ Size row(int t) const { return first_row + direction * t; }
};

// Numbers that a walk reads row by row: those of step t - back, and `first`, sentence after sentence, of the step
// before the first one. What is null is zeros.
struct Plane {
  const bf16 *steps = nullptr, *first = nullptr;
  Size stride = 0;  // from row to row
  int back = 0;

  __device__ const bf16* at(const Sentence& s, int t, Size hidden) const {
    if (t < back) return first != nullptr ? first + s.number * hidden : nullptr;
    return steps != nullptr ? steps + s.row(t - back) * stride : nullptr;
  }
};

// Element by element a thread has two units side by side of one sentence of each tile: half a warp has a sentence.
__device__ inline int thread_unit() { return lane() % 16 * 2; }
__device__ inline int thread_row(int tile) { return tile * kTileRows + static_cast<int>(threadIdx.x) / 16; }

// What a warp needs of a step beside sums, kPlanes times kUnits numbers for each of its sentences: it is brought while
// the blocks tell each other what they found. Four lanes bring a plane.
template <int kPlanes, int kTiles>
class Inbox {
 public:
  static constexpr int kWidth = kPlanes * kUnits;

  // `plane`: the lane's.
  __device__ Inbox(bf16* memory, const Plane& plane, int first_unit)
      : memory_(memory), plane_(plane), first_unit_(first_unit + lane() % 4 * 8) {}
  __device__ static int plane_of_lane() { return lane() % kLanes / 4; }

  __device__ void order(const Sentence* sentences, int rows, int t, Size hidden) const {
    if (t < 0) return;
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
#pragma unroll
      for (int i = 0; i < kRows; i += kWarp / kLanes) {
        const int row = tile * kTileRows + static_cast<int>(threadIdx.x) / kWarp * kRows + i + lane() / kLanes;
        if (row < rows) bring(sentences[row], row, t, hidden);
      }
  }
  __device__ void wait() const {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
  }
  // The thread's units of a plane.
  __device__ std::uint32_t get(int row, int plane) const {
    return *reinterpret_cast<const std::uint32_t*>(memory_ + row * kWidth + plane * kUnits + thread_unit());
  }

 private:
  static constexpr int kLanes = 4 * kPlanes, kRows = kTileRows / kWarps;  // of a sentence, and of a warp in a tile
  static_assert(kWarp % kLanes == 0 && kRows % (kWarp / kLanes) == 0);

  __device__ void bring(const Sentence& s, int row, int t, Size hidden) const {
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

}  // namespace dragoman::kernels::cuda::walk
