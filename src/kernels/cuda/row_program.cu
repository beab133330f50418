#include "kernels/cuda/row_program.h"

#include "kernels/cuda/early.cuh"
#include "kernels/cuda/row_attention.cuh"
#include "kernels/cuda/row_shared.cuh"

// A cluster of blocks has 40 rows; each block has every so manieth tile of a layer's columns and one head. One thread
// has the copy engine fetch weights, as many as there is room for, whatever the others are at. Weights are the left
// side of a product and rows the right one, because matrix instructions work on 64 on the left but on as few as one
// likes on the right. What a layer reads lies whole in every block's shared memory: whoever computed a part of it sent
// it to all.
namespace dragoman::kernels::cuda {
namespace {

using namespace row_programs;

constexpr int kBytes = sizeof(Shared);

// Over the eight lanes that have a row.
__device__ float sum_of_row(float x) {
#pragma unroll
  for (int apart = 1; apart < kEights; apart *= 2) x += __shfl_xor_sync(kAllLanes, x, apart);
  return x;
}

// One of the threads that compute. It has an eight of each tile of rows: `row_` and `e_`.
class Worker {
 public:
  __device__ Worker(const RowProgram& program, Shared& shared, int rank)
      : program_(program),
        shared_(shared),
        rank_(rank),
        thread_(static_cast<int>(threadIdx.x)),
        row_(thread_ / kEights),
        e_(thread_ % kEights) {}

  __device__ void work() {
    load_rows();
    for (int i = 0; i < program_.count; ++i) {
      const Instruction& one = shared_.program[i];
      // What comes while the layer before is computed.
      if (i + 1 < program_.count && shared_.program[i + 1].attends) find_keys(shared_.program[i + 1].attention);
      if (one.attends)
        attend(one);
      else
        multiply(one);
    }
  }

 private:
  // All workers of the block are here.
  __device__ static void meet() { asm volatile("bar.sync 1, %0;" ::"n"(kWorkers) : "memory"); }
  __device__ int across() const { return program_.across; }
  // The block's first row, and whether the worker's exists.
  __device__ static int first_row() { return static_cast<int>(blockIdx.y) * kRows; }
  __device__ bool exists() const { return first_row() + row_ < program_.rows; }
  __device__ bool multiplies() const { return thread_ < kMultiply; }
  __device__ int group() const { return thread_ / kGroup; }
  __device__ Size at(const ProductPart& p, int col) const { return Size{first_row() + row_} * p.across * kTile + col; }

  __device__ void load_rows() {
    for (int k = 0; k < across(); ++k) {
      uint4 value = make_uint4(0, 0, 0, 0);
      if (exists())
        value =
            *reinterpret_cast<const uint4*>(program_.x + (Size{first_row() + row_} * across() + k) * kTile + e_ * 8);
      *reinterpret_cast<uint4*>(shared_.rows[0][k].eight(row_, e_)) = value;
    }
    if (thread_ < kRows && program_.query_offsets != nullptr && first_row() + thread_ < program_.rows)
      shared_.sentences[thread_] =
          static_cast<int>(sentence_of(program_.query_offsets, program_.sentences, first_row() + thread_));
    before_engines();
    meet();
  }

  // ---- what blocks send each other, in turns that are counted from 1 ----
  //
  // Every block sends something in every turn, and not before it has all of the turn before. So when a block has all of
  // a turn, nobody reads what the turn before it brought, and nobody waits for an earlier one any more.

  // Begins a turn: what all blocks together will send.
  __device__ void expect(int tiles) {
    ++turn_;
    if (thread_ == 0) shared_.arrivals[turn_ % 2].expect(tiles * static_cast<int>(sizeof(RowTile)));
  }
  // The worker's eight of a tile of the buffer, to all blocks.
  __device__ void send(int buffer, int tile, const uint4& value) {
    const void* here = shared_.rows[buffer][tile].eight(row_, e_);
    for (int i = 0; i < across(); ++i) {
      int to = rank_ + i;
      if (to >= across()) to -= across();
      shared_.arrivals[turn_ % 2].send(static_cast<std::uint32_t>(to), here, value);
    }
  }
  __device__ void wait_for_turn() {
    if (turn_ > 0) shared_.arrivals[turn_ % 2].wait((turn_ - 1) / 2);
    before_engines();
  }
  __device__ static int after(int buffer) { return buffer == 2 ? 0 : buffer + 1; }

