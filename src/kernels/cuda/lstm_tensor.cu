#include <algorithm>

#include "kernels/cuda/lstm.cuh"
#include "kernels/cuda/tiles.cuh"

// A whole LSTM layer in one launch, bf16 on tensor cores. Sixteen sentences that are neighbours in the walk are worked
// on by a group of blocks; each block has thirty-two units, whose weights its warps keep in registers for the whole
// walk. After every step the blocks of a group wait for each other: what they read of the step before lies in memory.
//
// Operands come from memory to registers as they lie there. Lane l brings eight numbers side by side of the rows l / 4
// and l / 4 + 8; the four lanes of a row thus hold thirty-two numbers, in another order than two mma.m16n8k16 expect.
// Both operands are in that order, so every product meets its partner.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kSentences = 16, kUnits = 32, kWarps = 8, kThreads = kWarps * kWarp, kDepth = 32;
constexpr int kEach =
    kSentences / kWarps;  // sentences of a thread, element by element: its warp and every eighth after

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

// A sentence of the walk; beyond the last one there are empty ones.
struct Sentence {
  int number = 0, begin = 0, length = 0;
  bool exists = false, reverse = false;

  __device__ Sentence(const LstmLayer<bf16>& a, int i) : exists(i < a.sentences), reverse(a.reverse) {
    if (!exists) return;
    number = a.order[i];
    begin = a.offsets[number];
    length = a.offsets[number + 1] - begin;
  }
  // The packed row of step t.
  __device__ Size row(int t) const { return reverse ? begin + length - 1 - t : begin + t; }
};

// What a block works on.
struct Place {
  int group, groups, first_unit;

  __device__ Place(const LstmLayer<bf16>& a) {
    const int slices = static_cast<int>(a.hidden) / kUnits;
    group = static_cast<int>(blockIdx.x) / slices, groups = static_cast<int>(gridDim.x) / slices;
    first_unit = static_cast<int>(blockIdx.x) % slices * kUnits;
  }
};

// Sixteen sentences' rows against kTiles times eight columns: kChunks times kDepth products of each pair.
template <int kChunks, int kTiles>
struct WarpProduct {
  uint4 right[kChunks][kTiles];
  float sums[kTiles][4];

  // `upper` and `lower`: where the lane's two rows begin, at the warp's first product; null for rows of zeros.
  __device__ void multiply(const bf16* upper, const bf16* lower, int depth) {
    uint4 left[kChunks][2];
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const int k = c * kDepth + lane() % 4 * 8;
      const bool inside = k < depth;
      left[c][0] = inside && upper != nullptr ? __ldcg(reinterpret_cast<const uint4*>(upper + k)) : uint4{};
      left[c][1] = inside && lower != nullptr ? __ldcg(reinterpret_cast<const uint4*>(lower + k)) : uint4{};
    }
#pragma unroll
    for (auto& tile : sums)
#pragma unroll
      for (float& sum : tile) sum = 0;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const Quad first{{left[c][0].x, left[c][1].x, left[c][0].y, left[c][1].y}};
      const Quad second{{left[c][0].z, left[c][1].z, left[c][0].w, left[c][1].w}};
#pragma unroll
      for (int j = 0; j < kTiles; ++j) multiply_add(sums[j], first, right[c][j].x, right[c][j].y);
#pragma unroll
      for (int j = 0; j < kTiles; ++j) multiply_add(sums[j], second, right[c][j].z, right[c][j].w);
    }
  }
  // Column n of tile j is unit 4 n + j of its thirty-two: a lane has eight units side by side of both its rows.
  __device__ void store(int first_tile, float* upper, float* lower) const {
    const auto four = [&](int which) {
      return make_float4(sums[first_tile][which], sums[first_tile + 1][which], sums[first_tile + 2][which],
                         sums[first_tile + 3][which]);
    };
    const int unit = lane() % 4 * 8;
    *reinterpret_cast<float4*>(upper + unit) = four(0);
    *reinterpret_cast<float4*>(upper + unit + 4) = four(1);
    *reinterpret_cast<float4*>(lower + unit) = four(2);
    *reinterpret_cast<float4*>(lower + unit + 4) = four(3);
  }
};

