#pragma once

#include <cuda.h>

#include "kernels/cuda/products/tiles.cuh"
#include "kernels/cuda/runtime/cluster.cuh"

// Instructions of compute capability 9.0, for files that are compiled for it only: asynchronous matrix products of a
// warp group (wgmma), copies of whole tiles by the Tensor Memory Accelerator (TMA), and mbarriers to wait for them.
namespace dragoman::kernels::cuda {

inline constexpr int kGroup = 128;  // threads of a warp group (four warps)

// wgmma matrix descriptors of tiles whose rows have 128 bytes. The lower half holds the address and the leading
// dimension offset, both in units of 16 bytes; the upper half holds the stride of eight rows and the swizzle mode.
__device__ inline std::uint32_t lower_descriptor(std::uint32_t address) { return 64u << 16 | address >> 4; }
inline constexpr std::uint32_t kUpperDescriptor = 1u << 30 | 64u;

// A tile of 128-byte rows in the 128-byte swizzle that TMA writes and wgmma reads: in row r, the group of eight numbers
// with index e is stored at index e ^ (r % 8).
template <int kRows>
struct alignas(1024) WideRows {
  bf16 values[kRows * kTile];

  __device__ bf16* eight(int row, int e) { return values + row * kTile + (e ^ row % 8) * 8; }
  __device__ std::uint64_t descriptor() const {
    return std::uint64_t{kUpperDescriptor} << 32 | lower_descriptor(shared_address(values));
  }
};
using WideTile = WideRows<kTile>;

// ---- products -------------------------------------------------------------------------------------------------

// The 32 accumulator registers of a Rows as asm operands 0 to 31.
#define DRAGOMAN_ROWS                                                                      \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, " \
  "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define DRAGOMAN_ROWS_OPERANDS(s)                                                                           \
  "+f"((s)[0][0]), "+f"((s)[0][1]), "+f"((s)[0][2]), "+f"((s)[0][3]), "+f"((s)[1][0]), "+f"((s)[1][1]),     \
      "+f"((s)[1][2]), "+f"((s)[1][3]), "+f"((s)[2][0]), "+f"((s)[2][1]), "+f"((s)[2][2]), "+f"((s)[2][3]), \
      "+f"((s)[3][0]), "+f"((s)[3][1]), "+f"((s)[3][2]), "+f"((s)[3][3]), "+f"((s)[4][0]), "+f"((s)[4][1]), \
      "+f"((s)[4][2]), "+f"((s)[4][3]), "+f"((s)[5][0]), "+f"((s)[5][1]), "+f"((s)[5][2]), "+f"((s)[5][3]), \
      "+f"((s)[6][0]), "+f"((s)[6][1]), "+f"((s)[6][2]), "+f"((s)[6][3]), "+f"((s)[7][0]), "+f"((s)[7][1]), \
      "+f"((s)[7][2]), "+f"((s)[7][3])

// Start a product over a depth of 16. The first takes both operands from shared memory and computes sum = left right
// or, with `add`, sum += left right; the right tile may be transposed. The second takes the left operand from registers
// and computes sum += left right. Products are complete after wait_for_products(); until then their registers must not
// be accessed.
template <bool kTransposed>
__device__ inline void begin_product(Rows& sum, std::uint64_t left, std::uint64_t right, bool add) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.ne.b32 add, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " DRAGOMAN_ROWS
      ", %32, %33, add, 1, 1, 0, %35;\n"
      "}"
      : DRAGOMAN_ROWS_OPERANDS(sum.part)
      : "l"(left), "l"(right), "r"(add ? 1 : 0), "n"(kTransposed ? 0 : 1));
}
__device__ inline void begin_product(Rows& sum, const Quad& left, std::uint64_t right) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.eq.b32 add, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " DRAGOMAN_ROWS
      ", {%32, %33, %34, %35}, %36, add, 1, 1, 1;\n"
      "}"
      : DRAGOMAN_ROWS_OPERANDS(sum.part)
      : "r"(left.r[0]), "r"(left.r[1]), "r"(left.r[2]), "r"(left.r[3]), "l"(right));
}
#undef DRAGOMAN_ROWS
#undef DRAGOMAN_ROWS_OPERANDS
// Call it before the first product that uses registers written by other instructions, as operand or accumulator.
__device__ inline void fence_registers() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits for all groups of products, as closed by commit_products(), but the newest kLeft.
template <int kLeft>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}
// Tells the compiler that the registers may have changed: it does not see asynchronous writes.
__device__ inline void fence_operands(Rows& rows) {
#pragma unroll
  for (auto& part : rows.part)
#pragma unroll
    for (float& value : part) asm volatile("" : "+f"(value)::"memory");
}
__device__ inline void fence_operands(Quad (&quads)[4]) {
#pragma unroll
  for (Quad& quad : quads)
#pragma unroll
    for (std::uint32_t& r : quad.r) asm volatile("" : "+r"(r)::"memory");
}