  // ---- layers ----

  // Tile by tile. A layer that has another one before it reads that one's tiles as they come: they go into the two
  // buffers that nobody reads, in turn, and while some are on their way the next ones are made.
  __device__ void multiply(const Instruction& one) {
    const auto& [up, p, norm] = one.layer;
    const bool two = up.y != nullptr;
    const ProductPart& first = two ? up : p;
    const int tiles = first.across;
    const Beside beside(*this, one);
    const Bias bias = two ? Bias(p, rank_) : Bias();
    if (multiplies()) wait_for_turn();
    if (one.shared && !two) expect(tiles);
    int to = two ? buffer_ : after(buffer_);
    Sums sums;
    for (int t = rank_; t < tiles + (two ? across() : 0); t += across()) {
      const bool more = t < tiles;
      uint4 value{};
      if (more) {
        const Bias own(first, t);
        Sums tile;
        if (multiplies()) add_up(tile, shared_.rows[buffer_], first.depth, false);
        pass(tile, own, first.relu);
        value = two ? take_part(up, t) : finish(one, t, beside);
      }
      if (two && t != rank_) {
        wait_for_turn();
        if (multiplies()) add_up(sums, shared_.rows[to], across(), t != rank_ + across());
      }
      if (two && more) {
        expect(across());
        to = after(to) == buffer_ ? after(buffer_) : after(to);
      }
      if (more && (two || one.shared)) send(to, two ? rank_ : t, value);
    }
    if (two) {
      if (one.shared) expect(across());
      pass(sums, bias, p.relu);
      const uint4 value = finish(one, rank_, beside);
      if (one.shared) send(buffer_, rank_, value);
    } else if (one.shared) {
      buffer_ = to;
    }
  }
  __device__ uint4 take_part(const ProductPart& up, int tile) {
    const uint4 value = take();
    if (exists()) *reinterpret_cast<uint4*>(up.y + at(up, tile * kTile + e_ * 8)) = value;
    return value;
  }

  // The next tiles of weights times rows; each group of warps has its part of the depth.
  __device__ void add_up(Sums& sums, const RowTile* rows, int depth, bool add) {
    // In a cluster the upper bits of an address have the block's number.
    constexpr std::uint32_t kWithinBlock = 0x3FFFF;
    const std::uint32_t left = lower_descriptor(shared_address(shared_.weights) & kWithinBlock);
    const std::uint32_t right = lower_descriptor(shared_address(rows) & kWithinBlock);
    if (!add && group() >= depth) sums.clear();
    for (int k = group(); k < depth; k += kGroups) {
      const Place at(used_ + k);
      shared_.full[at.place].wait(at.parity);
      registers_are_ready();
      const std::uint32_t a = left + at.place * (sizeof(WideTile) / 16);
      const std::uint32_t b = right + static_cast<std::uint32_t>(k) * (sizeof(RowTile) / 16);
#pragma unroll
      for (int i = 0; i < 4; ++i) sums.begin_product(a + 2 * i, b + 2 * i, add || k >= kGroups || i > 0);
      end_of_products();
      if (k >= kGroups) {
        wait_for_products<1>();
        release(Place(used_ + k - kGroups).place);
      }
    }
    wait_for_products<0>();
    sums.arrived();
    used_ += static_cast<unsigned>(depth);
    const int mine = (depth - 1 - group()) / kGroups * kGroups + group();
    if (group() < depth) release(Place(used_ - depth + mine).place);
  }
  __device__ void release(unsigned place) {
    if (lane() == 0) shared_.empty[place].arrive();
  }
  // Of a lane's columns.
  struct Bias {
    bf16 of[2] = {};