// Two of the eight warps share a quarter of the state, each for two gates: the gates' sums are those of four warps.
template <int kChunks>
__global__ void __launch_bounds__(kThreads, 1) walk_forward(LstmLayer<bf16> a, unsigned* meetings) {
  constexpr int kQuarters = 4, kStride = 4 * kUnits + 4;  // the stride keeps neighbouring rows in different banks
  __shared__ __align__(16) float parts[kQuarters][kSentences][kStride];
  const Place place(a);
  const int hidden = static_cast<int>(a.hidden), warp = static_cast<int>(threadIdx.x) / kWarp, l = lane();
  const int gates = warp % 2 * 2, quarter = warp / 2, begin = quarter * kChunks * kDepth;
  WarpProduct<kChunks, 8> product;
#pragma unroll
  for (int c = 0; c < kChunks; ++c)
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int row = (gates + j / 4) * hidden + place.first_unit + l / 4 * 4 + j % 4;
      const int k = begin + c * kDepth + l % 4 * 8;
      product.right[c][j] = k < hidden ? *reinterpret_cast<const uint4*>(a.weight + Size{row} * hidden + k) : uint4{};
    }
  Meeting meeting(meetings + place.group, hidden / kUnits);
  const int unit = place.first_unit + l;
  for (int tile = place.group * kSentences; tile < a.sentences; tile += place.groups * kSentences) {
    const Sentence upper(a, tile + l / 4), lower(a, tile + l / 4 + 8);
    const Sentence mine[kEach] = {Sentence(a, tile + warp), Sentence(a, tile + warp + kWarps)};
    const int steps = Sentence(a, tile).length;  // the first is the longest
    float c[kEach];
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
      const Size at = Size{mine[r].number} * hidden + unit;
      c[r] = mine[r].exists && a.c_first != nullptr ? to_float(a.c_first[at]) : 0.0f;
      if (!mine[r].exists || mine[r].length > 0) continue;
      a.h_last[at] = a.h_first != nullptr ? a.h_first[at] : rounded<bf16>(0);
      a.c_last[at] = rounded<bf16>(c[r]);
    }
    const auto before = [&](const Sentence& s, int t) -> const bf16* {
      if (t >= s.length) return nullptr;
      if (t > 0) return a.h + s.row(t - 1) * hidden + begin;
      return a.h_first != nullptr ? a.h_first + Size{s.number} * hidden + begin : nullptr;
    };
    for (int t = 0; t < steps; ++t) {
      float x[kEach][4];
#pragma unroll
      for (int r = 0; r < kEach; ++r)
#pragma unroll
        for (int g = 0; g < 4; ++g)
          x[r][g] = t < mine[r].length ? to_float(a.gates[(mine[r].row(t) * 4 + g) * hidden + unit]) : 0.0f;
      if (t > 0) meeting.wait();
      product.multiply(before(upper, t), before(lower, t), hidden - begin);
#pragma unroll
      for (int g = 0; g < 2; ++g)
        product.store(4 * g, parts[quarter][l / 4] + (gates + g) * kUnits,
                      parts[quarter][l / 4 + 8] + (gates + g) * kUnits);
      __syncthreads();
#pragma unroll
      for (int r = 0; r < kEach; ++r) {
        if (t >= mine[r].length) continue;
#pragma unroll
        for (int g = 0; g < 4; ++g)
#pragma unroll
          for (int q = 0; q < kQuarters; ++q) x[r][g] += parts[q][warp + r * kWarps][g * kUnits + l];
        const LstmUnit u = lstm_unit(x[r][0], x[r][1], x[r][2], x[r][3], c[r]);
        const Size row = mine[r].row(t), at = Size{mine[r].number} * hidden + unit;
        bf16* activated = a.gates + row * 4 * hidden + unit;
        activated[0] = rounded<bf16>(u.i), activated[hidden] = rounded<bf16>(u.f);
        activated[2 * hidden] = rounded<bf16>(u.g), activated[3 * hidden] = rounded<bf16>(u.o);
        c[r] = u.c;
        a.h[row * hidden + unit] = rounded<bf16>(u.h);
        a.c[row * hidden + unit] = rounded<bf16>(u.c);
        if (t + 1 < mine[r].length) continue;
        a.h_last[at] = rounded<bf16>(u.h);
        a.c_last[at] = rounded<bf16>(u.c);
      }
      meeting.arrive();
    }
  }
}