// Change the number of registers per thread of a warp group (setmaxnreg): one group takes those that another gives up.
template <int kRegisters>
__device__ inline void increase_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void decrease_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
// A named barrier for the threads of one warp group; `group` is less than 15.
__device__ inline void wait_for_group(int group) {
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(kGroup) : "memory");
}

// Stores two 8 x 8 matrices to shared memory, transposed (stmatrix). Lane l holds columns l % 4 * 2 and l % 4 * 2 + 1
// of row l / 4. Lanes 0 to 7 pass the row addresses of the first matrix, lanes 8 to 15 those of the second.
__device__ inline void store_transposed(bf16* row, std::uint32_t first, std::uint32_t second) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(first), "r"(second)
               : "memory");
}

// ---- barriers and copies --------------------------------------------------------------------------------------

// An mbarrier. A phase completes once the expected number of threads have arrived and all announced bytes have been
// written. Phases are told apart by parity: the first has parity 0, and waiting for parity 1 before it returns at once.
class Barrier {
 public:
  __device__ void init(int threads) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&state_)), "r"(threads) : "memory");
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&state_)) : "memory");
  }
  __device__ void arrive_and_expect(int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&state_)), "r"(bytes)
                 : "memory");
  }
  __device__ void wait(unsigned parity) {
    std::uint32_t passed = 0;
    while (passed == 0)
      asm volatile(
          "{\n"
          ".reg .pred passed;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 passed, [%1], %2;\n"
          "selp.u32 %0, 1, 0, passed;\n"
          "}"
          : "=r"(passed)
          : "r"(shared_address(&state_)), "r"(parity)
          : "memory");
  }
  // Starts a TMA copy of the 64 x 64 tile at (row, col), with zeros beyond the last row and column. This barrier counts
  // the bytes.
  __device__ void copy(WideTile& to, const CUtensorMap& from, int col, int row) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            shared_address(&to)),
        "l"(&from), "r"(shared_address(&state_)), "r"(col), "r"(row)
        : "memory");
  }
  // The same for a tile that takes rows from `row` on of every group (a map with groups; see tile_map()).
  __device__ void copy_groups(WideTile& to, const CUtensorMap& from, int col, int row) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared_address(&to)),
        "l"(&from), "r"(shared_address(&state_)), "r"(col), "r"(row), "r"(0)
        : "memory");
  }

 private:
  std::uint64_t state_;
};
// Makes initialised barriers visible; called by the thread that initialised them, before other threads use them.
__device__ inline void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
// Orders this thread's accesses to shared memory before those of the async proxy, that is of TMA and wgmma.
__device__ inline void fence_async_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// A position in a ring buffer of kStages stages: the index of the stage and the parity of its mbarrier phase.
template <int kStages>
struct RingSlot {
  int index = 0;
  unsigned parity = 0;

  __device__ void next() {
    if (++index == kStages) index = 0, parity ^= 1;
  }
};

}  // namespace dragoman::kernels::cuda