    __device__ static int column() { return static_cast<int>(threadIdx.x) % kGroup / kWarp * 16 + lane() / 4; }
    Bias() = default;
    __device__ Bias(const ProductPart& p, int tile) {
      if (p.bias != nullptr) of[0] = p.bias[tile * kTile + column()], of[1] = p.bias[tile * kTile + column() + 8];
    }
  };
  // A tile of results to all workers. Each group adds up some of the rows, of which the other one gives it its part.
  __device__ void pass(const Sums& sums, const Bias& bias, bool relu) {
    const float least = relu ? 0.0f : -INFINITY;
    const auto is_mine = [&](int n) { return (n < (kParts + 1) / 2) == (group() == 0); };
    const auto each = [&](auto&& f) {
      if (!multiplies()) return;
#pragma unroll
      for (int n = 0; n < kParts; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) f(n, e, shared_.partial[4 * n + e][thread_ % kGroup]);
    };
    each([&](int n, int e, float& partial) {
      if (!is_mine(n)) partial = sums.part[n][e];
    });
    meet();
    each([&](int n, int e, float& partial) {
      if (!is_mine(n)) return;
      const float sum = sums.part[n][e] + partial + to_float(bias.of[e / 2]);
      shared_.passing[passing_][8 * n + lane() % 4 * 2 + e % 2][Bias::column() + e / 2 * 8] =
          rounded<bf16>(sum < least ? least : sum);
    });
  }
  // The worker's eight of it.
  __device__ uint4 take() {
    meet();
    const uint4 value = *reinterpret_cast<const uint4*>(&shared_.passing[passing_][row_][e_ * 8]);
    passing_ ^= 1;
    return value;
  }

  // What a norm reads beside the sums; it comes while they are added up. Each block has one tile of it.
  struct Beside {
    Eight<bf16> x{}, gain{}, shift{};

    __device__ Beside(const Worker& worker, const Instruction& one) {
      const NormPart& norm = one.layer.norm;
      if (norm.y == nullptr) return;
      const int col = worker.rank_ * kTile + worker.e_ * 8;
      if (worker.exists()) x.load(norm.x + worker.at(one.layer.product, col));
      gain.load(norm.gain + col), shift.load(norm.bias + col);
    }
  };

  // What comes of a tile of the layer.
  __device__ uint4 finish(const Instruction& one, int tile, const Beside& beside) {
    const ProductPart& p = one.layer.product;
    const int col = tile * kTile + e_ * 8;
    const Eight<bf16> branch{take()};
    if (exists()) *reinterpret_cast<uint4*>(p.y + at(p, col)) = branch.raw[0];
    if (one.layer.norm.y == nullptr) return branch.raw[0];
    // What is added and what is normalised are what is stored: rounded numbers.
    const NormPart& norm = one.layer.norm;
    float a[8], b[8];
    branch.unpack(a), beside.x.unpack(b);
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] += b[i];
    const Eight<bf16> sum{pack8(a)};
    sum.unpack(a);
    const float2 whole = moments_of_row(a);
    const float rstd = 1 / sqrtf(whole.y + norm.epsilon);
    float gain[8], shift[8];
    beside.gain.unpack(gain), beside.shift.unpack(shift);
#pragma unroll
    for (int i = 0; i < 8; ++i) a[i] = (a[i] - whole.x) * rstd * gain[i] + shift[i];
    const uint4 y = pack8(a);
    if (exists()) {
      *reinterpret_cast<uint4*>(norm.sum + at(p, col)) = sum.raw[0];
      *reinterpret_cast<uint4*>(norm.y + at(p, col)) = y;
      if (col == 0) norm.mean[first_row() + row_] = whole.x, norm.rstd[first_row() + row_] = rstd;
    }
    return y;
  }

