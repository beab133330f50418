#if defined(__x86_64__)
#include <algorithm>
#include <string_view>

#include "bench/floors.h"
#include "kernels/cpu/narrow_weights.h"

#define DRAGOMAN_FMA256(n) "vfmadd231ps %%ymm15, %%ymm15, %%ymm" n "\n"
// A product of signed bytes without VNNI: the numbers of one factor get the signs of the other.
#define DRAGOMAN_BYTES256(n)               \
  "vpsignb %%ymm15, %%ymm14, %%ymm13\n"    \
  "vpmaddubsw %%ymm13, %%ymm14, %%ymm13\n" \
  "vpmaddwd %%ymm13, %%ymm15, %%ymm13\n"   \
  "vpaddd %%ymm13, %%ymm" n ", %%ymm" n "\n"
#define DRAGOMAN_FMA512(n) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" n "\n"
#define DRAGOMAN_BF16(n) "vdpbf16ps %%zmm30, %%zmm31, %%zmm" n "\n"
#define DRAGOMAN_VNNI(n) "vpdpbusd %%zmm30, %%zmm31, %%zmm" n "\n"
#define DRAGOMAN_SUMS                                                                                                 \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
      "xmm14", "xmm15"
// Registers are cleared first: numbers that happen to be denormal would be slow.
#define DRAGOMAN_LOOP(clear, body)       \
  asm volatile(clear ::: DRAGOMAN_SUMS); \
  for (std::int64_t i = 0; i < repetitions; ++i) asm volatile(body ::: DRAGOMAN_SUMS)
#define DRAGOMAN_CLEAR256 "vzeroall\n"
#define DRAGOMAN_CLEAR512 "vzeroall\nvpxorq %%zmm30, %%zmm30, %%zmm30\nvpxorq %%zmm31, %%zmm31, %%zmm31\n"

// Six sums of 16 rows by 16 columns; a tile has 16 rows of 64 bytes.
#define DRAGOMAN_SIX_TILES(name)                                                                          \
  name " %%tmm7, %%tmm6, %%tmm0\n" name " %%tmm7, %%tmm6, %%tmm1\n" name " %%tmm7, %%tmm6, %%tmm2\n" name \
       " %%tmm7, %%tmm6, %%tmm3\n" name " %%tmm7, %%tmm6, %%tmm4\n" name " %%tmm7, %%tmm6, %%tmm5\n"
#define DRAGOMAN_CLEAR_TILES                                                                       \
  "tilezero %%tmm0\ntilezero %%tmm1\ntilezero %%tmm2\ntilezero %%tmm3\ntilezero %%tmm4\ntilezero " \
  "%%tmm5\ntilezero %%tmm6\ntilezero %%tmm7\n"

namespace dragoman::bench {

using kernels::WeightFormat;

namespace {

// As the instruction reads it.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

class Tiles {
 public:
  Tiles() {
    const TileConfiguration tiles;
    asm volatile("ldtilecfg %0" ::"m"(tiles));
  }
  ~Tiles() { asm volatile("tilerelease"); }
};

// Asking for the kernels also asks the system for the registers of AMX.
bool has_kernel(WeightFormat format, std::string_view name) {
  const auto all = kernels::cpu_filling::narrow_kernels(format);
  return std::any_of(all.begin(), all.end(), [&](const auto* kernel) { return kernel->name == name; });
}

}  // namespace

std::vector<Instruction> instructions() {
  const bool avx512 = __builtin_cpu_supports("avx512f");
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  using Count = std::int64_t;
  return {{"f32 (vfmadd, 256 bits)", 12 * 8, fma,
           [](Count repetitions) { DRAGOMAN_LOOP(DRAGOMAN_CLEAR256, DRAGOMAN_TWELVE(DRAGOMAN_FMA256)); }},
          {"f32 (vfmadd, 512 bits)", 16 * 16, avx512,
           [](Count repetitions) { DRAGOMAN_LOOP(DRAGOMAN_CLEAR512, DRAGOMAN_SIXTEEN(DRAGOMAN_FMA512)); }},
          {"bf16 (vdpbf16ps)", 16 * 32, has_kernel(WeightFormat::bf16, "AVX-512 BF16"),
           [](Count repetitions) { DRAGOMAN_LOOP(DRAGOMAN_CLEAR512, DRAGOMAN_SIXTEEN(DRAGOMAN_BF16)); }},
          {"bf16 (tdpbf16ps)", 6 * 16 * 16 * 32, has_kernel(WeightFormat::bf16, "AMX"),
           [](Count repetitions) {
             const Tiles tiles;
             DRAGOMAN_LOOP(DRAGOMAN_CLEAR_TILES, DRAGOMAN_SIX_TILES("tdpbf16ps"));
           }},
          {"int8 (vpmaddubsw)", 12 * 32, fma,
           [](Count repetitions) { DRAGOMAN_LOOP(DRAGOMAN_CLEAR256, DRAGOMAN_TWELVE(DRAGOMAN_BYTES256)); }},
          {"int8 (vpdpbusd)", 16 * 64, has_kernel(WeightFormat::int8, "AVX-512 VNNI"),
           [](Count repetitions) { DRAGOMAN_LOOP(DRAGOMAN_CLEAR512, DRAGOMAN_SIXTEEN(DRAGOMAN_VNNI)); }},
          {"int8 (tdpbssd)", 6 * 16 * 16 * 64, has_kernel(WeightFormat::int8, "AMX"), [](Count repetitions) {
             const Tiles tiles;
             DRAGOMAN_LOOP(DRAGOMAN_CLEAR_TILES, DRAGOMAN_SIX_TILES("tdpbssd"));
           }}};
}

}  // namespace dragoman::bench
#endif
