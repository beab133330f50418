#pragma once

#include <immintrin.h>

#include <cstdint>
#include <initializer_list>

// Registers of AMX, which hold tiles of up to 16 rows of 64 bytes. 0 to 3 are sums, 4 and 5 rows of the left operand, 6
// and 7 columns of the right one. Sum i is the product of 4 + i / 2 and 6 + i % 2. Instructions name their registers by
// literals. For files that are compiled for AMX alone.
namespace dragoman::kernels::cpu_filling {
namespace {

constexpr std::int64_t kTileRows = 16, kTileBytes = 64;

struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  void set(int tile, std::int64_t row_count) {
    row_bytes[tile] = kTileBytes;
    rows[tile] = static_cast<std::uint8_t>(row_count);
  }
};

// `upper` rows in register 4, `lower` rows in register 5.
inline void configure(std::int64_t upper, std::int64_t lower) {
  TileConfiguration tiles;
  for (const int tile : {0, 1, 4}) tiles.set(tile, upper);
  for (const int tile : {2, 3, 5}) tiles.set(tile, lower);
  for (const int tile : {6, 7}) tiles.set(tile, kTileRows);
  // GCC 12 takes the configuration for 8 bytes long and would leave out the stores of the rest.
  __asm__ volatile("" : : "m"(tiles));
  _tile_loadconfig(&tiles);
}

inline void clear_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling
