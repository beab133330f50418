#pragma once

#include "kernels/cuda/runtime/device.cuh"

// Tiles of 64 x 64 bf16 in shared memory, and their products on tensor cores (mma.m16n8k16). A warp computes 16 rows of
// a tile. In a 16 x 8 accumulator, lane l holds rows l / 4 and l / 4 + 8, columns l % 4 * 2 and l % 4 * 2 + 1.
namespace dragoman::kernels::cuda {

inline constexpr int kTile = 64;

// Rows are padded by 16 bytes, so that ldmatrix reads eight rows at the same column without bank conflicts.
struct alignas(16) Tile {
  static constexpr int kStride = kTile + 8;
  bf16 values[kTile * kStride];

  __device__ bf16* at(int row, int col) { return values + row * kStride + col; }
};

// Four 8 x 8 matrices, one register each. They are loaded with ldmatrix: each lane passes the address of one row.
struct Quad {
  std::uint32_t r[4];
};
__device__ inline Quad load_quad(const bf16* row) {
  Quad q;
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(q.r[0]), "=r"(q.r[1]), "=r"(q.r[2]), "=r"(q.r[3])
               : "r"(address)
               : "memory");
  return q;
}
__device__ inline Quad load_quad_transposed(const bf16* row) {
  Quad q;
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(q.r[0]), "=r"(q.r[1]), "=r"(q.r[2]), "=r"(q.r[3])
               : "r"(address)
               : "memory");
  return q;
}

// Transposes an 8 x 8 matrix. Lane l holds columns l % 4 * 2 and l % 4 * 2 + 1 of row l / 4.
__device__ inline std::uint32_t transposed(std::uint32_t pair) {
  std::uint32_t result = 0;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(pair));
  return result;
}

__device__ inline int lane() { return threadIdx.x % kWarp; }

// A left operand: the 16 x 16 part of the tile at (row, col).
__device__ inline Quad left_operand(Tile& tile, int row, int col) {
  return load_quad(tile.at(row + lane() % 16, col + lane() / 16 * 8));
}
// The same of the transposed tile: element (m, k) is tile(k, m).
__device__ inline Quad left_operand_transposed(Tile& tile, int row, int col) {
  return load_quad_transposed(tile.at(col + lane() % 8 + lane() / 16 * 8, row + lane() / 8 % 2 * 8));
}
// Two adjacent right operands of 16 x 8 each: the 16 x 16 part of the tile at (row, col).
__device__ inline Quad right_operands(Tile& tile, int row, int col) {
  return load_quad_transposed(tile.at(row + lane() % 16, col + lane() / 16 * 8));
}
// The same of the transposed tile: element (k, n) is tile(n, k).
__device__ inline Quad right_operands_transposed(Tile& tile, int row, int col) {
  return load_quad(tile.at(col + lane() % 8 + lane() / 16 * 8, row + lane() / 8 % 2 * 8));
}

__device__ inline void multiply_add(float (&sum)[4], const Quad& left, std::uint32_t right0, std::uint32_t right1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(left.r[0]), "r"(left.r[1]), "r"(left.r[2]), "r"(left.r[3]), "r"(right0), "r"(right1));
}

// 16 rows of a 64 x 64 result in the registers of a warp: eight 16 x 8 accumulators.
struct Rows {
  float part[8][4];

  __device__ void clear() {
#pragma unroll
    for (auto& one : part)
#pragma unroll
      for (float& value : one) value = 0;
  }
  // Multiplies each of the lane's two rows by its factor.
  __device__ void multiply(const float (&by)[2]) {
#pragma unroll
    for (int n = 0; n < 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) part[n][e] *= by[e / 2];
  }
  // Columns 16 k to 16 k + 15, rounded to bf16, as a left operand of the next product.
  __device__ Quad as_left(int k) const {
    const float(&a)[4] = part[2 * k];
    const float(&b)[4] = part[2 * k + 1];
    return {{pack_bf16(a[0], a[1]), pack_bf16(a[2], a[3]), pack_bf16(b[0], b[1]), pack_bf16(b[2], b[3])}};
  }
};

// sum += left operands times the right tile, transposed or not, over 16 kDepth terms and 16 kAcross columns. Elements
// beyond the last row or column of a tile are zero and are multiplied like the rest: without branches, loads overlap
// with products.
template <bool kTransposed, int kDepth = 4, int kAcross = 4>
__device__ inline void add_product(Rows& sum, const Quad (&left)[4], Tile& right) {
#pragma unroll
  for (int k = 0; k < kDepth; ++k)
#pragma unroll
    for (int n = 0; n < kAcross; ++n) {
      const Quad two =
          kTransposed ? right_operands_transposed(right, 16 * k, 16 * n) : right_operands(right, 16 * k, 16 * n);
      multiply_add(sum.part[2 * n], left[k], two.r[0], two.r[1]);
      multiply_add(sum.part[2 * n + 1], left[k], two.r[2], two.r[3]);
    }
}

__device__ inline void load_left(Quad (&to)[4], Tile& tile, int row) {
#pragma unroll
  for (int k = 0; k < 4; ++k) to[k] = left_operand(tile, row, 16 * k);
}

// Starts copying eight numbers to shared memory (cp.async), or writes zeros unless they exist; `from` must be a valid
// address either way.
__device__ inline void begin_copy(bf16* to, const bf16* from, bool exists) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(exists ? 16 : 0)
               : "memory");
}

// Starts copying `count` rows of `columns` columns to a tile; the rest of its first kRows rows becomes zero. Called by
// all threads of the block. wait_for_tiles() waits for the data.
template <int kThreads, int kRows = kTile>
__device__ inline void load_tile(Tile& tile, const bf16* from, Size stride, int count, int columns = kTile) {
#pragma unroll
  for (int i = 0; i < kRows * 8 / kThreads; ++i) {
    const int e = static_cast<int>(threadIdx.x) + i * kThreads, row = e / 8, col = e % 8 * 8;
    const bool inside = row < count && col < columns;
    begin_copy(tile.at(row, col), inside ? from + row * stride + col : from, inside);
  }
}
// Closes a group of copies (cp.async.commit_group); wait_for_older_tiles() waits for all groups but the newest ones.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kNewest = 1>
__device__ inline void wait_for_older_tiles() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kNewest) : "memory");
  __syncthreads();
}
__device__ inline void wait_for_tiles() {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}

// Stores or adds a warp's 16 rows to global memory, staged through rows `row` to `row` + 15 of a tile so that writes
// are coalesced. `to` is the address of the tile's row 0; rows from `count` on are not stored.
__device__ inline void store_rows(const Rows& rows, Tile& tile, int row, bf16* to, Size stride, int count,
                                  bool accumulate) {
  const int l = lane();
  __syncwarp();
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    const float(&p)[4] = rows.part[n];
    *reinterpret_cast<std::uint32_t*>(tile.at(row + l / 4, 8 * n + l % 4 * 2)) = pack_bf16(p[0], p[1]);
    *reinterpret_cast<std::uint32_t*>(tile.at(row + l / 4 + 8, 8 * n + l % 4 * 2)) = pack_bf16(p[2], p[3]);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 16 * 8 / kWarp; ++i) {
    const int e = l + i * kWarp, r = row + e / 8, col = e % 8 * 8;
    if (r >= count) continue;
    float value[8];
    load8(tile.at(r, col), value);
    bf16* place = to + r * stride + col;
    if (accumulate) {
      float before[8];
      load8(place, before);
      for (int j = 0; j < 8; ++j) value[j] += before[j];
    }
    store8(place, value);
  }
}

}  // namespace dragoman::kernels::cuda
