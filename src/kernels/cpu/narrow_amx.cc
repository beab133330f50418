// For x86-64 CPUs with AMX.
#if defined(__x86_64__) || defined(DRAGOMAN_EMULATED_AMX)  // tests/amx
#include <immintrin.h>

#include "kernels/cpu/amx_tiles.h"
#include "kernels/cpu/narrow.h"

namespace dragoman::kernels::cpu_filling {
namespace {

constexpr std::int64_t kChunk = kTileRows * kTileBytes;  // the bytes of a panel for one chunk, 64 bytes of k

struct Int8 {
  static void add_upper_left() { _tile_dpbssd(0, 4, 6); }
  static void add_upper_right() { _tile_dpbssd(1, 4, 7); }
  static void add_lower() {
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  static __m512 to_float(__m512i sum) { return _mm512_cvtepi32_ps(sum); }
  static __m512 col_scales(const NarrowBlock& p, std::int64_t col) { return _mm512_loadu_ps(p.col_scales + col); }
  static __m512 row_scale(const float* scales, std::int64_t row) { return _mm512_set1_ps(scales[row]); }
};

struct Bf16 {
  static void add_upper_left() { _tile_dpbf16ps(0, 4, 6); }
  static void add_upper_right() { _tile_dpbf16ps(1, 4, 7); }
  static void add_lower() {
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  static __m512 to_float(__m512i sum) { return _mm512_castsi512_ps(sum); }
  static __m512 col_scales(const NarrowBlock&, std::int64_t) { return _mm512_set1_ps(1); }
  static __m512 row_scale(const float*, std::int64_t) { return _mm512_set1_ps(1); }
};

// The sums of four tiles. Those of the upper and the lower rows of a panel are adjacent: [panel][row][column].
struct alignas(64) Sums {
  std::int32_t panels[2][2 * kTileRows][kNarrowCols];

  void store() {
    _tile_stored(0, panels[0][0], kTileBytes);
    _tile_stored(1, panels[1][0], kTileBytes);
    _tile_stored(2, panels[0][kTileRows], kTileBytes);
    _tile_stored(3, panels[1][kTileRows], kTileBytes);
  }
  const std::int32_t* row_of(std::int64_t tile, std::int64_t row) const {
    return panels[tile % 2][tile / 2 * kTileRows + row];
  }
};

// Sixteen columns of the result: what their rows have in common.
template <class Format>
class Columns {
 public:
  Columns() = default;
  Columns(const NarrowBlock& p, std::int64_t col) : col_(col), scales_(Format::col_scales(p, col)) {
    if (p.start && !starts_by_row(p)) start_ = _mm512_loadu_ps(p.start + col);
  }
  void write(const NarrowBlock& p, std::int64_t row, const std::int32_t* sums) const {
    const __m512 start = starts_by_row(p) ? _mm512_loadu_ps(p.start + row * p.start_stride + col_) : start_;
    const __m512 scale = _mm512_mul_ps(scales_, Format::row_scale(p.row_scales, row));
    _mm512_storeu_ps(p.c + row * p.c_stride + col_,
                     _mm512_fmadd_ps(Format::to_float(_mm512_load_si512(sums)), scale, start));
  }

 private:
  static bool starts_by_row(const NarrowBlock& p) { return p.start && p.start_stride != 0; }

  std::int64_t col_ = 0;
  __m512 scales_ = _mm512_setzero_ps(), start_ = _mm512_setzero_ps();
};

// Blocks of up to 32 rows by two panels. The result of a block is written while the next one is multiplied. If panels
// are read several times, those after all of them are prefetched into the L2 cache meanwhile; panels that are read once
// are prefetched into the L1 cache some chunks ahead.
template <class Format>
class Pairs {
 public:
  // All panels are read `passes` times.
  Pairs(const NarrowBlock& p, std::int64_t passes)
      : p_(p),
        row_bytes_(4 * p.groups),
        panel_bytes_(kTileBytes * p.groups),
        rows_at_once_(row_bytes_ == 0 ? 0 : (2 * kTileRows * kTileBytes + row_bytes_ - 1) / row_bytes_),
        reads_once_(passes == 1),
        fetched_at_once_(passes > 1 ? (2 * kTileRows + passes - 1) / passes : 0),
        next_(p.b + p.cols / kNarrowCols * panel_bytes_) {}