  // Mean and variance of a whole row from those of the blocks' columns.
  __device__ float2 moments_of_row(const float (&x)[8]) {
    if (thread_ == 0) shared_.statistics.expect(across() * kRows * static_cast<int>(sizeof(float2)));
    float sum = 0, squares = 0;
#pragma unroll
    for (const float one : x) sum += one;
    const float mean = sum_of_row(sum) / kTile;
#pragma unroll
    for (const float one : x) squares += (one - mean) * (one - mean);
    squares = sum_of_row(squares);
    const bool counts = e_ < across();
    if (counts)
      shared_.statistics.send(static_cast<std::uint32_t>(e_), &shared_.moments[rank_][row_],
                              make_float2(mean, squares));
    shared_.statistics.wait(norms_++);
    const float2 theirs = counts ? shared_.moments[e_][row_] : make_float2(0, 0);
    const float whole = sum_of_row(theirs.x) / static_cast<float>(across());
    const float off = counts ? theirs.x - whole : 0.0f;
    const float around = sum_of_row(theirs.y + kTile * off * off);
    return make_float2(whole, around / static_cast<float>(across() * kTile));
  }

  // ---- attention ----

  __device__ int warp_row() const { return thread_ / kWarp * RowAttention::kRowsOfWarp; }

  // Of the warp's rows, by its first lanes.
  __device__ void find_keys(const AttentionPart& a) {
    const int row = warp_row() + lane();
    keys_ = {};
    if (lane() >= RowAttention::kRowsOfWarp || first_row() + row >= program_.rows) return;
    const int sentence = a.by_sentence ? shared_.sentences[row] : first_row() + row;
    keys_.first = a.key_offsets[sentence];
    keys_.count = a.key_offsets[sentence + 1] - keys_.first;
  }

  __device__ void attend(const Instruction& one) {
    const AttentionPart& a = one.attention;
    if (one.shared) expect(across());
    meet();  // the block's own columns of queries, and of new keys and values, are there
    RowAttention rows(a, rank_, keys_);
    rows.attend(first_row() + warp_row(), program_.rows);
    if (lane() < 4 * RowAttention::kRowsOfWarp) {
      float low[8], high[8];
#pragma unroll
      for (int j = 0; j < 8; ++j) low[j] = rows.out[j][0], high[j] = rows.out[j][1];
      const int row = warp_row() + lane() / 4;
      auto* to = reinterpret_cast<uint4*>(&shared_.passing[passing_][row][lane() % 4 * 16]);
      to[0] = pack8(low), to[1] = pack8(high);
      if (lane() % 4 == 0 && first_row() + row < program_.rows)
        a.log_sum[Size{first_row() + row} * across() + rank_] = rows.log_sum;
    }
    const uint4 value = take();
    if (exists())
      *reinterpret_cast<uint4*>(a.out + (Size{first_row() + row_} * across() + rank_) * kTile + e_ * 8) = value;
    if (!one.shared) return;
    buffer_ = after(buffer_);
    send(buffer_, rank_, value);
  }

  const RowProgram& program_;
  Shared& shared_;
  const int rank_, thread_, row_, e_;
  int buffer_ = 0;  // what the next layer reads
  int turn_ = 0, norms_ = 0, passing_ = 0;
  unsigned used_ = 0;  // tiles of weights
  Keys keys_;          // for the next attention
};

__global__ void __launch_bounds__(kThreads, 1) run_rows(const __grid_constant__ RowProgram program) {
  extern __shared__ __align__(1024) char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const int rank = static_cast<int>(cluster_rank());
  if (threadIdx.x == 0) shared.make();
  constexpr int kWords = sizeof(Instruction) / sizeof(std::uint32_t);
  for (int i = static_cast<int>(threadIdx.x); i < program.count * kWords; i += kThreads)
    reinterpret_cast<std::uint32_t*>(shared.program)[i] =
        reinterpret_cast<const std::uint32_t*>(program.instructions)[i];
  __syncthreads();
  begin_cluster();
  wait_for_cluster();
  if (threadIdx.x >= kWorkers) {
    if (threadIdx.x == kWorkers) Fetcher(program, shared, rank).work();
    return;
  }
  wait_for_kernel_before();
  Worker(program, shared, rank).work();
}

}  // namespace

bool runs_row_programs() {
  static const bool runs = is_capability_90() && has_room(run_rows, kBytes);
  return runs;
}

void run_row_program(const RowProgram& program) {
  cudaLaunchAttribute attributes[2]{{}, comes_early()};
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