// Each warp has an eighth of the gates. Step -1 is what reaches the first state.
template <int kChunks>
__global__ void __launch_bounds__(kThreads, 1) walk_backward(LstmLayerBackward<bf16> b, unsigned* meetings) {
  constexpr int kStride = kUnits + 4;
  __shared__ __align__(16) float parts[kWarps][kSentences][kStride];
  const LstmLayer<bf16>& a = b.forward;
  const Place place(a);
  const int hidden = static_cast<int>(a.hidden), warp = static_cast<int>(threadIdx.x) / kWarp, l = lane();
  const int begin = warp * kChunks * kDepth;
  WarpProduct<kChunks, 4> product;
#pragma unroll
  for (int c = 0; c < kChunks; ++c) {
    std::uint32_t words[4][4];  // of each tile: eight gates of one unit
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const int k = begin + c * kDepth + l % 4 * 8 + e;
      uint2 units{};
      if (k < 4 * hidden)
        units = *reinterpret_cast<const uint2*>(a.weight + Size{k} * hidden + place.first_unit + l / 4 * 4);
      const std::uint32_t numbers[4] = {units.x & 0xFFFFu, units.x >> 16, units.y & 0xFFFFu, units.y >> 16};
#pragma unroll
      for (int j = 0; j < 4; ++j) words[j][e / 2] = e % 2 == 0 ? numbers[j] : words[j][e / 2] | numbers[j] << 16;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) product.right[c][j] = make_uint4(words[j][0], words[j][1], words[j][2], words[j][3]);
  }
  Meeting meeting(meetings + place.group, hidden / kUnits);
  const int unit = place.first_unit + l, last = b.dh_first != nullptr || b.dc_first != nullptr ? -1 : 0;
  for (int tile = place.group * kSentences; tile < a.sentences; tile += place.groups * kSentences) {
    const Sentence upper(a, tile + l / 4), lower(a, tile + l / 4 + 8);
    const Sentence mine[kEach] = {Sentence(a, tile + warp), Sentence(a, tile + warp + kWarps)};
    const int steps = Sentence(a, tile).length;
    float dc[kEach] = {};
    const auto later = [&](const Sentence& s, int t) {
      return t + 1 < s.length ? b.dgates + s.row(t + 1) * 4 * hidden + begin : nullptr;
    };
    for (int t = steps - 1; t >= last; --t) {
      float gates[kEach][4], c[kEach], c_before[kEach], dh[kEach];
      bf16 h_before[kEach];
#pragma unroll
      for (int r = 0; r < kEach; ++r) {
        const Sentence& s = mine[r];
        const Size at = Size{s.number} * hidden + unit;
        dh[r] = 0;
        if (!s.exists || t >= s.length) continue;
        if (t + 1 == s.length) {
          if (b.dh_last != nullptr) dh[r] = to_float(b.dh_last[at]);
          if (b.dc_last != nullptr) dc[r] = to_float(b.dc_last[at]);
        }
        if (t < 0) continue;
        const Size row = s.row(t);
        if (b.dh != nullptr) dh[r] += to_float(b.dh[row * hidden + unit]);
#pragma unroll
        for (int g = 0; g < 4; ++g) gates[r][g] = to_float(a.gates[(row * 4 + g) * hidden + unit]);
        c[r] = to_float(a.c[row * hidden + unit]);
        const bf16 *h_of = a.h_first, *c_of = a.c_first;
        if (t > 0) h_of = a.h, c_of = a.c;
        const Size from = t > 0 ? s.row(t - 1) * hidden + unit : at;
        h_before[r] = h_of != nullptr ? h_of[from] : rounded<bf16>(0);
        c_before[r] = c_of != nullptr ? to_float(c_of[from]) : 0.0f;
      }
      if (t + 1 < steps) {
        meeting.wait();
        product.multiply(later(upper, t), later(lower, t), 4 * hidden - begin);
        product.store(0, parts[warp][l / 4], parts[warp][l / 4 + 8]);
        __syncthreads();
      }
#pragma unroll
      for (int r = 0; r < kEach; ++r) {
        const Sentence& s = mine[r];
        if (!s.exists || t >= s.length) continue;
        if (t + 1 < s.length)
#pragma unroll
          for (int w = 0; w < kWarps; ++w) dh[r] += parts[w][warp + r * kWarps][l];
        const Size at = Size{s.number} * hidden + unit;
        if (t < 0) {
          if (b.dh_first != nullptr) put(b.dh_first[at], dh[r], b.accumulate_dh_first);
          if (b.dc_first != nullptr) put(b.dc_first[at], dc[r], b.accumulate_dc_first);
          continue;
        }
        const LstmUnitGradient d =
            lstm_unit_backward(gates[r][0], gates[r][1], gates[r][2], gates[r][3], c_before[r], c[r], dh[r], dc[r]);
        dc[r] = d.c_before;
        const Size row = s.row(t);
        b.h_before[row * hidden + unit] = h_before[r];
        bf16* dgates = b.dgates + row * 4 * hidden + unit;
        dgates[0] = rounded<bf16>(d.i), dgates[hidden] = rounded<bf16>(d.f);
        dgates[2 * hidden] = rounded<bf16>(d.g), dgates[3 * hidden] = rounded<bf16>(d.o);
      }
      meeting.arrive();
    }
  }
}