  // 16 + `lower` rows from `row` on times two panels from `col` on.
  void multiply(std::int64_t row, std::int64_t lower, std::int64_t col) {
    const char* a = p_.a + row * p_.row_stride;
    const char* b = p_.b + col / kNarrowCols * panel_bytes_;
    const std::int64_t row_stride = p_.row_stride;
    const Target last = last_;
    std::int64_t written = 0;
    clear_sums();
    for (std::int64_t k = 0; k < row_bytes_; k += kTileBytes, a += kTileBytes, b += kChunk) {
      for (std::int64_t i = 0; i < fetched_at_once_; ++i, next_ += kTileBytes) _mm_prefetch(next_, _MM_HINT_T1);
      if (reads_once_) prefetch_chunks(k, b);
      _tile_loadd(6, b, kTileBytes);
      _tile_loadd(4, a, row_stride);
      Format::add_upper_left();
      _tile_loadd(7, b + panel_bytes_, kTileBytes);
      Format::add_upper_right();
      _tile_loadd(5, a + kTileRows * row_stride, row_stride);
      Format::add_lower();
      written = write(last, written, written + rows_at_once_);
    }
    write(last, written, 2 * kTileRows);
    sums_.store();
    last_ = {p_, row, col, kTileRows + lower};
  }
  void finish() { write(last_, 0, 2 * kTileRows); }

 private:
  // Where the result of a block goes. The loop over k reads a local copy, which stays in registers: compilers assume
  // that stores of vectors may change any other memory, so members would be loaded again for every row.
  struct Target {
    Target() = default;
    Target(const NarrowBlock& p, std::int64_t row, std::int64_t col, std::int64_t row_count)
        : rows(row_count),
          row_scales(p.row_scales ? p.row_scales + row : nullptr),
          start(p.start ? p.start + row * p.start_stride + col : nullptr),
          start_stride(p.start_stride),
          c(p.c + row * p.c_stride + col),
          c_stride(p.c_stride),
          left_scales(Format::col_scales(p, col)),
          right_scales(Format::col_scales(p, col + kNarrowCols)) {}

    std::int64_t rows = 0;
    const float* row_scales = nullptr;
    const float* start = nullptr;
    std::int64_t start_stride = 0;
    float* c = nullptr;
    std::int64_t c_stride = 0;
    __m512 left_scales = _mm512_setzero_ps(), right_scales = _mm512_setzero_ps();
  };

  // Writes the rows [row, end) of the last result, as far as there are any, and returns the first that is not written.
  std::int64_t write(const Target& to, std::int64_t row, std::int64_t end) const {
    if (end > to.rows) end = to.rows;
    __m512 left_start = _mm512_setzero_ps(), right_start = _mm512_setzero_ps();
    for (; row < end; ++row) {
      if (to.start) {
        left_start = _mm512_loadu_ps(to.start + row * to.start_stride);
        right_start = _mm512_loadu_ps(to.start + row * to.start_stride + kNarrowCols);
      }
      const __m512 scale = Format::row_scale(to.row_scales, row);
      const __m512 left = Format::to_float(_mm512_load_si512(sums_.panels[0][row]));
      const __m512 right = Format::to_float(_mm512_load_si512(sums_.panels[1][row]));
      float* const c = to.c + row * to.c_stride;
      _mm512_storeu_ps(c, _mm512_fmadd_ps(left, _mm512_mul_ps(to.left_scales, scale), left_start));
      _mm512_storeu_ps(c + kNarrowCols, _mm512_fmadd_ps(right, _mm512_mul_ps(to.right_scales, scale), right_start));
    }
    return row;
  }

  // Prefetches the chunks of both panels that are kAhead chunks after those at `b`, which are for the bytes from `k`
  // on; after the end of the panels, chunks of the next two.
  inline __attribute__((always_inline)) void prefetch_chunks(std::int64_t k, const char* b) const {
    constexpr std::int64_t kAhead = 2;
    const char* chunk = b + kAhead * kChunk + (k + kAhead * kTileBytes < row_bytes_ ? 0 : panel_bytes_);
    for (std::int64_t i = 0; i < kChunk; i += kTileBytes) {
      _mm_prefetch(chunk + i, _MM_HINT_T0);
      _mm_prefetch(chunk + panel_bytes_ + i, _MM_HINT_T0);
    }
  }

