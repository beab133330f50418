// For x86-64 CPUs with AMX: registers that hold tiles of 16 rows of 64 bytes, and instructions that multiply them.
#if defined(__x86_64__)
#include <immintrin.h>

#include <initializer_list>

#include "kernels/cpu/narrow.h"

namespace dragoman::kernels::cpu_filling {
namespace {

constexpr std::int64_t kTileRows = 16, kTileBytes = 64;  // a chunk: 64 bytes of k
constexpr std::int64_t kChunk = kTileRows * kTileBytes;  // the bytes of a panel for one chunk of k

// Tile registers: 0 to 3 are sums, 4 and 5 rows of the left operand, 6 and 7 panels of the right one. Sum i is the
// product of 4 + i / 2 and 6 + i % 2. Instructions name their registers by literals.
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
void configure(std::int64_t upper, std::int64_t lower) {
  TileConfiguration tiles;
  for (const int tile : {0, 1, 4}) tiles.set(tile, upper);
  for (const int tile : {2, 3, 5}) tiles.set(tile, lower);
  for (const int tile : {6, 7}) tiles.set(tile, kTileRows);
  _tile_loadconfig(&tiles);
}

struct Int8 {
  static void add_upper() {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
  }
  static void add_lower() {
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  static __m512 result(const NarrowBlock& p, std::int64_t row, std::int64_t col, __m512i sum, __m512 start) {
    const __m512 scale = _mm512_mul_ps(_mm512_loadu_ps(p.col_scales + col), _mm512_set1_ps(p.row_scales[row]));
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), scale, start);
  }
};

struct Bf16 {
  static void add_upper() {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
  }
  static void add_lower() {
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  static __m512 result(const NarrowBlock&, std::int64_t, std::int64_t, __m512i sum, __m512 start) {
    return _mm512_add_ps(start, _mm512_castsi512_ps(sum));
  }
};

// Sums of four tiles, [tile][row][column].
struct alignas(64) Sums {
  std::int32_t tiles[4][kTileRows][kNarrowCols];

  void store() {
    _tile_stored(0, tiles[0], kTileBytes);
    _tile_stored(1, tiles[1], kTileBytes);
    _tile_stored(2, tiles[2], kTileBytes);
    _tile_stored(3, tiles[3], kTileBytes);
  }
};

void clear_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

// Writes the sums of one tile to c.
template <class Format>
void write(const NarrowBlock& p, const Sums& sums, int tile, std::int64_t row, std::int64_t rows, std::int64_t col) {
  for (std::int64_t r = 0; r < rows; ++r, ++row) {
    const __m512 start = p.start ? _mm512_loadu_ps(p.start + row * p.start_stride + col) : _mm512_setzero_ps();
    const __m512i sum = _mm512_load_si512(sums.tiles[tile][r]);
    _mm512_storeu_ps(p.c + row * p.c_stride + col, Format::result(p, row, col, sum, start));
  }
}

// 16 + `lower` rows from `row` on times two panels from `col` on.
template <class Format>
void multiply_two(const NarrowBlock& p, std::int64_t row, std::int64_t lower, std::int64_t col) {
  const std::int64_t row_bytes = 4 * p.groups, panel_bytes = kTileBytes * p.groups;
  const char* a = p.a + row * row_bytes;
  const char* b = p.b + col / kNarrowCols * panel_bytes;
  clear_sums();
  for (std::int64_t k = 0; k < row_bytes; k += kTileBytes, a += kTileBytes, b += kChunk) {
    _tile_loadd(6, b, kTileBytes);
    _tile_loadd(7, b + panel_bytes, kTileBytes);
    _tile_loadd(4, a, row_bytes);
    Format::add_upper();
    _tile_loadd(5, a + kTileRows * row_bytes, row_bytes);
    Format::add_lower();
  }
  Sums sums;
  sums.store();
  write<Format>(p, sums, 0, row, kTileRows, col);
  write<Format>(p, sums, 1, row, kTileRows, col + kNarrowCols);
  write<Format>(p, sums, 2, row + kTileRows, lower, col);
  write<Format>(p, sums, 3, row + kTileRows, lower, col + kNarrowCols);
}

// Up to 16 rows from `row` on, in both registers for rows, times `panels` panels, at most four, from `col` on. Panels
// that are not there are replaced by the first one.
template <class Format>
void multiply_four(const NarrowBlock& p, std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t panels) {
  const std::int64_t row_bytes = 4 * p.groups, panel_bytes = kTileBytes * p.groups;
  const char* a = p.a + row * row_bytes;
  const char* b = p.b + col / kNarrowCols * panel_bytes;
  const auto offset = [&](std::int64_t panel) { return panel < panels ? panel * panel_bytes : 0; };
  const std::int64_t second = offset(1), third = offset(2), fourth = offset(3);
  clear_sums();
  for (std::int64_t k = 0; k < row_bytes; k += kTileBytes, a += kTileBytes, b += kChunk) {
    _tile_loadd(4, a, row_bytes);
    _tile_loadd(6, b, kTileBytes);
    _tile_loadd(7, b + second, kTileBytes);
    Format::add_upper();
    if (panels <= 2) continue;
    _tile_loadd(5, a, row_bytes);
    _tile_loadd(6, b + third, kTileBytes);
    _tile_loadd(7, b + fourth, kTileBytes);
    Format::add_lower();
  }
  Sums sums;
  sums.store();
  for (int i = 0; i < panels; ++i) write<Format>(p, sums, i, row, rows, col + i * kNarrowCols);
}

// Rows [row, row + rows), at most 16, times the panels from `col` on.
template <class Format>
void multiply_few_rows(const NarrowBlock& p, std::int64_t row, std::int64_t rows, std::int64_t col) {
  if (col >= p.cols) return;
  configure(rows, rows);
  for (; col < p.cols; col += 4 * kNarrowCols) {
    const std::int64_t panels = (p.cols - col) / kNarrowCols;
    multiply_four<Format>(p, row, rows, col, panels < 4 ? panels : 4);
  }
}

// Rows are taken in pairs of tiles as long as more than 16 are left, columns in pairs of panels.
template <class Format>
void multiply(const NarrowBlock& p) {
  const std::int64_t paired_cols = p.cols / (2 * kNarrowCols) * (2 * kNarrowCols);
  const std::int64_t rest = p.rows % (2 * kTileRows), whole = p.rows - rest;
  const std::int64_t paired_rows = rest > kTileRows ? p.rows : whole;
  if (whole > 0) {
    configure(kTileRows, kTileRows);
    for (std::int64_t col = 0; col < paired_cols; col += 2 * kNarrowCols)
      for (std::int64_t row = 0; row < whole; row += 2 * kTileRows) multiply_two<Format>(p, row, kTileRows, col);
  }
  if (paired_rows > whole) {
    configure(kTileRows, rest - kTileRows);
    for (std::int64_t col = 0; col < paired_cols; col += 2 * kNarrowCols)
      multiply_two<Format>(p, whole, rest - kTileRows, col);
  }
  for (std::int64_t row = 0; row < p.rows; row += kTileRows)
    multiply_few_rows<Format>(p, row, p.rows - row < kTileRows ? p.rows - row : kTileRows,
                              row < paired_rows ? paired_cols : 0);
  _tile_release();
}

}  // namespace

const NarrowKernel kInt8Amx = {"AMX", 4, 1, kTileBytes, 0, multiply<Int8>};
const NarrowKernel kBf16Amx = {"AMX", 4, 1, kTileBytes, 0, multiply<Bf16>};

}  // namespace dragoman::kernels::cpu_filling
#endif