bool fits(const LstmLayer<bf16>& a) {
  return a.hidden % kUnits == 0 && a.hidden <= 512 && a.hidden / kUnits <= multiprocessors() &&
         aligned16(a.weight, a.h, a.h_first);
}

// One block a multiprocessor at most, all of them at once.
template <class Arguments>
void launch(void (*kernel)(Arguments, unsigned*), const Arguments& arguments, const LstmLayer<bf16>& a,
            const char* name) {
  const Size slices = a.hidden / kUnits, tiles = (a.sentences + kSentences - 1) / kSentences;
  const Size groups = std::min(tiles, multiprocessors() / slices);
  unsigned* meetings = scratch<unsigned>(Scratch::meetings, groups);
  clear(meetings, static_cast<std::size_t>(groups) * sizeof(unsigned));
  void* list[] = {const_cast<Arguments*>(&arguments), &meetings};
  check_status(
      cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), dim3(static_cast<unsigned>(groups * slices)),
                                  dim3(kThreads), list, 0, stream()),
      name);
}

}  // namespace

bool lstm_on_tensor_cores(const LstmLayer<bf16>& a) {
  if (!fits(a)) return false;
  launch(a.hidden <= 128 ? walk_forward<1> : a.hidden <= 256 ? walk_forward<2> : walk_forward<4>, a, a, "lstm_layer");
  return true;
}

bool lstm_on_tensor_cores(const LstmLayerBackward<bf16>& b) {
  if (!fits(b.forward) || !aligned16(b.dgates)) return false;
  launch(b.forward.hidden <= 128   ? walk_backward<2>
         : b.forward.hidden <= 256 ? walk_backward<4>
                                   : walk_backward<8>,
         b, b.forward, "lstm_layer_backward");
  return true;
}

}  // namespace dragoman::kernels::cuda
