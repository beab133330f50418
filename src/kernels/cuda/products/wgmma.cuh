#pragma once

#include <cuda.h>

#include "kernels/cuda/products/tiles.cuh"
#include "kernels/cuda/runtime/cluster.cuh"

// What compute capability 9.0 has of its own, for files compiled for it alone: matrix instructions that a group of four
// warps gives to the tensor cores and waits for later, copies of whole tiles by the copy engine, and barriers in shared
// memory on which both are waited for.
namespace dragoman::kernels::cuda {

inline constexpr int kGroup = 128;  // threads that multiply together

// How the instructions are told where rows of 128 bytes lie: the address and the distance of eight rows in sixteens of
// bytes, and, in the upper half, the distance again and which exchange there is.
__device__ inline std::uint32_t lower_descriptor(std::uint32_t address) { return 64u << 16 | address >> 4; }
inline constexpr std::uint32_t kUpperDescriptor = 1u << 30 | 64u;

// Rows of 128 bytes, the eights of row r exchanged by r % 8, as the matrix instructions read them and the copy engine
// writes them.
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

// The registers of a Rows, as operands 0 to 31 of an instruction.
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

// For sixteen of the depth: sum = left right or, with `add`, sum += left right, where the left tile is in shared memory
// and the right one lies there, transposed or not; and sum += left right, where the left side is in registers. The
// products of a group of warps are done after wait_for_products(), and until then nobody may touch their registers.
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
// Before the first product that reads or adds to registers written otherwise.
__device__ inline void registers_are_ready() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void end_of_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until all products are done but the newest kLeft groups that end_of_products() closed.
template <int kLeft>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}
// The compiler does not know when registers are written: after waiting it is told that they may have been.
__device__ inline void arrived(Rows& rows) {
#pragma unroll
  for (auto& part : rows.part)
#pragma unroll
    for (float& value : part) asm volatile("" : "+f"(value)::"memory");
}
__device__ inline void arrived(Quad (&quads)[4]) {
#pragma unroll
  for (Quad& quad : quads)
#pragma unroll
    for (std::uint32_t& r : quad.r) asm volatile("" : "+r"(r)::"memory");
}

// Registers of the threads of a group: others of the block give theirs away.
template <int kRegisters>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
// Until all threads of a group are here; `group` is less than 15.
__device__ inline void wait_for_group(int group) {
  asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(kGroup) : "memory");
}

// Two 8 x 8 matrices to shared memory, transposed: lane l has of row l / 4 the columns l % 4 * 2 and the next; lanes 0
// to 7 and 8 to 15 give the addresses of the rows there.
__device__ inline void store_transposed(bf16* row, std::uint32_t first, std::uint32_t second) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(first), "r"(second)
               : "memory");
}

// ---- barriers and copies --------------------------------------------------------------------------------------

// A barrier in shared memory, passed once as many threads as it was made for have come and the bytes they announced
// are there. Its rounds are told apart by their parity, which begins with 0; the round before the first is over.
class Barrier {
 public:
  __device__ void make(int threads) {
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
  // Sixty-four columns from `col` of sixty-four rows from `row` go to a tile, zeros behind the last; their bytes count
  // for this barrier.
  __device__ void copy(WideTile& to, const CUtensorMap& from, int col, int row) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            shared_address(&to)),
        "l"(&from), "r"(shared_address(&state_)), "r"(col), "r"(row)
        : "memory");
  }
  // The same of all groups' rows from `row`.
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
// After all barriers of a block were made, by the thread that made them; others wait for it.
__device__ inline void barriers_are_made() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
// What this thread has done to shared memory comes before what the copy engine and the matrix instructions do to it.
__device__ inline void before_engines() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// One of a ring of kPlaces places, and the parity of the round in which it comes up.
template <int kPlaces>
struct Turn {
  int place = 0;
  unsigned parity = 0;

  __device__ void next() {
    if (++place == kPlaces) place = 0, parity ^= 1;
  }
};

}  // namespace dragoman::kernels::cuda