  const NarrowBlock& p_;
  const std::int64_t row_bytes_, panel_bytes_;
  const std::int64_t rows_at_once_;  // per chunk of k
  const bool reads_once_;
  const std::int64_t fetched_at_once_;  // per chunk of k
  const char* next_;                    // to be fetched
  // The last result.
  Sums sums_;
  Target last_;
};

// Up to 16 rows from `row` on, in both registers for rows, times `panels` panels, at most four, from `col` on. Panels
// that are not there are replaced by the first one.
template <class Format>
void multiply_four(const NarrowBlock& p, std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t panels) {
  const std::int64_t row_bytes = 4 * p.groups, panel_bytes = kTileBytes * p.groups;
  const char* a = p.a + row * p.row_stride;
  const char* b = p.b + col / kNarrowCols * panel_bytes;
  const auto offset = [&](std::int64_t panel) { return panel < panels ? panel * panel_bytes : 0; };
  const std::int64_t second = offset(1), third = offset(2), fourth = offset(3);
  clear_sums();
  for (std::int64_t k = 0; k < row_bytes; k += kTileBytes, a += kTileBytes, b += kChunk) {
    _tile_loadd(4, a, p.row_stride);
    _tile_loadd(6, b, kTileBytes);
    _tile_loadd(7, b + second, kTileBytes);
    Format::add_upper_left();
    Format::add_upper_right();
    if (panels <= 2) continue;
    _tile_loadd(5, a, p.row_stride);
    _tile_loadd(6, b + third, kTileBytes);
    _tile_loadd(7, b + fourth, kTileBytes);
    Format::add_lower();
  }
  Sums sums;
  sums.store();
  for (int i = 0; i < panels; ++i) {
    const Columns<Format> columns(p, col + i * kNarrowCols);
    for (std::int64_t r = 0; r < rows; ++r) columns.write(p, row + r, sums.row_of(i, r));
  }
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

// Rows are taken in pairs of tiles as long as more than 16 are left, columns in pairs of panels. The rows of a pair
// stay in the L1 cache for all columns.
template <class Format>
void multiply_columns(const NarrowBlock& p) {
  const std::int64_t paired_cols = p.cols / (2 * kNarrowCols) * (2 * kNarrowCols);
  const std::int64_t rest = p.rows % (2 * kTileRows), whole = p.rows - rest;
  const std::int64_t paired_rows = rest > kTileRows ? p.rows : whole;
  if (whole > 0) {
    configure(kTileRows, kTileRows);
    Pairs<Format> pairs(p, whole / (2 * kTileRows));
    for (std::int64_t row = 0; row < whole; row += 2 * kTileRows)
      for (std::int64_t col = 0; col < paired_cols; col += 2 * kNarrowCols) pairs.multiply(row, kTileRows, col);
    pairs.finish();
  }
  if (paired_rows > whole) {
    configure(kTileRows, rest - kTileRows);
    Pairs<Format> pairs(p, 1);
    for (std::int64_t col = 0; col < paired_cols; col += 2 * kNarrowCols) pairs.multiply(whole, rest - kTileRows, col);
    pairs.finish();
  }
  for (std::int64_t row = 0; row < p.rows; row += kTileRows)
    multiply_few_rows<Format>(p, row, p.rows - row < kTileRows ? p.rows - row : kTileRows,
                              row < paired_rows ? paired_cols : 0);
}

// As many columns at a time as have their panels, and the next ones, in the L2 cache.
template <class Format>
void multiply(const NarrowBlock& p) {
  constexpr std::int64_t kPanelBytes = 256 * 1024;
  const std::int64_t pair_bytes = 2 * kTileBytes * p.groups;
  const std::int64_t pairs = pair_bytes == 0 || pair_bytes > kPanelBytes ? 1 : kPanelBytes / pair_bytes;
  const std::int64_t step = 2 * kNarrowCols * pairs;
  for (std::int64_t col = 0; col < p.cols; col += step) {
    NarrowBlock part = p;
    part.cols = p.cols - col < step ? p.cols - col : step;
    part.b += col * 4 * p.groups;
    if (p.col_scales) part.col_scales += col;
    if (p.start) part.start += col;
    part.c += col;
    multiply_columns<Format>(part);
  }
  _tile_release();
}

// Of few rows, VNNI multiplies as fast as weights are read.
void multiply_int8(const NarrowBlock& p) { p.rows <= kFewRows ? multiply_few_rows_avx512(p) : multiply<Int8>(p); }

}  // namespace

const NarrowKernel kInt8Amx = {.name = "AMX",
                               .group = 4,
                               .row_set = 1,
                               .unit = kTileBytes,
                               .padding = kTileBytes,
                               .flip = 0,
                               .multiply = multiply_int8};
const NarrowKernel kBf16Amx = {.name = "AMX",
                               .group = 4,
                               .row_set = 1,
                               .unit = kTileBytes,
                               .padding = kTileBytes,
                               .flip = 0,
                               .multiply = multiply<Bf16>};

}  // namespace dragoman::kernels::cpu_filling
#endif
