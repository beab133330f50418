#pragma once

#include "kernels/cuda/cluster.cuh"
#include "kernels/cuda/row_program.h"
#include "kernels/cuda/wgmma.cuh"

// What a block of a row program has in its shared memory, who fetches weights into it, and products of them and rows.
namespace dragoman::kernels::cuda::row_programs {

inline constexpr int kRows = RowProgram::kRows, kEights = kTile / 8;
// A worker for every eight of a tile of rows, and who fetches weights.
inline constexpr int kWorkers = kRows * kEights, kThreads = kWorkers + kWarp;
inline constexpr int kGroups = 2, kMultiply = kGroups * kGroup;  // workers that multiply
inline constexpr int kPlaces = 8;                                // tiles of weights that are there or on their way
inline constexpr int kParts = kRows / 8;

using RowTile = WideRows<kRows>;

struct Shared {
  WideTile weights[kPlaces];
  RowTile rows[3][RowProgram::kMostAcross];
  alignas(16) bf16 passing[2][kRows][kTile + 8];   // eights on their way from one thread of the block to another
  float partial[kParts * 4][kGroup];               // sums on their way from one group to the other
  float2 moments[RowProgram::kMostAcross][kRows];  // of each block's columns: mean and sum of squares around it
  int sentences[kRows];
  Instruction program[RowProgram::kMostInstructions];
  Barrier full[kPlaces], empty[kPlaces];
  Arrivals arrivals[2], statistics;

  __device__ void make() {
    for (Barrier& barrier : full) barrier.make(1);
    for (Barrier& barrier : empty) barrier.make(kGroup / kWarp);
    for (Arrivals& one : arrivals) one.begin();
    statistics.begin();
    barriers_are_made();
  }
};
// Where the n-th tile of weights lies, and the parity of the round in which it comes.
struct Place {
  unsigned place, parity;

  __device__ explicit Place(unsigned n) : place(n % kPlaces), parity(n / kPlaces % 2) {}
};

// Fetches the weights of all layers in the order in which they are used; by one thread.
class Fetcher {
 public:
  __device__ Fetcher(const RowProgram& program, Shared& shared, int rank)
      : program_(program), shared_(shared), rank_(rank) {}

  __device__ void work() {
    int layer = 0;
    for (int i = 0; i < program_.count; ++i) {
      if (shared_.program[i].attends) continue;
      const auto& [up, product, norm] = shared_.program[i].layer;
      if (up.y == nullptr) {
        for (int t = rank_; t < product.across; t += program_.across)
          fetch(program_.weights[layer], t, 0, product.depth);
        ++layer;
        continue;
      }
      // The next part of the layer before is made while the last one is on its way.
      const CUtensorMap &before = program_.weights[layer], &after = program_.weights[layer + 1];
      fetch(before, rank_, 0, up.depth);
      for (int t = rank_, part = 0; t < up.across; t += program_.across, part += program_.across) {
        if (t + program_.across < up.across) fetch(before, t + program_.across, 0, up.depth);
        fetch(after, rank_, part, program_.across);
      }
      layer += 2;
    }
  }

 private:
  // Of a tile of columns some tiles of the depth.
  __device__ void fetch(const CUtensorMap& weights, int tile, int first, int count) {
    for (int k = first; k < first + count; ++k, ++fetched_) {
      const Place at(fetched_);
      shared_.empty[at.place].wait(at.parity ^ 1);
      shared_.full[at.place].arrive_and_expect(sizeof(WideTile));
      shared_.full[at.place].copy(shared_.weights[at.place], weights, k * kTile, tile * kTile);
    }
  }

  const RowProgram& program_;
  Shared& shared_;
  const int rank_;
  unsigned fetched_ = 0;
};

// 64 columns of the rows: a lane of the group's warp w has of columns 16 w + lane / 4 and 8 more (e / 2) the rows
// 8 n + lane % 4 * 2 and the next (e % 2).
struct Sums {
  float part[kParts][4];

  // For sixteen of the depth: += or, unless `add`, = weights times rows, both as lower halves of descriptors.
  __device__ void begin_product(std::uint32_t weights, std::uint32_t rows, bool add) {
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        ".reg .b64 left, right;\n"
        "setp.ne.b32 add, %22, 0;\n"
        "mov.b64 left, {%20, %23};\n"
        "mov.b64 right, {%21, %23};\n"
        "wgmma.mma_async.sync.aligned.m64n40k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
        "%13, %14, %15, %16, %17, %18, %19}, left, right, add, 1, 1, 0, 0;\n"
        "}"
        : "+f"(part[0][0]), "+f"(part[0][1]), "+f"(part[0][2]), "+f"(part[0][3]), "+f"(part[1][0]), "+f"(part[1][1]),
          "+f"(part[1][2]), "+f"(part[1][3]), "+f"(part[2][0]), "+f"(part[2][1]), "+f"(part[2][2]), "+f"(part[2][3]),
          "+f"(part[3][0]), "+f"(part[3][1]), "+f"(part[3][2]), "+f"(part[3][3]), "+f"(part[4][0]), "+f"(part[4][1]),
          "+f"(part[4][2]), "+f"(part[4][3])
        : "r"(weights), "r"(rows), "r"(add ? 1 : 0), "n"(kUpperDescriptor));
  }
  __device__ void arrived() {
#pragma unroll
    for (auto& one : part)
#pragma unroll
      for (float& value : one) asm volatile("" : "+f"(value)::"memory");
  }
  __device__ void clear() {
#pragma unroll
    for (auto& one : part)
#pragma unroll
      for (float& value : one) value = 0;
  }
};

}  // namespace dragoman::kernels::cuda::row_programs
